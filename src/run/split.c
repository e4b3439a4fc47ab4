/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - what is exact is taken from the whole first, then samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "live/layout.h"
#include "run/run-build.h"
#include "run/split-bins.h"
#include "run/split.h"
#include "run/standstill.h"
#include "run/startup.h"
#include "run/values.h"

#define UNJOINED  0.05 /* of all operations may be lost */
#define NORMAL_95 1.96
#define IDLE      0.05 /* of its time, on a core: a thread only waited, … */
#define SMALL     0.02 /* … of the CPU time: a process is beside the others */
#define PER_PART  64   /* rows of paths, at first */

const struct split_name split_names[] = {
#define PART(id, name, title, meaning) { name, title, meaning },
#include "run/split.def"
#undef PART
};

bool split_knows_waits(const struct run *run)
{
	const struct run_joined *j = &run->waits.joined;
	double lost = (double)j->lacking + (double)j->disagreeing;

	return run->waits.rank_count == run->rank_count && j->instances &&
	       lost <= UNJOINED * (lost + (double)j->instances);
}

bool split_is_init(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return run->nodes[node].kind == RUN_MPI &&
	       (!strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread"));
}

/*
 * What is measured of each process, in nanoseconds, and the nodes that it is
 * of.  CPU time is by what it was for: the part that its node is of.
 */
enum quantity {
	CPU, /* SPLIT_PARTS of them */
	IN_MPI = CPU + SPLIT_PARTS,
	IN_FINALIZE,
	LATE_END, /* of it, for a rank that came later */
	IN_INIT,
	IN_LOCKS,     /* but OpenMP's, which are in the next one */
	IN_OMP_LOCKS, /* and critical sections */
	IN_GPU,
	IN_SETUP, /* in calls of CUDA that start it */
	QUANTITIES
};

enum thread_quantity {
	BEGUN_CPU,
	BEGUN_TIME, /* elapsed */
	BEGUN_SYNC, /* waits for conditions and the like */
	MEMBERS_CPU,
	MEMBERS_ELAPSED,
	MEMBERS_REGION,
	TEAM_WAIT,  /* of all threads */
	FIRST_IDLE, /* for other threads */
	THREAD_QUANTITIES
};

struct splitting {
	struct run *run;
	uint8_t *part_of;         /* by node: what its CPU time is for */
	uint8_t *startup;         /* the same: of what kind of start it is */
	double (*of)[QUANTITIES]; /* by process */
	double (*threads)[THREAD_QUANTITIES]; /* the same */
	double (*parts)[SPLIT_PARTS];         /* the same, as they come out */
	double (*low)[SPLIT_PARTS], (*high)[SPLIT_PARTS];
	struct standstill *ends; /* the same */
	double *late;            /* the same */
	double *late_share;      /* by frame: of its CPU time, others waited */
	double *at;              /* by node: a part's time */
	double want; /* of what processes were off a core, wanting one, … */
	size_t path_room; /* … or below 0: no count is known */
	struct value_buffer buffer;
};

/*
 * Nodes.
 */

static bool is_finalize(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_MPI &&
	       !strcmp(str_at(&run->strings, run->nodes[node].function),
		       "MPI_Finalize");
}

static bool is_below_mpi(const struct run *run, uint32_t node)
{
	while (node && run->nodes[node].kind != RUN_MPI)
		node = run->nodes[node].parent;
	return node;
}

/* Of a path that starts the program: the outermost call of CUDA there. */
static uint32_t call_of_start(const struct splitting *s, uint32_t node)
{
	uint32_t call = 0;

	for (; node && s->part_of[node] == SPLIT_START;
	     node = s->run->nodes[node].parent)
		if (s->run->nodes[node].kind == RUN_GPU_CALL)
			call = node;
	return call;
}

/* Its samples are in the time of a call that was measured. */
static bool is_in_timed_call(const struct splitting *s, uint32_t node)
{
	return s->part_of[node] == SPLIT_START &&
	       (is_below_mpi(s->run, node) || call_of_start(s, node));
}

/* It is in the times of regions, too. */
static bool is_omp_lock(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	return n->kind == RUN_LOCK &&
	       (n->detail == LOCK_CRITICAL || n->detail == LOCK_OMP_LOCK);
}

/* A call that waits for GPUs, for most of its time. */
static bool waits_for_gpus(const struct run *run, uint32_t node)
{
	const struct run_metric *sync = run_metric(run, "gpu.sync.time");
	const struct run_metric *time = run_metric(run, "gpu.calls.time");

	return run->nodes[node].kind == RUN_GPU_CALL && sync && time &&
	       sync->stats[node].sum > 0 &&
	       2 * sync->stats[node].sum >= time->stats[node].sum;
}

static enum split_part part_of_node(const struct splitting *s, uint32_t node)
{
	const struct run *run = s->run;
	const struct run_node *n = &run->nodes[node];
	enum split_part above = node ? s->part_of[n->parent] : SPLIT_WORK;

	if (above != SPLIT_WORK)
		return above;
	if (s->startup[node] != STARTUP_NONE)
		return SPLIT_START;
	if (n->kind == RUN_MPI)
		return split_is_init(run, node) || is_finalize(run, node)
			       ? SPLIT_START
			       : SPLIT_MPI;
	if (n->kind == RUN_OPENMP)
		return SPLIT_OPENMP;
	if (n->kind == RUN_LOCK)
		return SPLIT_THREADS;
	if (waits_for_gpus(run, node))
		return SPLIT_GPU;
	return SPLIT_WORK;
}

/*
 * Sums of processes.
 */

static int sum_split_metric(struct splitting *s, const char *name, int quantity)
{
	const struct run *run = s->run;
	const struct run_metric *m = run_metric(run, name);

	for (uint32_t n = 0; m && n < run->node_count; n++) {
		const struct run_value *values;
		int to = quantity;
		size_t count;
		int err = values_of_node(run, (size_t)(m - run->metrics), n,
					 &s->buffer, &values, &count);
		if (err)
			return err;
		if (quantity == CPU && is_in_timed_call(s, n))
			continue;
		if (quantity == IN_SETUP && call_of_start(s, n) != n)
			continue;
		if (quantity == CPU)
			to += s->part_of[n];
		else if (quantity == IN_MPI && split_is_init(run, n))
			to = IN_INIT;
		else if (quantity == IN_MPI && is_finalize(run, n))
			to = IN_FINALIZE;
		else if (quantity == IN_LOCKS && is_omp_lock(run, n))
			continue;
		for (size_t i = 0; i < count; i++)
			s->of[values[i].rank][to] += (double)values[i].value;
	}
	return 0;
}

static int sum_metrics(struct splitting *s)
{
	static const struct {
		const char *metric;
		int quantity;
	} sums[] = {
		{ "cpu.time", CPU },
		{ "mpi.time", IN_MPI },
		{ "lock.wait", IN_LOCKS },
		{ "gil.wait", IN_LOCKS },
		{ "omp.lock", IN_OMP_LOCKS },
		{ "gpu.sync.time", IN_GPU },
		{ "gpu.calls.time", IN_SETUP },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums) && !err; i++)
		err = sum_split_metric(s, sums[i].metric, sums[i].quantity);
	return err;
}

