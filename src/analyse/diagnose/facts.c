/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c - sets of facts: their rows, their words, and what they are of. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/base/elapsed.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/paths/paths.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/phrase.h"
#include "analyse/split/time-split.h"
#include "analyse/base/value.h"
#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "run/startup.h"

#define CROWDED 0.3  /* of their time ranks waited for a core */
#define STARVED 0.35 /* of the cores' time they had, or less */

#define FACTS(name) extern const struct fact_set fact_set_##name;
#include "analyse/diagnose/fact-sets.inc"
#undef FACTS

const struct fact_set *const fact_sets[] = {
#define FACTS(name) &fact_set_##name,
#include "analyse/diagnose/fact-sets.inc"
#undef FACTS
	NULL
};

const struct fact_set *fact_set_find(const struct fact_set *const *sets,
				     const char *name)
{
	for (size_t i = 0; sets[i]; i++)
		if (!strcmp(sets[i]->name, name))
			return sets[i];
	return NULL;
}

int fact_field_find(const struct fact_set *set, const char *name, size_t length)
{
	for (size_t i = 0; i < set->field_count; i++)
		if (strlen(set->fields[i].name) == length &&
		    !strncmp(set->fields[i].name, name, length))
			return (int)i;
	return -1;
}

struct fact *facts_add(struct facts *facts, uint32_t path)
{
	struct fact fact = { .path = path };

	if (!array_append(&facts->at, &facts->count, &facts->room, sizeof(fact),
			  &fact))
		return NULL;
	return &facts->at[facts->count - 1];
}

void facts_fini(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free(facts->at[i].rows);
		for (size_t f = 0; f < FACT_FIELDS; f++)
			free(facts->at[i].values[f].text);
	}
	free(facts->at);
	*facts = (struct facts){ 0 };
}

bool fact_name_ranks(struct fact *fact, const uint32_t *ranks, size_t count)
{
	size_t size, last;
	FILE *to = open_memstream(&fact->rows, &size);

	if (!to)
		return false;
	for (size_t i = 0; i < count; i = last + 1) {
		last = i;
		while (last + 1 < count && ranks[last + 1] == ranks[last] + 1)
			last++;
		fprintf(to, last > i ? "%s%u-%u" : "%s%u", i ? "," : "",
			ranks[i], ranks[last]);
	}
	return !fclose(to);
}

static char *count_in_words(double count)
{
	if (count >= 1e6)
		return str_format("%.3g million", count / 1e6);
	if (count >= 1e5)
		return str_format("%.0f,000", count / 1e3);
	return str_format("%.0f", count);
}

char *fact_text(const struct fact_set *set, const struct fact *fact,
		size_t field)
{
	double number = fact->values[field].number;
	const char *text = fact->values[field].text;
	char words[32];

	switch (set->fields[field].type) {
	case FACT_TEXT:
		return strdup(text ? text : "");
	case FACT_SECONDS:
		return strdup(phrase_time(words, number));
	case FACT_BYTES:
		return strdup(phrase_bytes(words, number));
	case FACT_SHARE:
		return str_format("%.0f %%", 100 * number);
	case FACT_COUNT:
		return count_in_words(number);
	default:
		return str_format("%.3g", number);
	}
}

/* Ranks with the same cores of a host count these once. */
static int count_cores(struct fact_source *to)
{
	struct map map = { 0 };
	uint32_t groups = 0;

	for (size_t i = 0; i < to->run->member_count; i++) {
		const struct run_rank *r = &to->run->ranks[i];
		uint32_t g = map_put(&map, r->cores.key, r->host, groups);

		if (g == MAP_NONE) {
			map_fini(&map);
			return no_memory();
		}
		if (g == groups) {
			groups++;
			to->cores += (double)r->cores.count;
		}
	}
	map_fini(&map);
	return 0;
}

/*
 * Ranks waited for cores that they did not use themselves.  Those that wait in
 * MPI use theirs.
 */
static bool is_starved(const struct fact_source *of)
{
	double cpu = 0;

	for (size_t i = 0; i < of->run->member_count; i++)
		cpu += (double)of->run->ranks[i].process_cpu_ns / 1e9;
	return of->crowded > CROWDED &&
	       cpu < STARVED * fmin(of->ranks, of->cores) * of->elapsed;
}

static double seconds_of_ranks(const struct run *run)
{
	double seconds = 0;

	for (size_t i = 0; i < run->member_count; i++)
		seconds += time_split_first(&run->ranks[i]);
	return seconds;
}

int fact_source_init(struct fact_source *to, const struct paths *paths,
		     const struct blames *blames,
		     const struct run_metric *metric)
{
	const struct run *run = paths->run;
	int err;

	*to = (struct fact_source){
		.run = run, .paths = paths, .blames = blames, .metric = metric
	};
	err = efficiency_of(&to->e, run);
	to->elapsed = to->e.elapsed;
	to->ranks = (double)to->e.ranks;
	if (!err && !to->e.ranks) {
		err = elapsed_of(&to->elapsed, run);
		to->ranks = (double)run->member_count;
	}
	to->seconds =
		to->e.ranks ? seconds_of_ranks(run) : to->elapsed * to->ranks;
	to->explained = calloc(paths->count + 1, sizeof(*to->explained));
	if (!err && !to->explained)
		err = no_memory();
	if (!err)
		err = count_cores(to);
	to->crowded = contention_share(run);
	if (isnan(to->crowded))
		to->crowded = 0;
	to->starved = is_starved(to);
	if (!err && metric && metric->unit == UNIT_NS)
		err = imbalance_init(&to->skews, paths, metric);
	to->startup = startup_nodes(run);
	if (!to->startup)
		return -ENOMEM;
	for (size_t n = 0; n < run->node_count; n++) {
		double seconds = metric ? value_node(metric, n) : 0;

		/* Libraries may be opened again and again. */
		if (to->startup[n] == STARTUP_LOADER)
			to->startup[n] = STARTUP_NONE;
		to->sampled += seconds;
		if (to->startup[n] == STARTUP_NONE)
			to->steady += seconds;
	}
	return err;
}

void fact_source_fini(struct fact_source *source)
{
	imbalance_fini(&source->skews);
	free(source->explained);
	free(source->startup);
	*source = (struct fact_source){ 0 };
}

double fact_least_elapsed(const struct fact_source *from, bool even)
{
	double sum = 0, most = 0, cpu = 0;

	for (size_t i = 0; i < from->skews.process_count; i++) {
		const struct run_rank *r =
			&from->run->ranks[from->skews.processes[i]];
		double outside = from->skews.outside[i];
		double alone = from->e.ranks ? efficiency_useful(r) : outside;
		double useful = fmin(outside, alone);

		cpu += fmin(outside, alone * fmax(r->threads, 1));
		sum += useful;
		most = fmax(most, useful);
	}
	if (even)
		most = value_ratio(sum, from->ranks);
	return from->cores > 0 ? fmax(most, cpu / from->cores) : most;
}

double fact_saved(const struct fact_source *from, double part, double work)
{
	double moving = 0;

	if (from->e.ranks)
		moving = isnan(from->e.transfer)
				 ? 1 - value_ratio(from->e.outside_mean,
						   from->e.elapsed)
				 : 1 - from->e.transfer;
	return fmin(fmin(value_ratio(part, work), 1) * from->elapsed *
			    (1 - moving),
		    part);
}

double fact_work(const struct fact_source *from)
{
	double outside = 0;

	for (size_t i = 0; i < from->skews.process_count; i++)
		outside += from->skews.outside[i];
	return outside > 0 ? outside : from->sampled;
}
