/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layout.h - the live profile: what a measured process writes into shared
 * memory while it runs, and `copse run` beside it reads when it has ended.
 *
 * A live profile is one file on tmpfs, mapped by its writer, sparse at first.
 * It begins with struct live_header.  Everything else is reached from there
 * by a live_ref: an offset from the file's beginning in units of 8 bytes; 0
 * means none.  All records are 8-byte aligned, in the writer's byte order.
 * There are no pointers.
 *
 * Threads   A record is written completely before the reference or the count
 *           that makes it reachable is stored (release), so a copy taken at
 *           any moment is a consistent profile.  Chunks belong to one thread.
 * Foreign   To a reader the file is foreign input: every reference is checked
 *           against the file's size, every list's length is bounded.
 */
#ifndef LIVE_LAYOUT_H
#define LIVE_LAYOUT_H

#include <stdint.h>

#include "base/metric.h"

typedef uint32_t live_ref;

#define LIVE_MAGIC   0x65766c6573706f63u /* "copselve" */
#define LIVE_VERSION 1
#define LIVE_UNIT    8
#define LIVE_METRICS                                                           \
	32 /* room: the fixed ones, then those chosen at run time */

enum metric {
#define METRIC(id, ...) METRIC_##id,
#include "live/metrics.def"
#undef METRIC
	METRIC_COUNT
};
extern const struct metric_info metric_infos[METRIC_COUNT];

enum loss {
#define LOSS(id, ...) LOSS_##id,
#include "live/losses.def"
#undef LOSS
	LOSS_COUNT
};
struct loss_info {
	const char *name, *help;
};
extern const struct loss_info loss_infos[LOSS_COUNT];

enum live_clock { /* what decides when a sample is taken (doc/design.md) */
	LIVE_CLOCK_NONE,
	LIVE_CLOCK_SIGTRAP, /* task clock with kernel time, exact */
	LIVE_CLOCK_MIXED,   /* task clock of user time, CPU timer for the kernel
			     */
	LIVE_CLOCK_TIMER, /* thread CPU timer: at most HZ samples per second */
};

/* What was made of -e wall. */
enum live_wall {
	LIVE_WALL_NONE,    /* not asked for */
	LIVE_WALL_SAMPLED, /* threads are sampled when they are back */
	LIVE_WALL_ADDED,   /* the clock cannot; it is in the next sample */
};

enum live_node_kind {
	LIVE_NODE_ROOT,
	LIVE_NODE_CALL,    /* module, offset of a return address */
	LIVE_NODE_PC,      /* module, offset of the very instruction */
	LIVE_NODE_ADDRESS, /* code of no module: the address itself */
	LIVE_NODE_NAMED,   /* name: an MPI function, a phase, a kernel */
	LIVE_NODE_PARTIAL, /* below it: paths that end early; key: enum loss */
};

/* A context; its parent is in the same thread's nodes and stands before it. */
struct live_node {
	live_ref parent;
	live_ref cells;  /* first value */
	uint32_t kind;   /* enum live_node_kind */
	uint32_t owner;  /* index of the module or the name */
	uint64_t offset; /* module: address - module's base; else see kind */
};

/* One value of one node. */
struct live_cell {
	live_ref next;   /* of the same node */
	uint32_t metric; /* index into live_header.metrics */
	uint64_t value;
};

/* A piece of a thread's nodes or cells: the header, then `count` of them. */
struct live_chunk {
	live_ref next;
	uint32_t count; /* of records that are complete */
	uint32_t size;  /* bytes, with this header */
	uint32_t unused;
};

struct live_module { /* indexed 0, 1, … in the order of the list */
	live_ref next;
	live_ref path;       /* live_text */
	uint64_t base;       /* what the loader added to the file's addresses */
	uint64_t start, end; /* mapped addresses */
	uint32_t build_id_size;
	uint8_t build_id[36];
};

enum live_name_class {
	LIVE_NAME_MPI,
	LIVE_NAME_PHASE,
	LIVE_NAME_KERNEL
};

struct live_name { /* indexed 0, 1, … in the order of the list */
	live_ref next;
	live_ref text;   /* live_text */
	uint32_t class;  /* enum live_name_class */
	uint32_t detail; /* LIVE_NAME_MPI: enum live_mpi_class */
};