/* A rank that waits in MPI_Finalize for another does not end yet. */
static void sum_late_ends(struct splitting *s)
{
	const struct run_waits *w = &s->run->waits;

	for (size_t i = 0; split_knows_waits(s->run) && i < w->victim_count;
	     i++) {
		const struct run_cause_victim *v = &w->victims[i];
		double *of = s->of[v->rank];

		if (is_finalize(s->run, w->causes[v->cause].victim))
			of[LATE_END] =
				fmin(of[LATE_END] + v->ns, of[IN_FINALIZE]);
	}
}

/* Of threads that were begun those count that did not only wait. */
static void add_group(struct splitting *s, const struct run_thread_group *g)
{
	double *to = s->threads[g->rank], cpu = (double)g->cpu_ns;
	bool works = cpu >= IDLE * (double)g->elapsed_ns;

	if (g->kind == RUN_THREAD_PARALLEL)
		to[MEMBERS_CPU] += cpu;
	if (g->kind != RUN_THREAD_BEGUN)
		return;
	to[BEGUN_CPU] += cpu;
	to[BEGUN_TIME] += works ? fmax((double)g->elapsed_ns, cpu) : cpu;
	to[BEGUN_SYNC] += works ? (double)g->sync_ns : 0;
}

static void sum_split_threads(struct splitting *s)
{
	const struct run_threads *t = &s->run->threads;

	for (size_t i = 0; i < t->group_count; i++)
		add_group(s, &t->groups[i]);
	for (size_t i = 0; i < t->row_count; i++) {
		const struct run_thread *row = &t->rows[i];
		double *to = s->threads[row->rank];

		to[TEAM_WAIT] += (double)row->barrier_ns + (double)row->end_ns;
		if (row->member) {
			to[MEMBERS_ELAPSED] += (double)row->elapsed_ns;
			to[MEMBERS_REGION] += (double)row->region_ns;
		}
		if (!row->thread)
			to[FIRST_IDLE] += (double)row->idle_ns;
	}
}

