/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-team.h - parallel regions of OpenMP: the adapter reports the thread that
 * begins a region, its master, and the members of its team to the collector.
 *
 * The region is a node of the master's tree, below the call that began it.
 * While a member works in it, the root of the member's own tree is a reference
 * to this node (LIVE_NODE_BELOW), and walks end at the frame from which the
 * runtime called its part.
 *
 * Ownership   The master owns struct omp_team.  The runtime lets it go on when
 *             all members have come to the end.
 * Threads     Each call concerns the calling thread.  The master writes a team
 *             before it has other members.  A member that comes to a barrier or
 *             to the end writes a line of its own (omp-late.h), which the
 *             master reads after that.
 * Signals     omp_team_look() and omp_team_sampled() are for handlers only.
 * Failure     Nothing fails: the program's function is called in any case.
 */
#pragma once

#include "arch/page-size.h"
#include "base/hidden.h"
#include "base/sigsafe.h"
#include "collect/regions/region.h"

struct thread;

/* From the adapter, when it is loaded. */
void copse_team_init(void);

/* The generation of code: it changes when a library is unloaded. */
uint32_t copse_team_code(void);

/*
 * Members read only the first cache line; nobody writes it during the region.
 * A line that two cores write moves between them each time.
 */
struct omp_team {
	void *first; /* first word of the data, which the runtime may read */
	void (*function)(void *); /* NULL: not known */
	void *data;
	struct thread *master; /* NULL: it is not measured */
	int (*index)(void);    /* omp_get_thread_num(), of a member */
	uint64_t begin;        /* by the counter or CLOCK_MONOTONIC */
	uint32_t paused;       /* how long measuring was paused before */
	live_ref node;         /* of the region, in the master's tree */
	uint32_t number;       /* counts the master's regions */
	uint8_t level;         /* number of regions around it */
	bool counts;           /* times are by the counter */
	bool timed;            /* it did not begin in a pause of measuring */
	/* The master's only. */
	struct region call
		__attribute__((aligned(CACHE_LINE))); /* that began it */
	uint32_t profile;  /* registry_generation() when it began */
	uint32_t members;  /* 0: the master has not come to its part */
	int (*size)(void); /* omp_get_num_threads(), of a member */
} __attribute__((aligned(CACHE_LINE)));

/*
 * Room for so many nested teams that the calling thread begins; always the same
 * for a thread.  NULL: it is not measured, or there is no memory.
 */
struct omp_team *copse_team_room(uint32_t count);

/*
 * Before the region begins.  The thread is in the region as long as its stack
 * reaches `frame`, which is below the caller's.
 */
void copse_team_begin(struct omp_team *team, void (*function)(void *),
		      const struct region_frame *caller, uintptr_t frame);

/*
 * By each member, before and after its part; the part's frames are below
 * `frame`.  For the master, whose index is 0, the frame need not outlive
 * copse_team_enter(); others may give any size.
 */
void copse_team_enter(struct omp_team *team, uintptr_t frame, int index,
		      int size);
void copse_team_leave(struct omp_team *team);

/* Both of them around the function: the adapter of libgomp passes this. */
void copse_team_member(void *team);

/* By the master, after the region. */
void copse_team_end(struct omp_team *team);

/* What a member waits for in its part. */
enum team_wait {
	TEAM_MEETS, /* until all members have come there */
	TEAM_TASKS, /* for tasks, or for one other member */
	TEAM_LOCK,  /* for a lock, a critical section, or its turn */
	TEAM_WAITS
};

/*
 * Around a call of the runtime in which a member waits for others: the time
 * between them is no work, except for tasks that it runs meanwhile.  The second
 * gets the first one's result.
 */
bool copse_team_wait(enum team_wait what);
void copse_team_go_on(bool waited);
void copse_team_at_once(void); /* instead of the second: no wait */

/* A task: where it was made. */
struct omp_task {
	live_ref node; /* in the tree of the thread that made it; 0: none */
	uint32_t profile : 31; /* registry_generation() then */
	uint32_t told : 1;     /* always set, so that no task is 0 */
};

/* A task that is made there; function: NULL if it is not known. */
struct omp_task copse_team_task_new(void (*function)(void *),
				    const struct region_frame *caller);

/*
 * Around the task, whose frames are below `frame`.  It is work of its thread,
 * also while the thread waits, and is below the place where it was made.  id
 * distinguishes it from other tasks that the thread has begun and not ended.
 * its: the task's team, used if the thread is in none; NULL: not known.
 */
void copse_team_task_begin(const struct omp_task *task, const void *id,
			   uintptr_t frame, struct omp_team *its);
void copse_team_task_end(const void *id);
bool copse_team_task_is_begun(const void *id);

/* A difference of the team's clock, in ns. */
uint64_t omp_team_ns(const struct omp_team *team, uint64_t passed);

/* Mutable: there is an adapter.  Otherwise handlers call neither of these. */
extern HIDDEN bool omp_teams;

/* Mutable: the members of the largest team so far, or 1. */
extern HIDDEN uint32_t omp_team_largest;

/* The thread was sampled at that node. */
SIGSAFE void omp_team_sampled(live_ref node);

/*
 * For a thread that is not busy, at this stack pointer: leaves regions that are
 * over, or that a longjmp has left.
 */
SIGSAFE void omp_team_look(struct thread *t, uintptr_t sp);
