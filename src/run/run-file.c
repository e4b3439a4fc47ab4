/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-file.c - a run as run.h5; doc/copse-format.5 has the layout.
 *
 * Texts stand once, in `strings`; all other columns refer to them by number.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/run-build.h"
#include "run/run-gpu-tables-file.h"
#include "run/path-sums.h"
#include "run/power-tables.h"
#include "run/run.h"
#include "run/values.h"
#include "profile/metric-group.h"
#include "profile/store.h"

#define FORMAT  "copse run"
#define VERSION 1

struct run_words { /* what the group `run` says in attributes */
	const char *command, *job, *copse_version, *mpi_library;
	struct batch batch;
	uint32_t world;
	uint64_t members;
};
#define WORDS(TYPE, member) STORE_FIELD(TYPE, struct run_words, member)
#define WORDS_BATCH(name)                                                      \
	{                                                                      \
		"batch_" #name, STORE_CHARS,                                   \
			offsetof(struct run_words, batch.name),                \
			sizeof(((struct batch *)0)->name), true                \
	}
static const struct store_field run_fields[] = {
	WORDS(TEXT, command),
	WORDS(TEXT, job),
	WORDS_BATCH(manager),
#define FACT(name, ...) WORDS_BATCH(name),
#include "base/batch.def"
	WORDS(TEXT, copse_version),
	WORDS(TEXT, mpi_library),
	WORDS(U32, world),
	WORDS(U64, members),
	{ 0 },
};

#define RANK(TYPE, member)       STORE_FIELD(TYPE, struct run_rank, member)
#define RANK_ADDED(TYPE, member) STORE_ADDED(TYPE, struct run_rank, member)
static const struct store_field rank_fields[] = {
	RANK(I32, rank),
	RANK(U32, pid),
	RANK(U32, host),
	RANK(U32, source),
	RANK(U32, command),
	RANK(U32, end),
	RANK(U32, end_code),
	RANK(U32, threads),
	RANK(U32, clock),
	RANK(U32, wall),
	RANK(U32, mpi_error),
	RANK(U64, freq),
	RANK(U64, start_real_ns),
	RANK(U64, elapsed_ns),
	RANK(U64, mpi_ns),
	RANK(U64, mpi_time_ns),
	RANK(U64, cpu_ns),
	RANK(U64, wall_ns),
	RANK(U64, process_cpu_ns),
	RANK(U64, samples),
	RANK(U64, ticks),
	RANK(U64, handler_ns),
	RANK(U64, wrapper_ns),
	RANK(U64, slowest_ns),
	RANK(U64, paused_ns),
	RANK(U64, mpi_io_ns),
	RANK_ADDED(U64, switches),
	RANK_ADDED(U64, switch_ns),
	RANK_ADDED(U64, timer_samples),
	{ 0 },
};

/* Tables beside, which older databases lack. */
static const struct store_field cores_fields[] = {
	{ "count", STORE_U64, offsetof(struct cores, count), 0 },
	{ "key", STORE_U64, offsetof(struct cores, key), 0 },
	{ "waited_ns", STORE_U64, offsetof(struct cores, waited_ns), 0 },
	{ 0 },
};

static const struct store_field parent_fields[] = {
	{ "ppid", STORE_U32, 0, 0 },
	{ 0 },
};

static const struct store_field openmp_fields[] = {
	{ "waiting_ns", STORE_U64, offsetof(struct openmp, waiting_ns), 0 },
	{ "workers_ns", STORE_U64, offsetof(struct openmp, workers_ns), 0 },
	{ 0 },
};

static const struct store_field family_fields[] = {
	{ "cpu_ns", STORE_U64, offsetof(struct family, cpu_ns), 0 },
	{ "start_ns", STORE_U64, offsetof(struct family, start_ns), 0 },
	{ "unsampled", STORE_U64, offsetof(struct family, unsampled), 0 },
	{ "failed", STORE_U64, offsetof(struct family, failed), 0 },
	{ 0 },
};