/*
 * Parts of a process.
 */

struct split_left {
	double *part, *low, *high;
	double ns; /* of the whole, not taken yet */
};

static double take_from_left(struct split_left *left, enum split_part part,
			     double ns)
{
	double taken = fmin(fmax(ns, 0), left->ns);

	left->part[part] += taken;
	left->ns -= taken;
	return taken;
}

/* The first thread's time that is its own. */
static double first_elapsed(const struct run_rank *r, const double *threads)
{
	double elapsed = (double)r->elapsed_ns - (double)r->paused_ns;
	double stood_in = fmin(threads[FIRST_IDLE], threads[BEGUN_CPU]);

	return fmax(elapsed - stood_in, 0);
}

/* A team's threads count for all of their time, where it is known. */
static double team_time(const double *threads)
{
	return fmax(threads[MEMBERS_ELAPSED], threads[MEMBERS_CPU]);
}

/* What a call that never completed has of a sum. */
static double never_of(const struct splitting *s, size_t rank, double of,
		       bool is_it)
{
	return is_it ? fmin(s->ends[rank].never_ns, of) : 0;
}

/* It is in one of these calls alone; the rest of each stays. */
static double take_never(struct splitting *s, size_t rank,
			 struct split_left *left, double *in_mpi)
{
	uint32_t node = s->ends[rank].never_node;
	bool init = node && split_is_init(s->run, node);
	bool end = node && is_finalize(s->run, node);
	double *of = s->of[rank];
	double main = never_of(s, rank, *in_mpi, node && !init && !end);
	double in_init = never_of(s, rank, of[IN_INIT], init);
	double in_end = never_of(s, rank, of[IN_FINALIZE] - of[LATE_END], end);

	*in_mpi -= main;
	of[IN_INIT] -= in_init;
	of[IN_FINALIZE] -= in_end;
	s->ends[rank].never_ns = main + in_init + in_end;
	return take_from_left(left, SPLIT_NEVER, s->ends[rank].never_ns);
}

static void take_measured(struct split_left *left, const struct run_rank *r,
			  const double *of, const double *threads)
{
	double idle = fmax(threads[FIRST_IDLE] - threads[BEGUN_CPU], 0);
	double spun = of[CPU + SPLIT_OPENMP];
	double serial = threads[MEMBERS_ELAPSED] - threads[MEMBERS_REGION];

	take_from_left(left, SPLIT_START,
		       of[IN_INIT] + of[IN_FINALIZE] - of[LATE_END] +
			       of[IN_SETUP]);
	take_from_left(left, SPLIT_WAIT, of[LATE_END]);
	take_from_left(left, SPLIT_BLOCKED, (double)r->mpi_io_ns);
	take_from_left(left, SPLIT_OPENMP,
		       threads[TEAM_WAIT] > 0 ? threads[TEAM_WAIT] : spun);
	take_from_left(left, SPLIT_SERIAL, serial);
	take_from_left(left, SPLIT_GPU, of[IN_GPU]);
	take_from_left(
		left, SPLIT_THREADS,
		fmax(of[IN_LOCKS] + of[IN_OMP_LOCKS], of[CPU + SPLIT_THREADS]) +
			idle + threads[BEGUN_SYNC]);
}