enum live_mpi_class { /* column `class` of mpi/functions.tbl */
	LIVE_MPI_OTHER,
	LIVE_MPI_SEND,
	LIVE_MPI_RECV,
	LIVE_MPI_WAIT,
	LIVE_MPI_COLL,
	LIVE_MPI_RMA,
	LIVE_MPI_IO,
};

struct live_text {
	uint32_t length; /* without the closing 0 that is there */
	char text[];
};

struct live_comm { /* a communicator this process was a member of */
	live_ref next;
	uint32_t size;  /* its processes */
	uint32_t rank;  /* of this one */
	uint32_t inter; /* 1: an intercommunicator */
	uint64_t calls; /* on it, that carry a communicator */
};

enum live_thread_state {
	LIVE_THREAD_RUNS = 1,
	LIVE_THREAD_ENDED
};

struct live_thread {
	live_ref next;
	uint32_t tid;
	uint32_t state; /* enum live_thread_state */
	uint32_t clock; /* enum live_clock */
	uint32_t runs;  /* threads that shared this record, one after another */
	live_ref nodes,
		cells;   /* first chunk of each; the first node is the root */
	live_ref unused; /* 0 */
	uint64_t first_ns,
		last_ns; /* CLOCK_MONOTONIC, of its life / last sample */
	uint64_t cpu_ns, wall_ns; /* sum of all samples' weights */
	uint64_t samples;         /* that were kept */
	uint64_t ticks;           /* signals that arrived */
	uint64_t handler_ns;      /* CPU time spent in the handler */
	uint64_t wrapper_ns; /* time spent in wrappers, outside the wrapped */
	uint64_t slowest_ns; /* longest mean period that the budget asked for */
	uint64_t losses[LOSS_COUNT];
	char name[16];
};

struct live_metric {
	char name[56];
	uint32_t unit;  /* enum unit */
	uint32_t merge; /* enum merge */
	struct counting counting;
};

/* While measuring was paused: CLOCK_MONOTONIC, the process's CPU time. */
struct live_pauses {
	uint64_t wall_ns, cpu_ns;             /* in pauses that are over */
	uint64_t since_wall_ns, since_cpu_ns; /* one is not; 0: none */
};

/* What an MPI rank leaves in place of a profile when it is not wanted. */
#define LIVE_LEFT_OUT ".left-out"

struct live_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t capacity; /* bytes */
	uint64_t used;     /* bytes handed out; may pass capacity when full */

	uint32_t pid, ppid;
	uint64_t start_real_ns; /* CLOCK_REALTIME and … */
	uint64_t start_mono_ns; /* … CLOCK_MONOTONIC, at the same moment */
	uint64_t end_mono_ns;   /* written by the parent, 0: not known */
	uint64_t late_real_ns;  /* both again, by the parent, as late as it */
	uint64_t late_mono_ns;  /* could: at the end, or at a raw copy; or 0 */
	uint64_t clock_id;      /* timebase_id() of CLOCK_MONOTONIC, or 0 */
	int32_t rank, size;     /* in MPI_COMM_WORLD; -1, 0: not (yet) known */
	uint64_t mpi_init_ns, mpi_finalize_ns; /* CLOCK_MONOTONIC, 0: not yet */
	uint32_t mpi_thread;   /* index of the thread that did Init */
	uint32_t mpi_error;    /* last code given to MPI_Abort + 1, 0: none */
	uint64_t start_cpu_ns; /* process CPU time when measuring began */
	struct live_pauses pauses;
	uint64_t mpi_init_paused_ns, mpi_finalize_paused_ns; /* until then */

	uint64_t freq;   /* samples per second asked for */
	uint32_t clock;  /* enum live_clock of the first thread */
	uint32_t wall;   /* enum live_wall */
	uint64_t events; /* live_ref of the live_text of the setting */
	uint64_t losses[LOSS_COUNT]; /* of no particular thread */

	live_ref command;     /* live_text: arguments, each ended by 0 */
	live_ref exe;         /* live_text */
	live_ref mpi_library; /* live_text, 0: none */
	live_ref modules, names, threads, comms; /* heads of lists */
	uint32_t metric_count;
	char host[64];
	struct live_metric metrics[LIVE_METRICS];
};

#endif