static const struct store_field job_fields[] = {
	{ "number", STORE_U32, offsetof(struct run_job, number), 0 },
	{ "size", STORE_U32, offsetof(struct run_job, size), 0 },
	{ 0 },
};

/* Each with a row for each of ranks. */
static const struct beside {
	const char *group, *first; /* column */
	const struct store_field *fields;
	size_t size, offset; /* of what a rank has of it */
} besides[] = {
#define BESIDE(group, first, fields, member)                                   \
	{                                                                      \
		group, group "/" first, fields,                                \
			sizeof(((struct run_rank *)0)->member),                \
			offsetof(struct run_rank, member)                      \
	}
	BESIDE("cores", "count", cores_fields, cores),
	BESIDE("family", "cpu_ns", family_fields, family),
	BESIDE("openmp", "waiting_ns", openmp_fields, openmp),
	BESIDE("parents", "ppid", parent_fields, ppid),
	BESIDE("jobs", "number", job_fields, job),
};
enum {
	BESIDES = sizeof(besides) / sizeof(besides[0])
};

static void save_rank_table(struct store *s, const struct run *run,
			    const struct beside *b)
{
	const char *ranks = (const char *)run->ranks;

	store_put_table(s, b->group, b->fields,
			run->rank_count ? ranks + b->offset : NULL,
			sizeof(*run->ranks), run->rank_count);
}

static void load_beside(struct store *s, struct run *run,
			const struct beside *b)
{
	size_t count;
	char *rows;

	if (!store_has(s, b->first))
		return;
	rows = store_get_table(s, b->group, b->fields, b->size, &count);
	for (size_t i = 0; rows && i < count && i < run->rank_count; i++)
		memcpy((char *)&run->ranks[i] + b->offset, rows + i * b->size,
		       b->size);
	free(rows);
}

static void load_ranks(struct store *s, struct run *run)
{
	run->ranks = store_get_table(s, "ranks", rank_fields,
				     sizeof(*run->ranks), &run->rank_count);
	for (size_t i = 0; i < BESIDES; i++)
		load_beside(s, run, &besides[i]);
}

#define NODE(TYPE, member) STORE_FIELD(TYPE, struct run_node, member)
static const struct store_field node_fields[] = {
	NODE(U32, parent),   NODE(U16, kind),   NODE(U16, flags),
	NODE(U32, function), NODE(U32, module), NODE(U32, file),
	NODE(U32, line),     NODE(U32, detail), { 0 },
};

#define LOSS_FIELD(TYPE, member) STORE_FIELD(TYPE, struct run_loss, member)
static const struct store_field loss_fields[] = {
	LOSS_FIELD(U32, name),
	LOSS_FIELD(U32, rank),
	LOSS_FIELD(U64, count),
	{ 0 },
};

#define PROBLEM(TYPE, member) STORE_FIELD(TYPE, struct run_problem, member)
static const struct store_field problem_fields[] = {
	PROBLEM(U32, source),
	PROBLEM(U32, text),
	{ 0 },
};

#define STAT(TYPE, member) STORE_FIELD(TYPE, struct run_stat, member)
#define PLAIN_STATS                                                            \
	STAT(F64, sum), STAT(F64, mean), STAT(F64, deviation), STAT(U64, min), \
		STAT(U64, max), STAT(U32, min_rank), STAT(U32, max_rank)
static const struct store_field stat_fields[] = {
	PLAIN_STATS, STAT(F64, squares), STAT(U64, least), STAT(U64, most),
	{ 0 },
};

/* As the first databases had them. */
static const struct store_field plain_stat_fields[] = { PLAIN_STATS, { 0 } };

#define COMM(TYPE, member) STORE_FIELD(TYPE, struct run_comm, member)
static const struct store_field comm_fields[] = {
	COMM(U64, id),    COMM(U32, size),      COMM(U32, first),
	COMM(U32, inter), COMM(U32, name),      COMM(U32, seen),
	COMM(U64, calls), COMM(U64, instances), { 0 },
};