/*
 * In MPI, and nobody was late: on a core as much as of all time in MPI; what
 * was not is of the network, unless the thread wanted a core.
 */
static void take_in_mpi(struct split_left *left, double waited, double others,
			double cpu, double wanted)
{
	double all = waited + others;
	double on = all > 0 ? fmin(cpu / all, 1) : 0;
	double off = others * (1 - on);
	double core = fmin(off, fmax(wanted, 0));

	take_from_left(left, SPLIT_WAIT, waited);
	take_from_left(left, SPLIT_MPI, others * on + fmax(cpu - all, 0));
	take_from_left(left, SPLIT_CORE, core);
	take_from_left(left, SPLIT_TRANSFER, off - core);
}

/*
 * A process whose count is not known wanted cores as the others did; so much
 * of what it was off them, below 0: none is known.
 */
static void take_uncounted(struct split_left *left, double want)
{
	static const enum split_part parts[] = { SPLIT_CORE, SPLIT_BLOCKED };
	double rest = left->ns;

	if (want < 0) {
		take_from_left(left, SPLIT_UNKNOWN, rest);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		left->low[parts[i]] = left->part[parts[i]];
		left->high[parts[i]] = left->part[parts[i]] + rest;
	}
	take_from_left(left, SPLIT_CORE, want * rest);
	take_from_left(left, SPLIT_BLOCKED, left->ns);
}

/* Off a core outside MPI; the kernel's count is of the first thread alone. */
static void take_off_core(struct split_left *left, double wanted,
			  double off_in_mpi, double threads, double want)
{
	double rest = left->ns;
	double most = fmin(wanted * threads, rest);
	double likely = fmin(fmax(wanted - off_in_mpi, 0) * threads, rest);
	double core = left->part[SPLIT_CORE], blocked;

	if (wanted < 0) { /* not known */
		take_uncounted(left, want);
		return;
	}
	take_from_left(left, SPLIT_CORE, likely);
	blocked = left->part[SPLIT_BLOCKED];
	take_from_left(left, SPLIT_BLOCKED, left->ns);
	left->low[SPLIT_CORE] = core + likely;
	left->high[SPLIT_CORE] = core + most;
	left->low[SPLIT_BLOCKED] = blocked + rest - most;
	left->high[SPLIT_BLOCKED] = blocked + rest - likely;
}

/* A share of samples is a proportion of as many draws. */
static void sampled_margin(struct split_left *left, enum split_part part,
			   double whole, double samples)
{
	double share = whole > 0 ? left->part[part] / whole : 0;
	double draws = fmax(samples, 1);
	double error = NORMAL_95 * whole * sqrt(share * (1 - share) / draws);

	left->low[part] = fmax(left->part[part] - error, 0);
	left->high[part] = fmin(left->part[part] + error, whole);
}

