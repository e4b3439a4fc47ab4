/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-file.c - a run as run.h5; copse-format(5) has the layout.
 *
 * Texts are kept once, in `strings`; all other columns refer to them by number.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/run-build.h"
#include "run/path-sums.h"
#include "run/run.h"
#include "run/split.h"
#include "run/values.h"
#include "profile/metric-group.h"
#include "profile/profile.h"
#include "profile/store/store.h"

#define FORMAT  "copse run"
#define VERSION 1

#define TABLE                        STORE_FIELDS
#define RECORD                       STORE_FIELDS
#define COLUMN(type, name, ...)      STORE_FIELD(row, name),
#define ADDED(type, name, ...)       STORE_ADDED(row, name),
#define NAMED(column, member, added) STORE_NAMED(column, row, member, added),
#define END_TABLE                    STORE_END_FIELDS
#include "run/run.def"

/* Each table of a group, as far as it has rows. */
#define GROUP(record)                                                          \
	static void record##_put(struct store *s, const struct record *of)     \
	{
#define TABLE     STORE_PUT_TABLE
#define END_GROUP }
#include "run/run.def"

#define GROUP(record)                                                          \
	static void record##_get(struct store *s, struct record *of)           \
	{
#define TABLE     STORE_GET_TABLE
#define END_GROUP }
#include "run/run.def"

static const struct store_field *parent_fields(void)
{
	static const struct store_field fields[] = {
		STORE_FIELD(struct run_rank, ppid),
		{ 0 },
	};

	return fields;
}

static const struct store_field block_fields[] = {
	STORE_FIELD(struct run_calls, peer_block),
	{ 0 },
};

/*
 * Tables beside ranks, which older databases lack: a row for each of them, of
 * what the rank has at that offset.
 */
struct beside {
	const char *group;
	const struct store_field *(*fields)(void);
	size_t offset;
};
static const struct beside besides[] = {
	{ "cores", profile_cores_fields, offsetof(struct run_rank, cores) },
	{ "family", profile_family_fields, offsetof(struct run_rank, family) },
	{ "openmp", openmp_fields, offsetof(struct run_rank, openmp) },
	{ "parents", parent_fields, 0 },
	{ "jobs", run_job_fields, offsetof(struct run_rank, job) },
};
enum {
	BESIDES = sizeof(besides) / sizeof(besides[0])
};

static void *beside_rows(const struct run *run, const struct beside *b)
{
	return run->ranks ? (char *)run->ranks + b->offset : NULL;
}

static void put_ranks(struct store *s, const struct run *run)
{
	store_put_table(s, "ranks", run_rank_fields(), run->ranks,
			sizeof(*run->ranks), run->rank_count);
	for (const struct beside *b = besides; b < besides + BESIDES; b++)
		store_put_table(s, b->group, b->fields(), beside_rows(run, b),
				sizeof(*run->ranks), run->rank_count);
}

static void get_ranks(struct store *s, struct run *run)
{
	run->ranks = store_get_table(s, "ranks", run_rank_fields(),
				     sizeof(*run->ranks), &run->rank_count);
	for (const struct beside *b = besides; b < besides + BESIDES; b++)
		if (store_has_table(s, b->group, b->fields()))
			store_get_members(s, b->group, b->fields(),
					  beside_rows(run, b),
					  sizeof(*run->ranks), run->rank_count);
}

static void save_metric(struct store *s, const struct paths *paths,
			size_t index)
{
	const struct run *run = paths->run;
	const struct run_metric *m = &run->metrics[index];
	struct metric_group metric = { .unit = m->unit,
				       .merge = m->merge,
				       .counting = m->counting };
	char name[METRIC_PATH_SIZE];

	memcpy(metric.name, m->name, sizeof(metric.name));
	metric_group_put(s, &metric);
	store_put_table(s, metric_path(name, m->name, "stats"),
			run_stat_fields(), m->stats, sizeof(*m->stats),
			run->node_count);
	store_put(s, metric_path(name, m->name, "first"), STORE_U64, m->first,
		  run->node_count + 1);
	values_save(s, run, index);
	if (m->merge == MERGE_SUM)
		path_sums_save(s, paths, index);
}

static void save_metrics(struct store *s, const struct run *run)
{
	struct paths paths;

	metric_groups_new(s);
	if (paths_init(&paths, run)) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	paths_save(s, &paths);
	for (size_t i = 0; i < run->metric_count; i++)
		save_metric(s, &paths, i);
	paths_fini(&paths);
}

static int save_into(struct store *s, const struct run *run)
{
	struct run_words words = {
		.command = (char *)str_at(&run->strings, run->command),
		.job = (char *)str_at(&run->strings, run->job),
		.copse_version = (char *)str_at(&run->strings, run->version),
		.mpi_library = (char *)str_at(&run->strings, run->mpi_library),
		.batch = run->batch,
		.world = run->world,
		.members = run->member_count,
	};

	store_put_record(s, "run", run_words_fields(), &words);
	store_put_strings(s, "strings", run->strings.at, run->strings.count);
	put_ranks(s, run);
	store_put_table(s, "nodes", run_node_fields(), run->nodes,
			sizeof(*run->nodes), run->node_count);
	store_put_table(s, "losses", run_loss_fields(), run->losses,
			sizeof(*run->losses), run->loss_count);
	store_put_table(s, "problems", run_problem_fields(), run->problems,
			sizeof(*run->problems), run->problem_count);
	store_put_record(s, "mpi", block_fields, &run->calls);
	run_calls_put(s, &run->calls);
	run_threads_put(s, &run->threads);
	run_ends_put(s, &run->ends);
	run_memory_put(s, &run->memory);
	run_split_put(s, &run->split);
	store_put_record(s, "waits", run_joined_fields(), &run->waits.joined);
	run_waits_put(s, &run->waits);
	run_timeline_put(s, &run->timeline);
	run_iterations_put(s, &run->iterations);
	run_io_put(s, &run->io);
	run_facts_put(s, &run->facts);
	run_gpu_put(s, &run->gpu);
	if (run->collectives.rank_count) {
		store_put_record(s, "gpu/calls", run_device_calls_fields(),
				 &run->collectives.joined);
		run_collectives_put(s, &run->collectives);
	}
	run_slices_put(s, &run->slices);
	run_energy_put(s, &run->energy);
	save_metrics(s, run);
	return store_commit(s);
}

int run_save(const struct run *run, const char *path)
{
	struct store *s = NULL;
	int err = store_create_large(&s, path, FORMAT, VERSION);

	return err ? err : save_into(s, run);
}

int run_save_part(const struct run *run, const char *path)
{
	struct store *s = NULL;
	int err = store_create(&s, path, FORMAT, VERSION);

	return err ? err : save_into(s, run);
}

/*
 * Reading: the file is foreign input.
 */

/* The pool again, every string under the number that it had. */
static void load_run_strings(struct store *s, struct run *run)
{
	size_t count;
	char *texts = store_get_strings(s, "strings", &count);
	const char *text = texts;

	for (size_t i = 0; i < count && texts; i++, text += strlen(text) + 1)
		if (str_add(&run->strings, text) != i) {
			store_fail(s, -EINVAL, "damaged: string %zu", i);
			break;
		}
	free(texts);
}

static void load_words(struct store *s, struct run *run)
{
	struct run_words words = { 0 };

	store_get_record(s, "run", run_words_fields(), &words);
	if (!store_error(s)) {
		run->command = str_add(&run->strings, words.command);
		run->job = str_add(&run->strings, words.job);
		run->version = str_add(&run->strings, words.copse_version);
		run->mpi_library = str_add(&run->strings, words.mpi_library);
		run->batch = words.batch;
		run->world = words.world;
		run->member_count = words.members;
	}
	free(words.command);
	free(words.job);
	free(words.copse_version);
	free(words.mpi_library);
}

/* The indices in them; the metric has as many as there are nodes. */
static void check_stats(struct store *s, const struct run *run,
			const struct run_metric *m)
{
	bool good = m->stats;

	for (size_t i = 0; good && i < run->node_count; i++)
		good = !run->rank_count ||
		       (m->stats[i].min_rank < run->rank_count &&
			m->stats[i].max_rank < run->rank_count);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the values of '%s'", m->name);
}

static void load_metric(struct store *s, const struct run *run,
			const char *group, struct run_metric *m,
			struct source_metric *source)
{
	size_t stats = 0, firsts = 0;
	struct metric_group metric = { 0 };
	char name[METRIC_PATH_SIZE];

	metric_group_get(s, group, &metric);
	m->stats =
		store_get_table(s, metric_path(name, group, "stats"),
				run_stat_fields(), sizeof(*m->stats), &stats);
	m->first = store_get(s, metric_path(name, group, "first"), STORE_U64,
			     &firsts);
	if (store_error(s))
		return;
	memcpy(m->name, metric.name, sizeof(m->name));
	m->unit = metric.unit;
	m->merge = metric.merge;
	m->counting = metric.counting;
	if (stats != run->node_count || firsts != run->node_count + 1)
		store_fail(s, -EINVAL, "damaged: the metric '%s'", group);
	if (!store_error(s))
		check_stats(s, run, m);
	if (!store_error(s))
		values_load(s, run, group, m, source);
	if (m->merge == MERGE_SUM)
		path_sums_load(s, run, group, m, source);
}

static int source_new(struct run *run, size_t metrics)
{
	struct run_source *source = calloc(1, sizeof(*source));

	run->metrics = calloc(metrics + 1, sizeof(*run->metrics));
	run->source = source;
	if (source)
		source->metrics = calloc(metrics + 1, sizeof(*source->metrics));
	if (!run->metrics || !source || !source->metrics)
		return -ENOMEM;
	source->metric_count = metrics;
	source->threads = 1; /* HDF5 is read by one at a time */
	return 0;
}

/* True: the statistics are those of the first databases. */
static bool is_plain(struct store *s, const char *group)
{
	char name[METRIC_PATH_SIZE];

	return !store_has(s, metric_path(name, group, "stats/most"));
}

/* Into *plain, whether statistics are missing that were added later. */
static void load_metrics(struct store *s, struct run *run, bool *plain)
{
	size_t count = 0;
	char **names = store_list(s, "metrics", &count);

	if (!names)
		return;
	*plain = count && is_plain(s, names[0]);
	if (source_new(run, count))
		store_fail(s, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count && !store_error(s); i++)
		load_metric(s, run, names[i],
			    &run->metrics[run->metric_count++],
			    &run->source->metrics[i]);
	free(names);
}

static void get_groups(struct store *s, struct run *run)
{
	store_get_record(s, "mpi", block_fields, &run->calls);
	run_calls_get(s, &run->calls);
	run_threads_get(s, &run->threads);
	run_ends_get(s, &run->ends);
	run_memory_get(s, &run->memory);
	run_split_get(s, &run->split);
	store_get_record(s, "waits", run_joined_fields(), &run->waits.joined);
	run_waits_get(s, &run->waits);
	run_timeline_get(s, &run->timeline);
	run_iterations_get(s, &run->iterations);
	run_io_get(s, &run->io);
	run_facts_get(s, &run->facts);
	run_gpu_get(s, &run->gpu);
	if (store_has(s, "gpu/calls"))
		store_get_record(s, "gpu/calls", run_device_calls_fields(),
				 &run->collectives.joined);
	run_collectives_get(s, &run->collectives);
	run_slices_get(s, &run->slices);
	run_energy_get(s, &run->energy);
}

int run_load(struct run **to, const char *path)
{
	struct run *run = calloc(1, sizeof(*run));
	struct store *s = NULL;
	bool plain = false;
	int err;

	if (!run)
		return fail(-ENOMEM, "%s: out of memory", path);
	err = store_open(&s, path, FORMAT, VERSION);
	if (err)
		goto out;
	load_run_strings(s, run);
	load_words(s, run);
	get_ranks(s, run);
	run->nodes = store_get_table(s, "nodes", run_node_fields(),
				     sizeof(*run->nodes), &run->node_count);
	run->losses = store_get_table(s, "losses", run_loss_fields(),
				      sizeof(*run->losses), &run->loss_count);
	run->problems =
		store_get_table(s, "problems", run_problem_fields(),
				sizeof(*run->problems), &run->problem_count);
	get_groups(s, run);
	run_check(s, run);
	if (!store_error(s))
		paths_load(s, run);
	if (!store_error(s))
		load_metrics(s, run, &plain);
	err = store_error(s);
	if (!err && run->source) {
		store_rest(s);
		run->source->store = s; /* closed with the run */
		s = NULL;
		err = plain ? run_entry_stats(run) : 0;
		if (!err)
			err = split_make(run);
	}
out:
	if (err)
		run_free(run);
	else
		*to = run;
	store_close(s);
	return err;
}