#define SITE(TYPE, member) STORE_FIELD(TYPE, struct run_site, member)
static const struct store_field site_fields[] = {
	SITE(U32, node),
	SITE(U32, comm),
	SITE(I32, root),
	{ 0 },
};

#define SIZE_FIELD(TYPE, member) STORE_FIELD(TYPE, struct run_size, member)
static const struct store_field size_fields[] = {
	SIZE_FIELD(U32, node),
	SIZE_FIELD(U32, class),
	SIZE_FIELD(U64, calls),
	SIZE_FIELD(U64, ns),
	{ 0 },
};

#define PEER(TYPE, member) STORE_FIELD(TYPE, struct run_peer, member)
static const struct store_field peer_fields[] = {
	PEER(U32, rank),     PEER(U32, peer),       PEER(U64, sends),
	PEER(U64, sent),     PEER(U64, send_ns),    PEER(U64, receives),
	PEER(U64, received), PEER(U64, receive_ns), { 0 },
};

static const struct store_field calls_fields[] = {
	STORE_FIELD(U32, struct run_calls, peer_block),
	{ 0 },
};

static void save_calls(struct store *s, const struct run_calls *c)
{
	store_put_record(s, "mpi", calls_fields, c);
	store_put_table(s, "mpi/comms", comm_fields, c->comms,
			sizeof(*c->comms), c->comm_count);
	store_put_table(s, "mpi/sites", site_fields, c->sites,
			sizeof(*c->sites), c->site_count);
	store_put_table(s, "mpi/sizes", size_fields, c->sizes,
			sizeof(*c->sizes), c->size_count);
	store_put_table(s, "mpi/peers", peer_fields, c->peers,
			sizeof(*c->peers), c->peer_count);
}

static void load_calls(struct store *s, struct run_calls *c)
{
	store_get_record(s, "mpi", calls_fields, c);
	c->comms = store_get_table(s, "mpi/comms", comm_fields,
				   sizeof(*c->comms), &c->comm_count);
	c->sites = store_get_table(s, "mpi/sites", site_fields,
				   sizeof(*c->sites), &c->site_count);
	c->sizes = store_get_table(s, "mpi/sizes", size_fields,
				   sizeof(*c->sizes), &c->size_count);
	c->peers = store_get_table(s, "mpi/peers", peer_fields,
				   sizeof(*c->peers), &c->peer_count);
}

static void check_run_calls(struct store *s, const struct run *run)
{
	const struct run_calls *c = &run->calls;
	bool good = c->peer_block > 0;

	for (size_t i = 0; i < c->comm_count && good; i++)
		good = c->comms[i].name < run->strings.count;
	for (size_t i = 0; i < c->site_count && good; i++)
		good = c->sites[i].node < run->node_count &&
		       (!i || c->sites[i - 1].node < c->sites[i].node) &&
		       (c->sites[i].comm < c->comm_count ||
			c->sites[i].comm >= RUN_SEVERAL_COMMS);
	for (size_t i = 0; i < c->size_count && good; i++)
		good = c->sizes[i].node < run->node_count &&
		       c->sizes[i].class < 64 &&
		       (!i || c->sizes[i - 1].node <= c->sizes[i].node);
	for (size_t i = 0; i < c->peer_count && good; i++)
		good = c->peers[i].rank < run->member_count &&
		       c->peers[i].peer < run->world &&
		       (!i || c->peers[i - 1].rank <= c->peers[i].rank);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the MPI calls");
}

#define JOINED(TYPE, member) STORE_FIELD(TYPE, struct run_joined, member)
static const struct store_field joined_fields[] = {
	JOINED(U64, parts),        JOINED(U64, instances),
	JOINED(U64, lacking),      JOINED(U64, disagreeing),
	JOINED(U32, level),        JOINED(U32, clocks),
	JOINED(U32, unbound),      JOINED(F64, clock_error_ns),
	JOINED(F64, other_causes), { 0 },
};