static void split_member(struct splitting *s, size_t rank)
{
	const struct run_rank *r = &s->run->ranks[rank];
	const double *of = s->of[rank], *threads = s->threads[rank];
	bool waits = split_knows_waits(s->run);
	double in_mpi = fmax((double)r->mpi_time_ns - of[IN_FINALIZE] -
				     (double)r->mpi_io_ns,
			     0);
	double first = first_elapsed(r, threads), all_mpi = in_mpi;
	double whole = first + team_time(threads) + threads[BEGUN_TIME];
	struct split_left left = { s->parts[rank], s->low[rank], s->high[rank],
				   whole };
	double missed = (double)r->process_cpu_ns - (double)r->cpu_ns;
	double never = take_never(s, rank, &left, &in_mpi);
	double wanted = (double)r->cores.waited_ns *
			(first > 0 ? fmax(1 - never / first, 0) : 1);
	double cpu = of[CPU + SPLIT_MPI] * (all_mpi > 0 ? in_mpi / all_mpi : 1);
	double waited =
		waits ? fmin(s->run->waits.ranks[rank].main_ns - of[LATE_END],
			     in_mpi)
		      : 0;

	take_measured(&left, r, of, threads);
	take_in_mpi(&left, waited, in_mpi - waited, cpu,
		    r->cores.count ? wanted : 0);
	take_from_left(&left, SPLIT_WORK, of[CPU + SPLIT_WORK]);
	take_from_left(&left, SPLIT_START, of[CPU + SPLIT_START]);
	take_from_left(&left, SPLIT_UNKNOWN, missed);
	for (size_t p = 0; p < SPLIT_PARTS; p++)
		left.low[p] = left.high[p] = left.part[p];
	sampled_margin(&left, SPLIT_WORK, whole, (double)r->samples);
	take_off_core(&left, r->cores.count ? wanted : -1,
		      fmax(in_mpi - cpu, 0), fmax(whole / fmax(first, 1), 1),
		      s->want);
	if (!waits && run_has_mpi(s->run)) {
		left.high[SPLIT_WAIT] = in_mpi;
		left.low[SPLIT_MPI] = left.low[SPLIT_TRANSFER] = 0;
	}
}

/* Processes that are no members have CPU time alone. */
static void split_other(struct splitting *s, size_t rank)
{
	s->ends[rank].never_ns = 0;
	for (size_t p = 0; p < SPLIT_PARTS; p++)
		s->parts[rank][p] = s->low[rank][p] = s->high[rank][p] =
			s->of[rank][CPU + p];
}

/*
 * The CPU time of a member that counts: without MPI, what scripts start beside
 * the work is not what is waited for.
 */
static double least_cpu(const struct run *run)
{
	double all = 0, most = 0;

	for (size_t i = 0; i < run->member_count; i++) {
		all += (double)run->ranks[i].cpu_ns;
		most = fmax(most, (double)run->ranks[i].cpu_ns);
	}
	return run->world ? 0 : fmin(SMALL * all, most);
}

/* Of processes that were counted. */
static double share_wanting(const struct run *run)
{
	double wanted = 0, off = 0;

	for (size_t i = 0; i < run->member_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		double time = (double)r->elapsed_ns - (double)r->paused_ns;

		if (!r->cores.count)
			continue;
		wanted += (double)r->cores.waited_ns;
		off += fmax(time - (double)r->cpu_ns, 0);
	}
	return off > 0 ? fmin(wanted / off, 1) : -1;
}

static void split_processes(struct splitting *s)
{
	const struct run *run = s->run;
	double least = least_cpu(run);

	s->want = share_wanting(run);

	for (size_t r = 0; r < run->rank_count; r++)
		if (r < run->member_count &&
		    (double)run->ranks[r].cpu_ns >= least)
			split_member(s, r);
		else
			split_other(s, r);
}

/*
 * Work while others waited.
 */

/* The longest that one rank waited for this cause: so long it was late. */
static double longest_victim(const struct run_waits *w, size_t cause,
			     size_t *next)
{
	double most = 0;

	while (*next < w->victim_count && w->victims[*next].cause < cause)
		++*next;
	for (size_t v = *next; v < w->victim_count; v++) {
		if (w->victims[v].cause != cause)
			break;
		most = fmax(most, w->victims[v].ns);
	}
	return most;
}

/* Of a cause's time, what its culprit worked; where, in s->late_share. */
static double late_work(struct splitting *s, size_t cause, size_t *next,
			double longest)
{
	const struct run_waits *w = &s->run->waits;
	double share = w->causes[cause].ns > 0
			       ? fmin(longest / w->causes[cause].ns, 1)
			       : 0;
	double sum = 0;

	while (*next < w->context_count && w->contexts[*next].cause < cause)
		++*next;
	for (size_t i = *next; i < w->context_count; i++) {
		const struct run_cause_context *c = &w->contexts[i];

		if (c->cause != cause)
			break;
		if (c->flags || s->part_of[c->node] != SPLIT_WORK)
			continue;
		s->late_share[run_frame(s->run, c->node)] += share * c->ns;
		sum += share * c->ns;
	}
	return sum;
}

