/* SPDX-License-Identifier: BSD-3-Clause */
/* run-check.c - a run that was read: every index in its tables leads somewhere.
 */
#include <errno.h>

#include "live/layout.h"
#include "run/run-build.h"
#include "run/split.h"
#include "profile/store/store.h"

/* Indices of a row must lead somewhere. */
#define TABLE(record, ...)                                                     \
	static inline bool record##_good(const struct run *run,                \
					 const struct record *row)             \
	{                                                                      \
		(void)run;                                                     \
		(void)row;                                                     \
		return true
#define RECORD                  TABLE
#define INDEX(count, name, ...) &&row->name < (count)
#define ADDED_INDEX             INDEX
#define STRING(name, ...)       &&row->name < run->strings.count
#define END_TABLE                                                              \
	;                                                                      \
	}
#include "run/run.def"

#define GROUP(record)                                                          \
	static bool record##_good(const struct run *run,                       \
				  const struct record *of)                     \
	{                                                                      \
		bool good = true;
#define TABLE(record, array, number, ...)                                      \
	for (size_t i = 0; i < of->number && good; i++)                        \
		good = record##_good(run, &of->array[i]);
#define END_GROUP                                                              \
	return good;                                                           \
	}
#include "run/run.def"

/* Depth first: the parent of a node is the one before, or above that. */
static bool is_in_order(const struct run *run, uint32_t node)
{
	uint32_t at = node - 1, parent = run->nodes[node].parent;

	while (at > parent)
		at = run->nodes[at].parent;
	return at == parent;
}