#define CAUSE(TYPE, member) STORE_FIELD(TYPE, struct run_cause, member)
static const struct store_field cause_fields[] = {
	CAUSE(U32, kind),     CAUSE(U32, victim),
	CAUSE(U32, culprit),  CAUSE(U64, instances),
	CAUSE(F64, ns),       CAUSE(F64, error_ns),
	CAUSE(F64, clock_ns), CAUSE(F64, indirect_ns),
	CAUSE(F64, early_ns), { 0 },
};

#define CONTEXT(TYPE, member)                                                  \
	STORE_FIELD(TYPE, struct run_cause_context, member)
static const struct store_field context_fields[] = {
	CONTEXT(U32, cause), CONTEXT(U32, node),    CONTEXT(U32, flags),
	CONTEXT(F64, ns),    CONTEXT(U64, samples), { 0 },
};

#define VICTIM(TYPE, member) STORE_FIELD(TYPE, struct run_cause_victim, member)
static const struct store_field victim_fields[] = {
	VICTIM(U32, cause),
	VICTIM(U32, rank),
	VICTIM(F64, ns),
	{ 0 },
};

#define WAITED(TYPE, member) STORE_FIELD(TYPE, struct run_wait_rank, member)
static const struct store_field waited_fields[] = {
	WAITED(F64, waited_ns),
	WAITED(F64, main_ns),
	WAITED(F64, caused_ns),
	{ 0 },
};

static void save_waits(struct store *s, const struct run_waits *w)
{
	store_put_record(s, "waits", joined_fields, &w->joined);
	store_put_table(s, "waits/causes", cause_fields, w->causes,
			sizeof(*w->causes), w->cause_count);
	store_put_table(s, "waits/contexts", context_fields, w->contexts,
			sizeof(*w->contexts), w->context_count);
	store_put_table(s, "waits/victims", victim_fields, w->victims,
			sizeof(*w->victims), w->victim_count);
	store_put_table(s, "waits/ranks", waited_fields, w->ranks,
			sizeof(*w->ranks), w->rank_count);
}

static void load_waits(struct store *s, struct run_waits *w)
{
	store_get_record(s, "waits", joined_fields, &w->joined);
	w->causes = store_get_table(s, "waits/causes", cause_fields,
				    sizeof(*w->causes), &w->cause_count);
	w->contexts = store_get_table(s, "waits/contexts", context_fields,
				      sizeof(*w->contexts), &w->context_count);
	w->victims = store_get_table(s, "waits/victims", victim_fields,
				     sizeof(*w->victims), &w->victim_count);
	w->ranks = store_get_table(s, "waits/ranks", waited_fields,
				   sizeof(*w->ranks), &w->rank_count);
}

/* Of causes that are not told apart nothing else is known. */
static bool is_known_cause(const struct run_waits *w, uint32_t cause)
{
	return cause < w->cause_count &&
	       w->causes[cause].culprit != WAIT_OTHERS;
}

/* Every index leads somewhere; what belongs to a cause stands together. */
static void check_run_waits(struct store *s, const struct run *run)
{
	const struct run_waits *w = &run->waits;
	bool good = w->rank_count == run->rank_count;

	for (size_t i = 0; i < w->cause_count && good; i++)
		good = w->causes[i].kind < WAIT_KINDS &&
		       w->causes[i].victim < run->node_count &&
		       (w->causes[i].culprit < run->rank_count ||
			w->causes[i].culprit == WAIT_OTHERS);
	for (size_t i = 0; i < w->context_count && good; i++)
		good = is_known_cause(w, w->contexts[i].cause) &&
		       w->contexts[i].node < run->node_count &&
		       (!i || w->contexts[i - 1].cause <= w->contexts[i].cause);
	for (size_t i = 0; i < w->victim_count && good; i++)
		good = is_known_cause(w, w->victims[i].cause) &&
		       w->victims[i].rank < run->rank_count &&
		       (!i || w->victims[i - 1].cause <= w->victims[i].cause);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the wait states");
}