/*
 * Of the CPU time of a frame so much was while others waited: what is known of
 * the frame holds for each of its lines.
 */
static void share_late(struct splitting *s)
{
	const struct run *run = s->run;
	const struct run_metric *cpu = run_metric(run, "cpu.time");
	double *all = s->at;

	for (uint32_t n = 0; cpu && n < run->node_count; n++)
		all[run_frame(run, n)] += cpu->stats[n].sum;
	for (uint32_t n = 0; n < run->node_count; n++)
		s->late_share[n] =
			all[n] > 0 ? fmin(s->late_share[n] / all[n], 1) : 0;
}

/* Seconds by process and by frame; the latter become shares. */
static void find_late(struct splitting *s)
{
	const struct run_waits *w = &s->run->waits;
	size_t victim = 0, context = 0;

	for (size_t i = 0; split_knows_waits(s->run) && i < w->cause_count;
	     i++) {
		uint32_t culprit = w->causes[i].culprit;
		double longest = longest_victim(w, i, &victim);
		double ns = late_work(s, i, &context, longest);

		if (culprit < s->run->rank_count)
			s->late[culprit] += ns;
	}
	share_late(s);
}

static void split_alone(struct splitting *s)
{
	find_late(s);
	for (size_t r = 0; r < s->run->rank_count; r++) {
		double *part = s->parts[r], *low = s->low[r];
		double alone = fmin(s->late[r], part[SPLIT_WORK]);

		part[SPLIT_WORK] -= alone;
		low[SPLIT_WORK] = fmax(low[SPLIT_WORK] - alone, 0);
		s->high[r][SPLIT_WORK] -= alone;
		part[SPLIT_ALONE] = low[SPLIT_ALONE] = alone;
		s->high[r][SPLIT_ALONE] = alone;
	}
}

/*
 * Rows.
 */

static int put_split_ranks(struct splitting *s, uint64_t *totals)
{
	struct run_split *to = &s->run->split;
	size_t most = s->run->rank_count * SPLIT_PARTS;

	to->ranks = calloc(most + 1, sizeof(*to->ranks));
	for (uint32_t r = 0; to->ranks && r < s->run->rank_count; r++) {
		struct rounding sum = { 0 };

		for (uint32_t p = 0; p < SPLIT_PARTS; p++) {
			uint64_t ns = split_rounding_next(&sum, s->parts[r][p]);
			uint64_t low = (uint64_t)s->low[r][p];
			uint64_t high = (uint64_t)s->high[r][p];

			totals[p] += ns;
			if (ns || high)
				to->ranks[to->rank_count++] =
					(struct run_split_rank){
						r, p, ns, low < ns ? low : ns,
						high > ns ? high : ns
					};
		}
	}
	return to->ranks ? 0 : no_memory();
}

static int put_split_path(struct splitting *s, uint32_t part, uint32_t node,
			  uint64_t ns)
{
	struct run_split *to = &s->run->split;

	if (!ns)
		return 0;
	if (to->path_count == s->path_room) {
		size_t room = s->path_room ? 2 * s->path_room : PER_PART;
		void *at = reallocarray(to->paths, room, sizeof(*to->paths));

		if (!at)
			return no_memory();
		to->paths = at;
		s->path_room = room;
	}
	to->paths[to->path_count++] = (struct run_split_path){ part, node, ns };
	return 0;
}

static double sum_over_nodes(const struct splitting *s)
{
	double sum = 0;

	for (size_t n = 0; n < s->run->node_count; n++)
		sum += s->at[n];
	return sum;
}

