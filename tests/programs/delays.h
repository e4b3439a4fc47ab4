/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delays.h - what the patterns of delays.c share: who is late, where and by how
 * much (the plan); work that takes a known time; stamps of when calls were
 * begun, entered and left; and what these say of who waited for whom.
 *
 * Times are of CLOCK_REALTIME: it is the same for all processes of a machine,
 * even of emulated hosts whose CLOCK_MONOTONIC differ, and it is not the
 * clock that a profiler reads.
 */
#pragma once

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "known.h"

#define SLOTS 2 /* calls of one iteration in which somebody may wait */
#define LANES 2 /* threads with a communicator of their own */

struct stamp {
	double begin;        /* others wait for this: the operation was begun */
	double enter, leave; /* of the call that waits */
};

/* One thread that calls MPI: what it does it on, and what it saw. */
struct lane {
	MPI_Comm comm;
	MPI_Win win; /* if the pattern wants one, of `in` */
	pthread_t thread;
	int number;
	struct stamp *stamps; /* [SLOTS][iterations] */
};

struct pattern {
	const char *name;
	const char *kind;   /* of waiting */
	const char *caller; /* the function that calls MPI after the delay */
	void (*step)(struct lane *lane, int i);
	bool (*waits)(int slot, int victim, int other);
	bool (*may_be_late)(int rank);
	unsigned flags;
};

enum {
	/*
	 * Who waited is late for the next ones then: whatever anybody waits is
	 * the culprit's doing.  Otherwise all that do not wait stay in step
	 * with those that do.
	 */
	SPREADS = 1,
	TASKS = 2,     /* two calls: rank 0 hands out, the others answer */
	THREADED = 4,  /* LANES threads that call MPI, of which one is late */
	ONE_SIDED = 8, /* a window */
	TOPOLOGY = 16  /* a communicator of ranks in a line */
};

/* The same in all processes: drawn from the seed. */
static struct plan {
	const struct pattern *pattern;
	long seed;
	int ranks, rank, iterations;
	double step;     /* seconds of work in each iteration, for all */
	double lateness; /* mean of the delays, before it is drawn */
	double busy;     /* seconds of `step` that use a core */
	int culprit, lane, root;
	bool balanced, asleep, helped;
	int place;
	double *delays; /* of each iteration */
	double origin;  /* when the first iteration begins */
	double *due;  /* of each, when this process's work is to be done, … */
	double *from; /* … and the delay to begin; from the origin on */
	double *waits; /* [SLOTS][ranks][iterations]: as it has to come */
} plan;

static inline bool has(unsigned flag)
{
	return plan.pattern->flags & flag;
}

static inline int lane_count(void)
{
	return has(THREADED) ? LANES : 1;
}

/* The call before it is no jump: the function stays on the stack. */
#define STAY __asm__ volatile("")

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void sleep_until(double when)
{
	struct timespec t = { .tv_sec = (time_t)when };

	t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

static KEPT void lend_hand(const double *until)
{
	while (now() < *until)
		known_work();
}

static inline void *helper(void *until)
{
	lend_hand(until);
	return NULL;
}

/* Another thread works meanwhile, as where OpenMP's others are late. */
static inline void wait_for_helper(double until)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, helper, &until) == 0)
		pthread_join(thread, NULL);
}

/* In the very function that it stands in. */
#define linger_until(when)                                                     \
	do {                                                                   \
		if (plan.helped)                                               \
			wait_for_helper(when);                                 \
		if (plan.asleep)                                               \
			sleep_until(when);                                     \
		while (now() < (when))                                         \
			known_work();                                          \
	} while (0)

/* What a culprit is late with. */
static KEPT void element_loop(double until)
{
	linger_until(until);
}

static KEPT void assemble(double until)
{
	element_loop(until);
	STAY;
}

static KEPT void precondition(double until)
{
	linger_until(until);
}

static KEPT void solve(double until)
{
	precondition(until);
	STAY;
}

static KEPT void write_output(double until)
{
	linger_until(until);
}

static const struct {
	const char *path; /* the innermost first */
	void (*enter)(double until);
} places[] = {
	{ "element_loop,assemble", assemble },
	{ "precondition,solve", solve },
	{ "write_output", write_output },
};
#define PLACES (sizeof(places) / sizeof(places[0]))

/*
 * Everybody's work: little of it uses a core, so that the processes do not wait
 * for cores where there are fewer, and it ends when it is due, however long a
 * core was waited for.
 */
static KEPT void advance(double until)
{
	double start = cpu_seconds();

	while (cpu_seconds() - start < plan.busy && now() < until)
		known_work();
	sleep_until(until);
}

static inline double *wait_planned(int slot, int rank, int i)
{
	return &plan.waits[(slot * plan.ranks + rank) * plan.iterations + i];
}

