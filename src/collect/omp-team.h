/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-team.h - parallel regions of OpenMP: what the adapter in front of the
 * runtime tells the collector of the thread that begins one, its master, and of
 * the members of its team.
 *
 * The region is a node of the master's tree, below the call that began it.
 * What members do in the region stands below that: their root is, meanwhile, a
 * reference to it (LIVE_NODE_BELOW), and walks end at the frame from which
 * their part was called.
 *
 * Ownership   struct omp_team is the master's.  The runtime lets it go on when
 *             all members have come to the end.
 * Threads     Each call concerns the calling thread; what a team has is written
 *             by its master before there are others.  When a member comes to
 *             a barrier or to the end, it says so in a line of its own
 *             (omp-late.h), which the master reads behind that.
 * Signals     omp_team_look() and omp_team_sampled() are for handlers only.
 * Failure     Nothing fails: the program's function is called in any case.
 */
#ifndef COLLECT_OMP_TEAM_H
#define COLLECT_OMP_TEAM_H

#include "base/hidden.h"
#include "base/sigsafe.h"
#include "collect/region.h"

struct thread;

/* From the adapter, when it is loaded. */
void copse_team_init(void);

/* The generation of code: another one once a library has been unloaded. */
uint32_t copse_team_code(void);

/*
 * What members read is one line of the cache, which nobody writes before the
 * region has ended: a line that two cores write goes to and fro between them.
 */
struct omp_team {
	void *first; /* what the data begin with, for a runtime that reads it */
	void (*function)(void *); /* NULL: not known */
	void *data;
	struct thread *master; /* NULL: it is not measured */
	int (*index)(void);    /* omp_get_thread_num(), of a member */
	uint64_t begin;        /* of the counter, or of CLOCK_MONOTONIC */
	uint32_t paused;       /* how long measuring was before it began */
	live_ref node;         /* of the region, in the master's tree */
	uint32_t number;       /* which one of the master's regions, of … */
	uint8_t level;         /* … so many in one another */
	bool counts;           /* of the counter */
	bool timed;            /* it did not begin while measuring was paused */
	/* The master's only. */
	struct region call __attribute__((aligned(64))); /* by which it began */
	uint32_t profile;  /* registry_generation() when it began */
	uint32_t members;  /* 0: the master has not come to its part */
	int (*size)(void); /* omp_get_num_threads(), of a member */
} __attribute__((aligned(64)));

/*
 * Room for so many teams that the calling thread begins, one in another; always
 * the same for a thread.  NULL: it is not measured, or there is no memory.
 */
struct omp_team *copse_team_room(uint32_t count);

/*
 * Before the region begins.  The thread is in the region as long as its stack
 * reaches `frame`, which is inside the caller's.
 */
void copse_team_begin(struct omp_team *team, void (*function)(void *),
		      const struct region_frame *caller, uintptr_t frame);

/*
 * Each member, before and after its part; the part's frames are below `frame`.
 * The master, whose index is 0, need not be inside that once it is back
 * from copse_team_enter(); others may give any size.
 */
void copse_team_enter(struct omp_team *team, uintptr_t frame, int index,
		      int size);
void copse_team_leave(struct omp_team *team);

/* The two of them around the function, for who can give it in its place. */
void copse_team_member(void *team);

/* The master is behind the region. */
void copse_team_end(struct omp_team *team);

/* For what a member waits in its part. */
enum team_wait {
	TEAM_MEETS, /* until all members have come there */
	TEAM_TASKS, /* for tasks, or for one other member */
	TEAM_LOCK,  /* for a lock, a critical section, or its turn */
	TEAM_WAITS
};

/*
 * Around a call of the runtime in which a member waits for others: what passes
 * between the two is not its work, but for tasks that it does meanwhile.  The
 * first gives what the second wants.
 */
bool copse_team_wait(enum team_wait what);
void copse_team_go_on(bool waited);
void copse_team_at_once(void); /* in place of it: there was no wait */

/* A task: where it was made. */
struct omp_task {
	live_ref node; /* in the tree of the thread that made it; 0: none */
	uint32_t profile : 31; /* registry_generation() then */
	uint32_t told : 1;     /* for who keeps it where 0 is no task */
};

/* Made there; the function that it calls, NULL: not known. */
struct omp_task copse_task_new(void (*function)(void *),
			       const struct region_frame *caller);

/*
 * Around the task, whose frames are below `frame`.  What it does is work of its
 * thread, also while that waits, and stands below where the task was made.
 * id tells it from others that the thread has begun and not ended.  Where the
 * thread is not known to be in a team, it is `its`; NULL: not known either.
 */
void copse_task_begin(const struct omp_task *task, const void *id,
		      uintptr_t frame, struct omp_team *its);
void copse_task_end(const void *id);
bool copse_task_is_begun(const void *id);

/* In ns, what passed of the clock that the team's times are of. */
uint64_t omp_team_ns(const struct omp_team *team, uint64_t passed);

/* Mutable: there is an adapter.  Without, a handler need not ask the two. */
extern HIDDEN bool omp_teams;

/* Mutable: the members of the largest team so far, or 1. */
extern HIDDEN uint32_t omp_team_largest;

/* The thread was sampled there. */
SIGSAFE void omp_team_sampled(live_ref node);

/*
 * Of a thread that is not busy, at this stack pointer: regions that it has left
 * by a longjmp, or that are over, are its context no more.
 */
SIGSAFE void omp_team_look(struct thread *t, uintptr_t sp);

#endif