/* s->at[], made as much as the part has; what has no node is the root's. */
static int put_split_paths(struct splitting *s, uint32_t part, uint64_t total)
{
	double sum = sum_over_nodes(s);
	bool rest = part == SPLIT_BLOCKED && sum < (double)total;
	double scale = sum > 0 && !rest ? (double)total / sum : 1;
	struct rounding rounding = { 0 };
	uint64_t known = 0;
	int err = 0;

	/* Those behind the root first: the rest is its own. */
	for (uint32_t n = 1; n < s->run->node_count; n++)
		known += split_rounding_next(&rounding, scale * s->at[n]);
	if (known > total)
		known = total;
	err = put_split_path(s, part, 0, total - known);
	rounding = (struct rounding){ 0 };
	for (uint32_t n = 1; n < s->run->node_count && known && !err; n++) {
		uint64_t ns = split_rounding_next(&rounding, scale * s->at[n]);

		ns = ns < known ? ns : known;
		known -= ns;
		err = put_split_path(s, part, n, ns);
	}
	return err;
}

static void add_metric_at(struct splitting *s, const char *name, int part)
{
	const struct run_metric *m = run_metric(s->run, name);

	for (uint32_t n = 0; m && n < s->run->node_count; n++)
		if (part < 0 || s->part_of[n] == part)
			s->at[n] += m->stats[n].sum;
}

static void add_waits_at(struct splitting *s, double by)
{
	const struct run_waits *w = &s->run->waits;

	for (size_t i = 0; i < w->cause_count; i++)
		s->at[w->causes[i].victim] += by * w->causes[i].ns;
}

static void put_work_at_nodes(struct splitting *s, bool alone)
{
	const struct run *run = s->run;
	const struct run_metric *cpu = run_metric(run, "cpu.time");

	for (uint32_t n = 0; cpu && n < run->node_count; n++) {
		double late = s->late_share[run_frame(run, n)];

		late = alone ? late : 1 - late;
		if (s->part_of[n] == SPLIT_WORK)
			s->at[n] = late * cpu->stats[n].sum;
	}
}

static void add_never_at(struct splitting *s, double by)
{
	for (size_t r = 0; r < s->run->member_count; r++)
		s->at[s->ends[r].never_node] += by * s->ends[r].never_ns;
}

/* In MPI, but for its functions for files, and nobody was late. */
static void put_mpi_at_nodes(struct splitting *s)
{
	add_metric_at(s, "mpi.time", SPLIT_MPI);
	add_never_at(s, -1);
	if (split_knows_waits(s->run))
		add_waits_at(s, -1);
	for (uint32_t n = 0; n < s->run->node_count; n++)
		if (s->run->nodes[n].detail == LIVE_MPI_IO || s->at[n] < 0)
			s->at[n] = 0;
}

static bool sampled_elapsed(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].wall == LIVE_WALL_SAMPLED)
			return true;
	return false;
}

/* Blocked outside MPI is known where elapsed time was sampled. */
static void put_blocked_at_nodes(struct splitting *s)
{
	const struct run_metric *wall = run_metric(s->run, "wall.time");
	const struct run_metric *cpu = run_metric(s->run, "cpu.time");
	const struct run_metric *mpi = run_metric(s->run, "mpi.time");
	bool blocked = sampled_elapsed(s->run);

	for (uint32_t n = 1; n < s->run->node_count; n++) {
		const struct run_node *node = &s->run->nodes[n];

		if (mpi && node->kind == RUN_MPI && node->detail == LIVE_MPI_IO)
			s->at[n] = mpi->stats[n].sum;
		else if (wall && cpu && blocked && s->part_of[n] == SPLIT_WORK)
			s->at[n] =
				fmax(wall->stats[n].sum - cpu->stats[n].sum, 0);
	}
}

static void put_start_at_nodes(struct splitting *s)
{
	const struct run_metric *cpu = run_metric(s->run, "cpu.time");
	const struct run_metric *mpi = run_metric(s->run, "mpi.time");
	const struct run_metric *calls = run_metric(s->run, "gpu.calls.time");

	for (uint32_t n = 0; n < s->run->node_count; n++) {
		bool is_mpi = s->run->nodes[n].kind == RUN_MPI;
		bool is_call = n && call_of_start(s, n) == n;
		const struct run_metric *m = is_mpi    ? mpi
					     : is_call ? calls
						       : cpu;

		if (m && s->part_of[n] == SPLIT_START &&
		    (is_mpi || is_call || !is_in_timed_call(s, n)))
			s->at[n] += m->stats[n].sum;
		s->at[n] = fmax(s->at[n], 0);
	}
}