#define DEVICE(TYPE, member) STORE_FIELD(TYPE, struct run_device, member)
static const struct store_field device_fields[] = {
	DEVICE(U32, host),           DEVICE(U32, uuid),
	DEVICE(U32, name),           DEVICE(U32, id),
	DEVICE(I32, instance),       DEVICE(U32, shares),
	DEVICE(F64, busy_ns),        DEVICE(F64, busy_least_ns),
	DEVICE(F64, busy_most_ns),   DEVICE(F64, kernels_ns),
	DEVICE(F64, copies_ns),      DEVICE(F64, overlap_ns),
	DEVICE(F64, kernels_sum_ns), DEVICE(F64, span_ns),
	DEVICE(F64, elapsed_ns),     { 0 },
};

#define SHARE(TYPE, member) STORE_FIELD(TYPE, struct run_share, member)
static const struct store_field share_fields[] = {
	SHARE(U32, device),
	SHARE(U32, rank),
	SHARE(U32, id),
	SHARE(U64, kernels),
	SHARE(U64, copies),
	SHARE(U64, busy_ns),
	SHARE(U64, kernels_ns),
	SHARE(U64, copies_ns),
	SHARE(U64, kernels_sum_ns),
	SHARE(U64, first_ns),
	SHARE(U64, last_ns),
	{ 0 },
};

#define STREAM(TYPE, member) STORE_FIELD(TYPE, struct run_stream, member)
static const struct store_field stream_fields[] = {
	STREAM(U32, device),  STREAM(U32, rank),
	STREAM(U32, context), STREAM(U32, stream),
	STREAM(U64, kernels), STREAM(U64, copies),
	STREAM(U64, busy_ns), STREAM(U64, kernels_ns),
	STREAM(U64, span_ns), { 0 },
};

#define WORK(TYPE, member) STORE_FIELD(TYPE, struct run_work, member)
static const struct store_field work_fields[] = {
	WORK(U32, node), WORK(U32, device), WORK(U64, count), WORK(U64, ns),
	{ 0 },
};

#define GPU_RANK(TYPE, member) STORE_FIELD(TYPE, struct run_gpu_rank, member)
static const struct store_field gpu_rank_fields[] = {
	GPU_RANK(U32, rank),       GPU_RANK(U64, busy_ns),
	GPU_RANK(U64, before_ns),  GPU_RANK(U64, span_ns),
	GPU_RANK(U64, offload_ns), GPU_RANK(U64, late),
	GPU_RANK(U64, late_ns),    { 0 },
};

#define KNOWN(TYPE, member) STORE_FIELD(TYPE, struct run_gpu_known, member)
static const struct store_field known_fields[] = {
	KNOWN(U32, rank),
	KNOWN(U64, ns),
	{ 0 },
};

static void save_gpu(struct store *s, const struct run_gpu *g)
{
	if (g->known_count)
		store_put_table(s, "gpu/known", known_fields, g->known,
				sizeof(*g->known), g->known_count);
	if (!g->device_count)
		return;
	store_put_table(s, "gpu/devices", device_fields, g->devices,
			sizeof(*g->devices), g->device_count);
	store_put_table(s, "gpu/shares", share_fields, g->shares,
			sizeof(*g->shares), g->share_count);
	store_put_table(s, "gpu/streams", stream_fields, g->streams,
			sizeof(*g->streams), g->stream_count);
	store_put_table(s, "gpu/works", work_fields, g->works,
			sizeof(*g->works), g->work_count);
	store_put_table(s, "gpu/ranks", gpu_rank_fields, g->ranks,
			sizeof(*g->ranks), g->rank_count);
}