/* Until when each rank is in its call, when they came to it at these times. */
static inline void plan_call(int slot, int i, const double *came, double *left)
{
	for (int v = 0; v < plan.ranks; v++) {
		double latest = came[v];

		for (int other = 0; other < plan.ranks; other++)
			if (other != v && came[other] > latest &&
			    plan.pattern->waits(slot, v, other))
				latest = came[other];
		*wait_planned(slot, v, i) = latest - came[v];
		left[v] = latest;
	}
}

/*
 * What happens when every delay and all work are as long as they were drawn.
 * All processes keep to these times: what disturbs one iteration, on a machine
 * that does other things as well, is made up for in the next.
 */
static inline void plan_iteration(int i, double *at)
{
	double came[plan.ranks];
	int slots = has(TASKS) ? 2 : 1;

	for (int v = 0; v < plan.ranks; v++)
		came[v] = at[v] + plan.step;
	plan.due[i] = came[plan.rank];
	for (int slot = 0; slot < slots; slot++) {
		bool now_late = slot == (slots == 2 && plan.culprit != 0);

		if (now_late) {
			plan.from[i] = came[plan.rank];
			came[plan.culprit] += plan.delays[i];
		}
		plan_call(slot, i, came, at);
		memcpy(came, at, sizeof(came));
	}
	if (!has(SPREADS))
		for (int v = 0; v < plan.ranks; v++)
			at[v] = plan.due[i] + plan.delays[i];
}

static inline void plan_all(void)
{
	double at[plan.ranks];

	memset(at, 0, sizeof(at));
	for (int i = 0; i < plan.iterations; i++)
		plan_iteration(i, at);
}

static inline bool is_late(const struct lane *lane)
{
	return !plan.balanced && plan.rank == plan.culprit &&
	       lane->number == plan.lane;
}

/* What the culprit does before iteration i's call. */
static inline void be_late(const struct lane *lane, int i)
{
	double from = plan.origin + plan.from[i];

	if (is_late(lane))
		places[plan.place].enter(from + plan.delays[i]);
	STAY;
}

static inline void work(struct lane *lane, int i)
{
	advance(plan.origin + plan.due[i]);
	be_late(lane, i);
}

static inline struct stamp *stamp_of(struct lane *lane, int slot, int i)
{
	return &lane->stamps[slot * plan.iterations + i];
}

/* The call in COMMAND begins what others wait for, and waits for them. */
#define stamped(lane, slot, i, COMMAND)                                        \
	do {                                                                   \
		struct stamp *s_ = stamp_of(lane, slot, i);                    \
                                                                               \
		s_->begin = s_->enter = now();                                 \
		COMMAND;                                                       \
		s_->leave = now();                                             \
	} while (0)

/* What all processes' stamps say. */
struct truth {
	double *blamed; /* seconds that others waited for each rank */
	double *for_culprit;
};

static inline const struct stamp *stamp_at(const struct stamp *all, int rank,
					   int lane, int slot, int i)
{
	size_t lanes = (size_t)lane_count(), n = (size_t)plan.iterations;

	return &all[(((size_t)rank * lanes + (size_t)lane) * SLOTS +
		     (size_t)slot) *
			    n +
		    (size_t)i];
}

/*
 * One call: until the last of those that it waits for had begun.  Who began
 * when the call was over was not waited for.  Where lateness spreads, that one
 * is to blame for no more than was not planned.
 */
static inline void judge_call(struct truth *t, const struct stamp *all,
			      int victim, int lane, int slot, int i)
{
	const struct stamp *mine = stamp_at(all, victim, lane, slot, i);
	double latest = 0, wait, share;
	int who = -1;

	for (int other = 0; other < plan.ranks; other++) {
		double begin = stamp_at(all, other, lane, slot, i)->begin;

		if (other == victim || begin <= latest || begin > mine->leave ||
		    !plan.pattern->waits(slot, victim, other))
			continue;
		latest = begin;
		who = other;
	}
	wait = latest - mine->enter;
	if (who < 0 || mine->enter == 0 || wait <= 0)
		return;
	share = has(SPREADS) ? *wait_planned(slot, victim, i) : 0;
	if (share > wait || who == plan.culprit)
		share = wait;
	t->blamed[who] += wait - share;
	t->blamed[plan.culprit] += share;
	t->for_culprit[victim] += share;
}

static inline void judge(struct truth *t, const struct stamp *all)
{
	size_t n = (size_t)plan.ranks;

	t->blamed = calloc(n, sizeof(double));
	t->for_culprit = calloc(n, sizeof(double));
	for (int v = 0; v < plan.ranks; v++)
		for (int l = 0; l < lane_count(); l++)
			for (int s = 0; s < SLOTS; s++)
				for (int i = 0; i < plan.iterations; i++)
					judge_call(t, all, v, l, s, i);
}

static inline double sum_of(const double *values, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += values[i];
	return sum;
}