static void put_part_at_nodes(struct splitting *s, uint32_t part)
{
	switch (part) {
	case SPLIT_WORK:
	case SPLIT_ALONE:
		put_work_at_nodes(s, part == SPLIT_ALONE);
		break;
	case SPLIT_WAIT:
		add_waits_at(s, 1);
		break;
	case SPLIT_MPI:
	case SPLIT_TRANSFER:
		put_mpi_at_nodes(s);
		break;
	case SPLIT_BLOCKED:
		put_blocked_at_nodes(s);
		break;
	case SPLIT_OPENMP:
		add_metric_at(s, "omp.barrier", -1);
		add_metric_at(s, "omp.lock", -1);
		add_metric_at(s, "omp.late", -1);
		break;
	case SPLIT_THREADS:
		add_metric_at(s, "lock.wait", -1);
		add_metric_at(s, "gil.wait", -1);
		break;
	case SPLIT_GPU:
		add_metric_at(s, "gpu.sync.time", -1);
		break;
	case SPLIT_START:
		if (split_knows_waits(s->run))
			add_waits_at(s, -1);
		add_never_at(s, -1);
		put_start_at_nodes(s);
		break;
	case SPLIT_NEVER:
		add_never_at(s, 1);
		break;
	default:
		break;
	}
}

static int split_rows(struct splitting *s)
{
	uint64_t totals[SPLIT_PARTS] = { 0 };
	int err = put_split_ranks(s, totals);

	for (uint32_t p = 0; p < SPLIT_PARTS && !err; p++) {
		memset(s->at, 0, s->run->node_count * sizeof(*s->at));
		put_part_at_nodes(s, p);
		err = totals[p] ? put_split_paths(s, p, totals[p]) : 0;
	}
	return err;
}

static int splitting_init(struct splitting *s, struct run *run)
{
	size_t ranks = run->rank_count + 1, nodes = run->node_count + 1;

	*s = (struct splitting){
		.run = run,
		.part_of = calloc(nodes, sizeof(*s->part_of)),
		.startup = startup_nodes(run),
		.of = calloc(ranks, sizeof(*s->of)),
		.threads = calloc(ranks, sizeof(*s->threads)),
		.parts = calloc(ranks, sizeof(*s->parts)),
		.low = calloc(ranks, sizeof(*s->low)),
		.high = calloc(ranks, sizeof(*s->high)),
		.ends = standstill_of(run),
		.late = calloc(ranks, sizeof(*s->late)),
		.late_share = calloc(nodes, sizeof(*s->late_share)),
		.at = calloc(nodes, sizeof(*s->at)),
	};
	if (!s->part_of || !s->startup || !s->of || !s->threads || !s->parts ||
	    !s->low || !s->high || !s->ends || !s->late || !s->late_share ||
	    !s->at)
		return no_memory();
	for (uint32_t n = 0; n < run->node_count; n++)
		s->part_of[n] = (uint8_t)part_of_node(s, n);
	return 0;
}

static void splitting_fini(struct splitting *s)
{
	value_buffer_fini(&s->buffer);
	free(s->part_of);
	free(s->startup);
	free(s->of);
	free(s->threads);
	free(s->parts);
	free(s->low);
	free(s->high);
	free(s->ends);
	free(s->late);
	free(s->late_share);
	free(s->at);
}

int split_make(struct run *run)
{
	struct splitting s;
	int err;

	if (run->split.rank_count)
		return 0;
	err = splitting_init(&s, run);
	if (!err)
		err = sum_metrics(&s);
	if (!err) {
		sum_late_ends(&s);
		sum_split_threads(&s);
		split_processes(&s);
		split_alone(&s);
		err = split_rows(&s);
	}
	if (!err)
		err = split_bins_make(run, s.part_of);
	splitting_fini(&s);
	return err;
}