/* Most runs have none, and older databases. */
static void load_gpu(struct store *s, struct run_gpu *g)
{
	if (store_has(s, "gpu/known/rank"))
		g->known = store_get_table(s, "gpu/known", known_fields,
					   sizeof(*g->known), &g->known_count);
	if (!store_has(s, "gpu/devices/host"))
		return;
	g->devices = store_get_table(s, "gpu/devices", device_fields,
				     sizeof(*g->devices), &g->device_count);
	g->shares = store_get_table(s, "gpu/shares", share_fields,
				    sizeof(*g->shares), &g->share_count);
	g->streams = store_get_table(s, "gpu/streams", stream_fields,
				     sizeof(*g->streams), &g->stream_count);
	g->works = store_get_table(s, "gpu/works", work_fields,
				   sizeof(*g->works), &g->work_count);
	g->ranks = store_get_table(s, "gpu/ranks", gpu_rank_fields,
				   sizeof(*g->ranks), &g->rank_count);
}

static void check_gpu(struct store *s, const struct run *run)
{
	const struct run_gpu *g = &run->gpu;
	bool good = true;

	for (size_t i = 0; i < g->device_count && good; i++)
		good = g->devices[i].host < run->strings.count &&
		       g->devices[i].uuid < run->strings.count &&
		       g->devices[i].name < run->strings.count;
	for (size_t i = 0; i < g->share_count && good; i++)
		good = g->shares[i].device < g->device_count &&
		       g->shares[i].rank < run->rank_count &&
		       (!i || g->shares[i - 1].device <= g->shares[i].device);
	for (size_t i = 0; i < g->stream_count && good; i++)
		good = (g->streams[i].device < g->device_count ||
			g->streams[i].device == UINT32_MAX) &&
		       g->streams[i].rank < run->rank_count;
	for (size_t i = 0; i < g->work_count && good; i++)
		good = g->works[i].node < run->node_count &&
		       g->works[i].device < g->device_count;
	for (size_t i = 0; i < g->rank_count && good; i++)
		good = g->ranks[i].rank < run->rank_count;
	for (size_t i = 0; i < g->known_count && good; i++)
		good = g->known[i].rank < run->rank_count;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the GPUs");
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
	store_put_table(s, metric_path(name, m->name, "stats"), stat_fields,
			m->stats, sizeof(*m->stats), run->node_count);
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

int run_save(const struct run *run, const char *path)
{
	struct run_words words = {
		.command = str_at(&run->strings, run->command),
		.job = str_at(&run->strings, run->job),
		.copse_version = str_at(&run->strings, run->version),
		.mpi_library = str_at(&run->strings, run->mpi_library),
		.batch = run->batch,
		.world = run->world,
		.members = run->member_count,
	};
	struct store *s = NULL;
	int err = store_create_large(&s, path, FORMAT, VERSION);

	if (err)
		return err;
	store_put_record(s, "run", run_fields, &words);
	store_put_strings(s, "strings", run->strings.at, run->strings.count);
	store_put_table(s, "ranks", rank_fields, run->ranks,
			sizeof(*run->ranks), run->rank_count);
	for (size_t i = 0; i < BESIDES; i++)
		save_rank_table(s, run, &besides[i]);
	store_put_table(s, "nodes", node_fields, run->nodes,
			sizeof(*run->nodes), run->node_count);
	store_put_table(s, "losses", loss_fields, run->losses,
			sizeof(*run->losses), run->loss_count);
	store_put_table(s, "problems", problem_fields, run->problems,
			sizeof(*run->problems), run->problem_count);
	save_calls(s, &run->calls);
	save_waits(s, &run->waits);
	facts_file_put(s, &run->facts);
	save_gpu(s, &run->gpu);
	power_tables_put(s, &run->energy);
	save_metrics(s, run);
	return store_commit(s);
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

	store_get_record(s, "run", run_fields, &words);
	if (!store_error(s)) {
		run->command = str_add(&run->strings, words.command);
		run->job = str_add(&run->strings, words.job);
		run->version = str_add(&run->strings, words.copse_version);
		run->mpi_library = str_add(&run->strings, words.mpi_library);
		run->batch = words.batch;
		run->world = words.world;
		run->member_count = words.members;
	}
	free((char *)words.command);
	free((char *)words.job);
	free((char *)words.copse_version);
	free((char *)words.mpi_library);
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
			struct source_metric *source, bool plain)
{
	size_t stats = 0, firsts = 0;
	struct metric_group metric = { 0 };
	char name[METRIC_PATH_SIZE];

	metric_group_get(s, group, &metric);
	m->stats = store_get_table(s, metric_path(name, group, "stats"),
				   plain ? plain_stat_fields : stat_fields,
				   sizeof(*m->stats), &stats);
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
			    &run->source->metrics[i], *plain);
	free(names);
}