static void check_tree(struct store *s, const struct run *run)
{
	if (!run->node_count || run->nodes[0].kind != RUN_ROOT ||
	    run->nodes[0].parent || !run_node_good(run, &run->nodes[0]))
		store_fail(s, -EINVAL, "damaged: the tree has no root");
	for (uint32_t i = 1; i < run->node_count; i++)
		if (run->nodes[i].parent >= i || !is_in_order(run, i) ||
		    run->nodes[i].kind >= RUN_KINDS ||
		    !run_node_good(run, &run->nodes[i]) ||
		    run->nodes[i].kind == RUN_ROOT) {
			store_fail(s, -EINVAL, "damaged: node %u", i);
			return;
		}
	for (size_t i = 0; i < run->loss_count; i++)
		if (!run_loss_good(run, &run->losses[i]))
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

static void check_run_calls(struct store *s, const struct run *run)
{
	const struct run_calls *c = &run->calls;
	bool good = run_calls_good(run, c) && c->peer_block > 0;

	for (size_t i = 0; i < c->site_count && good; i++)
		good = (!i || c->sites[i - 1].node < c->sites[i].node) &&
		       (c->sites[i].comm < c->comm_count ||
			c->sites[i].comm >= RUN_SEVERAL_COMMS);
	for (size_t i = 0; i < c->size_count && good; i++)
		good = c->sizes[i].class < 64 &&
		       (!i || c->sizes[i - 1].node <= c->sizes[i].node);
	for (size_t i = 0; i < c->peer_count && good; i++)
		good = !i || c->peers[i - 1].rank <= c->peers[i].rank;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the MPI calls");
}

/* Nothing else is known of causes that are not distinguished. */
static bool is_known_cause(const struct run_waits *w, uint32_t cause)
{
	return w->causes[cause].culprit != WAIT_OTHERS;
}

/* In a call, on an axis that is there, in the order of rank, thread, time. */
static bool is_good_operation(const struct run_operation *o, size_t i,
			      const struct run *run)
{
	const struct run_operation *at = &o[i], *before = i ? &o[i - 1] : at;

	return run->timeline.axis_count && at->begin_ns <= at->leave_ns &&
	       at->enter_ns <= at->leave_ns && at->leave_ns <= INT64_MAX &&
	       at->kind < LIVE_EVENT_KINDS &&
	       (at->culprit < run->rank_count || at->culprit == WAIT_OTHERS) &&
	       (before->rank != at->rank ? before->rank < at->rank
		: before->thread != at->thread
			? before->thread < at->thread
			: before->enter_ns <= at->enter_ns);
}

/* Every index leads somewhere; what belongs to a cause stands together. */
static void check_run_waits(struct store *s, const struct run *run)
{
	const struct run_waits *w = &run->waits;
	bool good = run_waits_good(run, w) && w->rank_count == run->rank_count;

	for (size_t i = 0; i < w->cause_count && good; i++)
		good = w->causes[i].kind < WAIT_KINDS &&
		       (w->causes[i].culprit < run->rank_count ||
			w->causes[i].culprit == WAIT_OTHERS);
	for (size_t i = 0; i < w->context_count && good; i++)
		good = is_known_cause(w, w->contexts[i].cause) &&
		       (!i || w->contexts[i - 1].cause <= w->contexts[i].cause);
	for (size_t i = 0; i < w->victim_count && good; i++)
		good = is_known_cause(w, w->victims[i].cause) &&
		       (!i || w->victims[i - 1].cause <= w->victims[i].cause);
	for (size_t i = 0; i < w->operation_count && good; i++)
		good = is_good_operation(w->operations, i, run);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the wait states");
}

/* Cells of rows follow each other, within the axis. */
static void check_timeline(struct store *s, const struct run *run)
{
	const struct run_timeline *t = &run->timeline;
	bool good = run_timeline_good(run, t) &&
		    t->axis_count == (t->row_count > 0);
	size_t next = 0;

	for (size_t i = 0; i < t->row_count && good; i++) {
		const struct run_time_row *row = &t->rows[i];

		good = row->kind < RUN_TIME_KINDS && row->first == next &&
		       row->first_bin <= t->axes->bins &&
		       row->cells <= t->axes->bins - row->first_bin;
		next += row->cells;
	}
	if (!good || next != t->cell_count ||
	    (t->axis_count && (!t->axes->bins || !t->axes->width_ns ||
			       t->axes->width_ns > INT64_MAX / t->axes->bins)))
		store_fail(s, -EINVAL, "damaged: the timeline");
}

static void check_iterations(struct store *s, const struct run *run)
{
	const struct run_iterations *t = &run->iterations;
	bool good = run_iterations_good(run, t) && t->step_count <= 1 &&
		    (t->step_count || !t->rank_count);
	size_t next = 0;

	for (size_t i = 0; i < t->rank_count && good; i++) {
		good = t->ranks[i].first == next &&
		       t->ranks[i].count <= t->row_count - next;
		next += t->ranks[i].count;
	}
	for (size_t i = 0; i < t->step_count && good; i++)
		good = t->steps[i].per && t->steps[i].each;
	if (!good || next != t->row_count)
		store_fail(s, -EINVAL, "damaged: the iterations");
}

/* Those of a rank are adjacent. */
static void check_threads(struct store *s, const struct run *run)
{
	const struct run_threads *t = &run->threads;
	bool good = run_threads_good(run, t);

	for (size_t i = 1; i < t->row_count && good; i++)
		good = t->rows[i - 1].rank <= t->rows[i].rank;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the threads");
}

static void check_ends(struct store *s, const struct run *run)
{
	if (!run_ends_good(run, &run->ends))
		store_fail(s, -EINVAL, "damaged: the last calls");
}

/* Those of a rank are adjacent, in the order of time. */
static void check_memory(struct store *s, const struct run *run)
{
	const struct run_memory *m = &run->memory;
	bool good = run_memory_good(run, m);

	for (size_t i = 1; i < m->rank_count && good; i++)
		good = m->ranks[i - 1].rank < m->ranks[i].rank;
	for (size_t i = 1; i < m->reading_count && good; i++)
		good = m->readings[i - 1].rank < m->readings[i].rank ||
		       (m->readings[i - 1].rank == m->readings[i].rank &&
			m->readings[i - 1].ns <= m->readings[i].ns);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the memory of processes");
}

/* Those of a rank, or a part, are adjacent. */
static void check_split(struct store *s, const struct run *run)
{
	const struct run_split *p = &run->split;
	const struct run_timeline *line = &run->timeline;
	uint32_t bins = line->axis_count ? line->axes->bins : 0;
	bool good = run_split_good(run, p);

	for (size_t i = 1; i < p->rank_count && good; i++)
		good = p->ranks[i - 1].rank <= p->ranks[i].rank;
	for (size_t i = 0; i < p->rank_count && good; i++)
		good = p->ranks[i].low_ns <= p->ranks[i].ns &&
		       p->ranks[i].ns <= p->ranks[i].high_ns;
	for (size_t i = 1; i < p->path_count && good; i++)
		good = p->paths[i - 1].part <= p->paths[i].part;
	for (size_t i = 0; i < p->bin_count && good; i++)
		good = p->bins[i].bin < bins;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the split");
}

static void check_facts(struct store *s, const struct run *run)
{
	const struct run_facts *g = &run->facts;
	bool good = run_facts_good(run, g);

	for (size_t i = 0; i < g->bin_count && good; i++)
		good = !i || g->bins[i - 1].holder <= g->bins[i].holder;
	for (size_t i = 0; i < g->held_count && good; i++)
		good = g->held[i].kind < LIVE_MEMORY_KINDS;
	for (size_t i = 0; i < g->unified_count && good; i++)
		good = g->unified[i].kind < LIVE_UNIFIED_KINDS;
	for (size_t i = 0; i < g->shape_count && good; i++)
		good = g->shapes[i].model < g->model_count ||
		       g->shapes[i].model == RUN_NO_MODEL;
	if (!good)
		store_fail(s, -EINVAL, "damaged: what it has of GPUs");
}

static void check_io(struct store *s, const struct run *run)
{
	const struct run_io *io = &run->io;
	bool good = run_io_good(run, io);

	for (size_t i = 0; i < io->file_count && good; i++)
		good = io->files[i].kind <= LIVE_FILE_OTHERS;
	for (size_t i = 0; i < io->bin_count && good; i++)
		good = io->bins[i].width_ns > 0;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the files");
}

static void check_gpu(struct store *s, const struct run *run)
{
	const struct run_gpu *g = &run->gpu;
	bool good = run_gpu_good(run, g);

	for (size_t i = 0; i < g->share_count && good; i++)
		good = !i || g->shares[i - 1].device <= g->shares[i].device;
	for (size_t i = 0; i < g->stream_count && good; i++)
		good = g->streams[i].device < g->device_count ||
		       g->streams[i].device == UINT32_MAX;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the GPUs");
}

static void check_device_calls(struct store *s, const struct run *run)
{
	const struct run_collectives *c = &run->collectives;
	bool good = run_collectives_good(run, c);

	for (size_t i = 0; i < c->row_count && good; i++)
		good = c->rows[i].function < LIVE_COLLECTIVES;
	if (!good)
		store_fail(s, -EINVAL, "damaged: collective calls of GPUs");
}

/* The rows of a table are sorted by rank, then start, and end some time. */
#define SLICES_GOOD(at, count)                                                 \
	for (size_t i = 0; i < (count) && good; i++)                           \
	good = (at)[i].start_ns <= INT64_MAX &&                                \
	       (at)[i].ns <= INT64_MAX - (at)[i].start_ns &&                   \
	       (!i || (at)[i - 1].rank < (at)[i].rank ||                       \
		((at)[i - 1].rank == (at)[i].rank &&                           \
		 (at)[i - 1].start_ns <= (at)[i].start_ns))

static void check_run_slices(struct store *s, const struct run *run)
{
	const struct run_slices *t = &run->slices;
	bool good = run_slices_good(run, t) && t->axis_count <= 1 &&
		    (t->axis_count || !t->window_count);

	for (size_t i = 1; i < t->window_count && good; i++)
		good = t->windows[i - 1].rank < t->windows[i].rank;
	for (size_t i = 0; i < t->work_count && good; i++)
		good = t->work[i].kind < LIVE_GPU_IDLE &&
		       t->work[i].function < LIVE_COLLECTIVES;
	SLICES_GOOD(t->work, t->work_count);
	SLICES_GOOD(t->calls, t->call_count);
	SLICES_GOOD(t->ranges, t->range_count);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the trace of GPUs");
}

#undef SLICES_GOOD

static void check_power(struct store *s, const struct run *run)
{
	const struct run_energy *e = &run->energy;
	bool good =
		run_energy_good(run, e) &&
		(!e->device_count || e->device_count == run->gpu.device_count);

	for (size_t i = 0; i < e->power_count && good; i++)
		good = e->powers[i].rank < run->rank_count &&
		       e->powers[i].width_ns < INT64_MAX / RUN_POWER_BINS;
	for (size_t i = 0; i < e->bin_count && good; i++)
		good = e->bins[i].bin < RUN_POWER_BINS;
	for (size_t i = 0; i < e->device_count && good; i++)
		good = e->devices[i].power < e->power_count ||
		       e->devices[i].power == RUN_NO_POWER;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the energy of GPUs");
}

void run_check(struct store *s, const struct run *run)
{
	static void (*const checks[])(struct store * s,
				      const struct run *run) = {
		check_tree,      check_ranks,        check_run_calls,
		check_run_waits, check_timeline,     check_iterations,
		check_threads,   check_io,           check_facts,
		check_gpu,       check_device_calls, check_run_slices,
		check_power,     check_split,        check_ends,
		check_memory,
	};

	for (size_t i = 0;
	     i < sizeof(checks) / sizeof(checks[0]) && !store_error(s); i++)
		checks[i](s, run);
}
