/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - known context: what the adapters (MPI, GPU) tell the collector
 * about the calls that they stand in front of, or are called back from.
 *
 * Between region_enter() and copse_region_leave() the thread's context is
 * known: samples go below the region's node without unwinding what is inside.
 * The call path is found from the caller's frame, through the thread's memo.
 *
 * Threads   Each call concerns the calling thread.
 * Signals   Not to be called from handlers.  A sample may interrupt any point.
 * Failure   Nothing fails visibly: without a live profile all calls return
 *           quickly and do nothing, losses are counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/frame.h"
#include "arch/timestamp.h"
#include "live/layout.h"

/* A name of the program's own table, registered at its first use. */
struct region_name {
	const char *text;
	uint32_t class, detail; /* enum live_name_class, enum live_mpi_class */
	uint64_t known; /* its index, and above that the profile that it is
			   for: registry.c; atomic */
	bool polls;     /* it asks, and does not wait: see polls.h */
};

struct site;

struct region_frame {
	uintptr_t pc, sp, fp;
};

struct region {
	uintptr_t pc, sp, fp; /* of the caller, at its call */
	uintptr_t inside;     /* a place in the frame that is inside the region
				 as long as it is there; 0: its own */
	struct region_name *name;
	bool nested;  /* inside another region: not counted */
	bool skipped; /* a poll that is counted, and not timed: see polls.h */
	bool sampled; /* one that is measured for those */
	bool in_vain; /* a poll that has found nothing */
	union {
		struct site *site;
		struct poll *poll; /* of one that is skipped */
	};
	struct live_open_call *open; /* where readers see it; NULL: nowhere */
	uint64_t start, end; /* of the counter; of a thread whose clock is not
				set yet: CLOCK_MONOTONIC; end 0: not stopped */
	bool counts;         /* of the counter */
	int64_t paused_ns;   /* before it began */
	/* For who left it: */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t ns;               /* what it took, but pauses */
	struct live_call *call;    /* NULL: it was not counted, nor: */
	live_ref node;   /* found late: when a sample or the leave needs it */
	uint32_t thread; /* index in the process; 0 is valid */
	uint64_t mpi_ns; /* that the thread was in regions, with this one */
};

static inline void region_from(struct region *r, struct region_name *name,
			       const uintptr_t *frame)
{
	r->fp = frame_fp(frame);
	r->pc = frame_pc(frame);
	r->sp = frame_sp(frame);
	r->name = name;
}

/*
 * Take the frame of the function that contains the call.  That function must
 * be compiled with -fno-omit-frame-pointer.
 */
#define region_enter(r, region_name_)                                          \
	region_enter_by(copse_region_enter, r, region_name_)
#define region_enter_by(enter_, r, region_name_)                               \
	do {                                                                   \
		region_from(r, region_name_, FRAME_HERE);                      \
		enter_(r);                                                     \
	} while (0)

void copse_region_enter(struct region *r);

/*
 * For a function that was called by a library which the program has called:
 * `caller` is the frame that it returns to, `inside` a place in the frame of
 * the library's function, whose caller is looked for.  The region is the
 * thread's own, and its path is known at once.  NULL: inside another region,
 * paused, or not measured; then there is nothing to leave.
 */
struct region *copse_region_beyond(struct region_name *name,
				   const struct region_frame *caller,
				   uintptr_t inside);

#define region_frame()                                                         \
	({                                                                     \
		const uintptr_t *frame_ = FRAME_HERE;                          \
		(struct region_frame){ frame_pc(frame_), frame_sp(frame_),     \
				       frame_fp(frame_) };                     \
	})

/*
 * Just after the wrapped function has returned: what the wrapper does from now
 * on is not the program's time.  False: inside another region, or not
 * measured, there is nothing to find out.
 */
static inline bool region_stop(struct region *r)
{
	r->end = timestamp_read();
	return !r->nested;
}

struct region_values {
	uint64_t sent, received; /* bytes */
	live_ref comm;           /* 0: none */
	int32_t root;            /* LIVE_NO_ROOT */
};
/*
 * Adds one call, its time and the values to the region's context, and leaves;
 * stops it when that was not done yet.
 */
void copse_region_leave(struct region *r, const struct region_values *values);

/* A request that was begun in a region has completed. */
void copse_region_request(struct live_call *call, uint64_t open_ns,
			  uint64_t outside_ns);

/*
 * Requests that were begun in a region, each posted for so many bytes, which
 * were counted there, have brought fewer: so many together, of one power of
 * two.  No other thread may be counting there.
 */
void copse_region_arrived(struct live_call *call, uint64_t posted,
			  uint64_t bytes, uint64_t times);

/*
 * What this process did in an operation of MPI; and the level below which
 * events are not kept any more.
 */
void copse_mpi_event_add(const struct live_event *event);
const uint32_t *copse_mpi_event_level(void);

/* A new process of MPI_COMM_WORLD to count messages with, or NULL. */
struct live_peer *copse_mpi_peer_new(uint32_t rank);

/*
 * What an MPI adapter knows about this process.  copse_mpi_init() makes the
 * live profile when there is none yet: an MPI rank always leaves one.
 */
void copse_mpi_init(int rank, int size, const char *library);
void copse_mpi_finalize(void);          /* MPI_Finalize returned */
void copse_mpi_abort(int code);         /* MPI_Abort is about to be called */
void copse_mpi_spawned(uint32_t count); /* processes that this one started */
void copse_mpi_control(bool on);        /* MPI_Pcontrol(0) or (1) */

/*
 * The adapter counts collective calls on communicators of all processes of
 * MPI_COMM_WORLD, in pauses as well, as everything is told by their number that
 * all ranks are to do at the same one (steering.h).
 */
struct copse_steering {
	uint64_t *calls;       /* until now */
	const uint32_t *asked; /* number of the user's last request */
	uint64_t turn_at; /* copse_steering_turn() is due at that call, … */
	uint32_t seen;    /* … or if another than this was asked */
};
struct copse_steering *copse_steering_begin(void);
void copse_steering_turn(uint64_t calls);

/* A communicator was met: its record, *ref its name here; NULL when full. */
struct live_comm *copse_mpi_comm_new(live_ref *ref);
void copse_mpi_comm_name(struct live_comm *comm, const char *name);