/* Depth first: the parent of a node is the one before, or above that. */
static bool is_in_order(const struct run *run, uint32_t node)
{
	uint32_t at = node - 1, parent = run->nodes[node].parent;

	while (at > parent)
		at = run->nodes[at].parent;
	return at == parent;
}

static bool is_named(const struct run *run, const struct run_node *node)
{
	return node->function < run->strings.count &&
	       node->module < run->strings.count &&
	       node->file < run->strings.count;
}

static void check_tree(struct store *s, const struct run *run)
{
	if (!run->node_count || run->nodes[0].kind != RUN_ROOT ||
	    run->nodes[0].parent || !is_named(run, &run->nodes[0]))
		store_fail(s, -EINVAL, "damaged: the tree has no root");
	for (uint32_t i = 1; i < run->node_count; i++)
		if (run->nodes[i].parent >= i || !is_in_order(run, i) ||
		    run->nodes[i].kind >= RUN_KINDS ||
		    !is_named(run, &run->nodes[i]) ||
		    run->nodes[i].kind == RUN_ROOT) {
			store_fail(s, -EINVAL, "damaged: node %u", i);
			return;
		}
	for (size_t i = 0; i < run->loss_count; i++)
		if (run->losses[i].rank >= run->rank_count)
			store_fail(s, -EINVAL, "damaged: loss %zu", i);
}

/* Members come first, and are ranks of the world, if there is one. */
static void check_ranks(struct store *s, const struct run *run)
{
	if (run->member_count > run->rank_count) {
		store_fail(s, -EINVAL, "damaged: more members than ranks");
		return;
	}
	for (size_t i = 0; i < run->member_count && run->world; i++)
		if ((uint32_t)run->ranks[i].rank >= run->world) {
			store_fail(s, -EINVAL, "damaged: rank %zu of %u", i,
				   run->world);
			return;
		}
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
	load_ranks(s, run);
	run->nodes = store_get_table(s, "nodes", node_fields,
				     sizeof(*run->nodes), &run->node_count);
	run->losses = store_get_table(s, "losses", loss_fields,
				      sizeof(*run->losses), &run->loss_count);
	run->problems =
		store_get_table(s, "problems", problem_fields,
				sizeof(*run->problems), &run->problem_count);
	load_calls(s, &run->calls);
	load_waits(s, &run->waits);
	facts_file_get(s, &run->facts);
	load_gpu(s, &run->gpu);
	power_tables_get(s, &run->energy);
	if (!store_error(s))
		check_tree(s, run);
	if (!store_error(s))
		check_ranks(s, run);
	if (!store_error(s))
		check_run_calls(s, run);
	if (!store_error(s))
		check_run_waits(s, run);
	if (!store_error(s))
		facts_file_check(s, run);
	if (!store_error(s))
		check_gpu(s, run);
	if (!store_error(s))
		power_tables_check(s, run);
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
	}
out:
	if (err)
		run_free(run);
	else
		*to = run;
	store_close(s);
	return err;
}
