/* SPDX-License-Identifier: BSD-3-Clause */
/* fact-regions.c - parallel regions of OpenMP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/threads/omp-regions.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"

#define REGION_FIELDS(FIELD)                                                   \
	FIELD(CALLS, "calls", COUNT, "how often it began")                     \
	FIELD(THREADS, "threads", NUMBER, "of it, on average")                 \
	FIELD(EFFICIENCY, "efficiency", SHARE,                                 \
	      "of its threads' time, in the region's code")                    \
	FIELD(WAITED_SHARE, "waited_share", SHARE, "of that time, the rest")   \
	FIELD(END_SHARE, "end_share", SHARE,                                   \
	      "of that time, until all had come to the end")                   \
	FIELD(BARRIER_SHARE, "barrier_share", SHARE,                           \
	      "of that time, in barriers within")                              \
	FIELD(LOCK_SHARE, "lock_share", SHARE,                                 \
	      "of that time, for locks and critical sections")                 \
	FIELD(LATE_SHARE, "late_share", SHARE,                                 \
	      "of that time, waited for who came last")                        \
	FIELD(SAVED, "saved", SECONDS,                                         \
	      "of each rank's elapsed time, with even shares")                 \
	FIELD(SHARE, "share", SHARE, "the same, of the elapsed time")          \
	FIELD(EACH, "each", SECONDS, "how long it takes, once")                \
	FIELD(CROWDED, "crowded", SHARE,                                       \
	      "of the ranks' time, in which they waited for a core")           \
	FIELD(BY_TURNS, "by_turns", NUMBER,                                    \
	      "1: each thread is late now and then, by chance")                \
	FIELD(REGION, "region", TEXT, "its name, \"parallel solver.c:120\"")   \
	FIELD(CULPRIT, "culprit", TEXT,                                        \
	      "whom the others waited for, or \"nobody\"")                     \
	FIELD(WAITS, "waits", TEXT,                                            \
	      "\"51 % at its end for thread 0, 9 % in barriers within\"")

FACT_TABLE(region_fields, REGION_FIELDS)

/* Without the brackets. */
static char *name_of_region(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);
	size_t length = strlen(name);

	return length > 2 ? strndup(name + 1, length - 2) : strdup(name);
}

/* "thread 0 in solve" */
static char *name_of_culprit(const struct omp_region *r,
			     const struct paths *paths)
{
	const char *who = omp_region_culprit(r);
	char *in = omp_region_culprit_in(r, paths);
	char *text = who && in && *in ? str_format("%s in %s", who, in)
				      : strdup(who ? who : "nobody");

	free(in);
	return text;
}

/* What is at least 1 % of its threads' time. */
static char *name_waits(const struct fact *f)
{
	static const struct {
		int share;
		const char *where;
	} waits[] = {
		{ END_SHARE, "at its end for " },
		{ BARRIER_SHARE, "in barriers within" },
		{ LOCK_SHARE, "for locks and critical sections" },
	};
	char *text = NULL;
	size_t size, said = 0;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; to && i < sizeof(waits) / sizeof(*waits); i++) {
		double share = 100 * f->values[waits[i].share].number;

		if (share >= 1)
			fprintf(to, "%s%.0f %% %s%s", said++ ? ", " : "", share,
				waits[i].where,
				i ? "" : f->values[CULPRIT].text);
	}
	if (to)
		fclose(to);
	return text;
}

static int add_region(struct facts *to, const struct fact_source *from,
		      const struct omp_region *r)
{
	struct fact *f = facts_add(to, from->paths->of[r->node]);
	double threads = omp_region_threads(r), time = r->at[OMP_TIME];
	double waited = omp_region_waited(r);

	if (!f)
		return no_memory();
	f->values[CALLS].number = r->at[OMP_REGIONS];
	f->values[THREADS].number = threads;
	f->values[EFFICIENCY].number = value_ratio(r->at[OMP_WORK], time);
	f->values[WAITED_SHARE].number = value_ratio(waited, time);
	f->values[BARRIER_SHARE].number = value_ratio(r->at[OMP_BARRIER], time);
	f->values[LOCK_SHARE].number = value_ratio(r->at[OMP_LOCK], time);
	f->values[END_SHARE].number = value_ratio(omp_region_end_wait(r), time);
	f->values[LATE_SHARE].number = value_ratio(r->at[OMP_LATE], time);
	f->values[SAVED].number =
		value_ratio(value_ratio(waited, threads), from->ranks);
	f->values[SHARE].number =
		value_ratio(f->values[SAVED].number, from->elapsed);
	f->values[EACH].number = value_ratio(time, r->at[OMP_MEMBERS]);
	f->values[CROWDED].number = from->crowded;
	f->values[BY_TURNS].number = omp_region_by_turns(r);
	f->values[REGION].text = name_of_region(from->run, r->node);
	f->values[CULPRIT].text = name_of_culprit(r, from->paths);
	if (f->values[REGION].text && f->values[CULPRIT].text)
		f->values[WAITS].text = name_waits(f);
	return f->values[WAITS].text ? 0 : no_memory();
}

static int gather_regions(struct facts *to, struct fact_source *from)
{
	struct omp_regions all;
	int err = omp_regions_find(&all, from->paths);

	for (size_t i = 0; i < all.count && !err; i++)
		if (all.at[i].at[OMP_TIME] > 0)
			err = add_region(to, from, &all.at[i]);
	omp_regions_fini(&all);
	return err;
}

const struct fact_set fact_set_regions = {
	.name = "regions",
	.meaning = "parallel regions of OpenMP",
	.fields = region_fields,
	.field_count = FIELDS,
	.gather = gather_regions,
};
