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
#pragma once

#include <stdint.h>

#include "base/batch.h"
#include "base/cores.h"
#include "base/event.h"
#include "base/family.h"
#include "base/metric.h"
#include "live/footprint.h"

typedef uint32_t live_ref;

#define LIVE_MAGIC   0x65766c6573706f63u /* "copselve" */
#define LIVE_VERSION 33
#define LIVE_UNIT    8

enum metric {
#define METRIC(id, ...) METRIC_##id,
#include "live/metrics.def"
#undef METRIC
	METRIC_COUNT
};
extern const struct metric_info metric_infos[METRIC_COUNT];

/* The fixed ones, then those chosen at run time. */
#define LIVE_METRICS (METRIC_COUNT + EVENT_MOST)

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

/* What decides when a sample is taken (doc/decisions/three-clocks.md). */
enum live_clock {
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

/*
 * BELOW stands for a node of another thread's tree: the region that the thread
 * works in, or what the thread did that came last; offset: its live_ref.
 */
enum live_node_kind {
#define NODE(id, ...) LIVE_NODE_##id,
#define LIVE_NODE(id) LIVE_NODE_##id,
#include "live/node-kinds.def"
};

enum lock_kind {
#define LOCK_KIND(id, ...) LOCK_##id,
#include "live/locks.def"
	LOCK_KINDS
};
extern const char *const lock_names[LOCK_KINDS];

/* The offset of a LIVE_NODE_REGION that is a task. */
#define LIVE_REGION_TASK ((uint64_t)1 << 63)
/* Of one that is known by its call: the offset is in that. */
#define LIVE_REGION_CALL ((uint64_t)1 << 62)

/*
 * The offset of a LIVE_NODE_LOCK: of the lock itself in its module's data; or,
 * of one that has no place there, of the code that was the first to wait for
 * it (LIVE_LOCK_DYNAMIC).
 */
#define LIVE_LOCK(kind, offset) ((uint64_t)(kind) << 56 | (offset))
#define LIVE_LOCK_DYNAMIC       ((uint64_t)1 << 63)
#define LIVE_LOCK_KIND(of)      ((of) >> 56 & 0x7f)
#define LIVE_LOCK_OFFSET(of)    ((of) & (((uint64_t)1 << 56) - 1))

/* A context; its parent is in the same thread's nodes and comes before it. */
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
	LIVE_NAME_KERNEL, /* what ran on a GPU, below the call that began it */
	LIVE_NAME_GPU_CALL,   /* a function of CUDA's */
	LIVE_NAME_GPU_ERROR,  /* below it: the calls that failed so */
	LIVE_NAME_GPU_MEMORY, /* below it: memory that it allocated, freed */
	LIVE_NAME_GPU_LINE,   /* below a kernel; text: file, detail: line */
	LIVE_NAME_PYTHON,     /* a function of Python's; detail: first line */
	LIVE_NAME_IO, /* a function for files; detail: enum live_io_kind */
};

enum live_phase_detail {
	LIVE_PHASE_KERNEL = 1, /* what runs on GPUs below is called so */
};

enum live_io_kind {
#define IO_KIND(id, name) LIVE_IO_##id,
#include "live/io-kinds.def"
#undef IO_KIND
	LIVE_IO_KINDS
};
extern const char *const io_kind_names[LIVE_IO_KINDS];

struct live_name { /* indexed 0, 1, … in the order of the list */
	live_ref next;
	live_ref text;   /* live_text */
	uint32_t class;  /* enum live_name_class */
	uint32_t detail; /* LIVE_NAME_MPI: enum live_mpi_class */
	live_ref file;   /* LIVE_NAME_PYTHON: live_text; else 0, as is … */
	live_ref lines; /* … live_text: co_linetable, up to Python 3.9 co_lnotab
			 */
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
	uint32_t size;      /* its processes */
	uint32_t rank;      /* of this one */
	uint32_t inter;     /* 1: an intercommunicator */
	uint64_t calls;     /* on it, that carry a communicator */
	uint64_t id;        /* the same in all its processes; 0: not known */
	uint64_t instances; /* collective calls: the same in all, at the end */
	live_ref name;      /* live_text: MPI_Comm_set_name; 0: none */
	uint32_t first;     /* MPI_COMM_WORLD's rank of its first process */
	int32_t locks;      /* of windows made on it, that are held here */
	int32_t locked;     /* rank in MPI_COMM_WORLD that the last one is of;
			       LIVE_OPEN_NONE: of all */
};

/*
 * What is kept of the MPI calls of one context beside its metrics.  A cell of
 * metric LIVE_CELL_CALL holds its live_ref.
 */
#define LIVE_CELL_CALL 0xffffu
#define LIVE_SIZES     48 /* 0 bytes, 1, 2 to 3, 4 to 7, … */

struct live_size {
	uint64_t calls, ns;
};

enum {
	LIVE_NO_ROOT = -1,
	LIVE_SEVERAL_ROOTS = -2
};
#define LIVE_SEVERAL_COMMS UINT32_MAX

struct live_call {
	uint64_t calls, ns, sent, received; /* become metrics */
	uint64_t min_ns, max_ns;            /* of one call */
	live_ref comm;                      /* 0: none; or LIVE_SEVERAL_COMMS */
	int32_t root;   /* rank in comm, LIVE_NO_ROOT or LIVE_SEVERAL_ROOTS */
	live_ref sizes; /* struct live_size[LIVE_SIZES]; 0: no call had bytes */
	live_ref stamps; /* struct live_stamps; 0: none */
	/* Requests that were begun here and have completed. */
	uint64_t requests;   /* how many */
	uint64_t open_ns;    /* from their begin to their completion … */
	uint64_t outside_ns; /* … of it not in MPI, in the thread that began */
	/*
	 * Polls: some are counted, and not timed.  Others are drawn by lot to
	 * stand for them; what is long is LIVE_LONG_NS and more.
	 */
	uint64_t passed;          /* of the calls; their time is not in ns */
	uint64_t drawn, drawn_ns; /* of the drawn, those that were not long */
	uint64_t long_ns;         /* of the drawn, those that were */
	uint64_t gap_ns;          /* between polls, before drawn ones: long */
	uint64_t excess_ns;       /* of the time in which polls were passed by,
				     what is long: in polls or between them */
	uint64_t moved; /* of each call, the larger of sent and received */
	uint64_t until_stamp; /* so many calls have none before the next one */
};
#define LIVE_LONG_NS 20000

/*
 * When calls of one context, or phases, began, to find the steps of a program:
 * the first of them, which tell how many calls a step has, and one of each
 * `stride` behind them.  LIVE_STAMPS_FEW are the first where a thread has
 * little room left, and half of the room where that is less.
 */
#define LIVE_STAMPS      4095
#define LIVE_STAMPS_FEW  63
#define LIVE_STAMPS_HEAD (LIVE_STAMPS_FEW + 512)

struct live_stamp {
	uint64_t ns;     /* CLOCK_MONOTONIC */
	uint64_t mpi_ns; /* that the thread was in MPI before */
};

struct live_stamps {
	uint32_t count, room, stride;
	uint32_t moving; /* odd: they are; a copy made now has none */
	struct live_stamp at[];
};

static inline uint32_t live_stamps_head(uint32_t room)
{
	if (room > LIVE_STAMPS_HEAD)
		return LIVE_STAMPS_HEAD;
	return room > LIVE_STAMPS_FEW ? LIVE_STAMPS_FEW : room / 2;
}

/* What one thread exchanged with another process of MPI_COMM_WORLD. */
struct live_peer {
	live_ref next;
	uint32_t rank; /* in MPI_COMM_WORLD */
#define COLUMN(type, name, ...) type name;
#include "live/peer.def"
#undef COLUMN
};

/*
 * Wait states: an operation is one collective call on one communicator, or one
 * message.  Each process keeps an event of it.  All processes keep the same
 * operations: those of level >= L, where one operation of 2^L has level L or
 * more; L grows while a process runs, so that the events fit into bounded
 * memory.  The merge joins events of equal key whose levels are at least the
 * highest L of any process.
 */
enum live_event_kind {
	LIVE_EVENT_SEND,    /* a message */
	LIVE_EVENT_RECV,    /* the same, at its other end */
	LIVE_EVENT_BARRIER, /* all wait for the last */
	LIVE_EVENT_ALL,     /* N x N: all wait for the last */
	LIVE_EVENT_ONE_ALL, /* 1 x N: all wait for the root, the peer */
	LIVE_EVENT_ALL_ONE, /* N x 1: the root, the peer, waits for the last */
	LIVE_EVENT_PREFIX,  /* scans: each waits for those of lower comm_rank */
	LIVE_EVENT_FENCE,   /* of a window: all may wait for the last */
	LIVE_EVENT_KINDS
};

struct live_event {
	uint64_t key;   /* the same in all events of an operation */
	uint64_t begin; /* CLOCK_MONOTONIC, ns: the operation was begun; … */
	uint64_t enter, leave; /* … the call that ended it; if it is the one
				  that began, enter = begin.  Events of equal
				  enter in a thread ended in one call */
	live_ref begin_node, node; /* the contexts of these calls */
	int32_t peer;       /* message: the partner's rank in MPI_COMM_WORLD;
			       collective: the root's, else -1 */
	uint32_t check;     /* a message's tag, else of the function: events of
			       equal key must agree, or they do not belong */
	uint32_t size;      /* events that the operation has: 2, or the
			       communicator's processes */
	uint32_t comm_rank; /* in the communicator */
	uint8_t kind;       /* enum live_event_kind */
	uint8_t level;
	uint16_t unused;
	uint32_t cluster; /* the same for operations that are kept or left out
			     together, else not; 0: not known */
};

/*
 * When a thread was where: a thinned series of its samples, to tell what a
 * rank did while others waited for it.  Each stands for `every` of them.
 */
struct live_moment {
	uint64_t ns; /* CLOCK_MONOTONIC, of the tick */
	live_ref node;
	uint32_t
		weight_ns; /* wall time that the sample stands for; saturates */
};

/*
 * The same of --trace.  The time is CLOCK_MONOTONIC in units of 16 us, the
 * lowest bits: the whole of it follows from that of the next one, and of the
 * last sample, as no two are 19 hours apart.
 */
struct live_traced {
	live_ref node;
	uint32_t time;
};
#define LIVE_TRACED_SHIFT 14

/*
 * What one context had a GPU do, of one kind and name: it becomes a child of
 * that context's node, named so.  Of all threads, in one list of chunks.
 */
enum live_gpu_kind {
	LIVE_GPU_KERNEL,
	LIVE_GPU_GRAPH,   /* launched as one */
	LIVE_GPU_TO,      /* copies: host to device, */
	LIVE_GPU_FROM,    /* device to host, */
	LIVE_GPU_WITHIN,  /* within a device, or the host, */
	LIVE_GPU_PEER,    /* from device to device */
	LIVE_GPU_SET,     /* memset */
	LIVE_GPU_IDLE,    /* no work: GPUs had none, and that node was why */
	LIVE_GPU_AWAITED, /* none either: that call waited for such work */
	LIVE_GPU_KINDS
};

#define LIVE_NO_NAME UINT32_MAX
struct live_gpu {
	live_ref node;   /* of the call that began it; 0: not known, see why */
	uint32_t thread; /* whose node it is, or was it: its index */
	uint32_t name;   /* index; LIVE_GPU_IDLE: or LIVE_NO_NAME */
	uint16_t kind;   /* enum live_gpu_kind */
	uint16_t why;    /* enum loss: when node is 0 */
	live_ref from;   /* of the call that put it into a graph; 0: none */
	uint32_t below;  /* name of the node between that and this one */
	uint64_t count, ns, min_ns, max_ns, bytes;
	uint64_t queued;    /* of them, with a known delay: … */
	uint64_t queued_ns; /* … from their call to their start */
	uint32_t device;    /* as the process counts them */
	live_ref counted;   /* struct live_counted; 0: nothing was */
};

/* What the hardware counted (gpu-counters.def), while that work ran. */
struct live_counted {
	double time, alone, intervals;
#define COUNTER(id, name) double name;
#include "live/gpu-counters.def"
#undef COUNTER
};

/*
 * A device that the process used, and when: the union of its work, not the sum.
 * Bin i of the timeline has the nanoseconds of work from (first_bin + i) <<
 * bin_shift to (first_bin + i + 1) << bin_shift, CLOCK_MONOTONIC.
 */
#define LIVE_BINS 4096

struct live_device {
	live_ref next;
	uint32_t id;      /* as the process counts them */
	uint8_t uuid[16]; /* of the MIG instance, if it is one; 0: not known */
	live_ref name;    /* live_text; 0: not known */
	int32_t instance; /* of MIG; -1: none */
#define COLUMN(type, name, ...) type name;
#define ADDED                   COLUMN
#include "live/device.def"
#undef COLUMN
#undef ADDED
	uint64_t first_bin;
	live_ref bins; /* uint64_t[LIVE_BINS]; 0: none */
	uint32_t bin_shift;
	uint32_t moving; /* odd: the bins are; a copy made now has none */
	uint32_t unused;
	/* Up to where there was that; anything: last_ns. */
	uint64_t kernels_until_ns, copies_until_ns;
};

struct live_stream {
	live_ref next;
	uint32_t device;          /* its id */
	uint32_t context, stream; /* LIVE_OTHER_STREAMS: all that had no room */
	uint64_t busy_ns, kernels_ns, first_ns, last_ns;
	uint64_t kernels, copies;
};
#define LIVE_OTHER_STREAMS UINT32_MAX

/* All devices of the process together; times are CLOCK_MONOTONIC. */
struct live_gpu_times {
	uint64_t busy_ns, first_ns, last_ns;
	uint64_t late;    /* pieces that came too late to be put in order */
	uint64_t late_ns; /* of them, perhaps not in any union */
	uint64_t first_paused_ns; /* before the first call for work */
	uint64_t until_ns;        /* nothing is known from then on; 0: all is */
	uint64_t until_paused_ns; /* before that */
	uint64_t told;            /* launches that there was a record of */
	uint64_t captured;        /* that became nodes of graphs; atomic */
	uint32_t nodes;           /* 1: graphs are told node by node */
};

/* A piece of work that is not in these times yet: collect/gpu/gpu-order.h. */
struct live_piece {
	uint64_t start, end, begun; /* CLOCK_MONOTONIC; begun: of its call */
	live_ref node;              /* of that; 0: not known, see why */
	uint32_t thread;
	uint64_t span; /* struct live_span, of its call; 0: none */
	uint32_t device, context, stream;
	uint16_t why;    /* enum loss */
	uint16_t kernel; /* enum live_piece_kind */
	uint32_t name;   /* index */
	live_ref sum;    /* struct live_gpu; 0: none */
};

enum live_piece_kind {
	LIVE_PIECE_COPY,    /* or a memset */
	LIVE_PIECE_KERNEL,  /* or a graph */
	LIVE_PIECE_MESSAGE, /* a kernel of NCCL */
};

/* Those at[first] to at[count - 1], and aside[0] to aside[aside_count - 1]. */
#define LIVE_PIECES_ASIDE 1024
#define LIVE_PIECES       (16384 + LIVE_PIECES_ASIDE)
struct live_pieces {
	uint32_t moving; /* odd: a copy made now is of no use */
	uint32_t first, count, aside_count;
	struct live_piece at[LIVE_PIECES], aside[LIVE_PIECES_ASIDE];
};

/*
 * Memory that calls of CUDA allocate and free.  What is live is told in the
 * order of time, whatever the order of the records: late by 1.5 s.
 */
enum live_memory_kind {
#define MEMORY(id, ...) LIVE_MEMORY_##id,
#include "live/memories.def"
#undef MEMORY
	LIVE_MEMORY_KINDS
};
#define LIVE_HOST UINT32_MAX /* in place of a device */

/* Of one context, kind and device: a child of the context's node, `name`. */
struct live_memory {
	live_ref node;      /* of the call; 0: not known, see why */
	uint32_t thread;    /* whose node it is: its index */
	uint32_t name;      /* index */
	uint32_t device;    /* as the process counts them; LIVE_HOST */
	uint16_t kind, why; /* enum live_memory_kind; enum loss */
	uint32_t unused;
	uint64_t allocations, allocated; /* and bytes: here */
	uint64_t frees, freed;           /* and bytes: here */
	uint64_t live, bytes;            /* of its allocations, and bytes */
	uint64_t reset;   /* bytes of them that went with their context */
	uint64_t at_peak; /* bytes at the holder's peak, but when changed <=
			     its peak_seq: then `bytes` is that */
	uint64_t changed; /* the number of its last event */
};

/*
 * A device, or the host: what is live there, and when.  Bin i of the timeline
 * has the most that was live from first_ns + i * width_ns on; those behind
 * bin `last` are to come.
 */
#define LIVE_MEMORY_BINS 64

struct live_holder {
	uint32_t device;     /* or LIVE_HOST */
	uint32_t moving;     /* odd: bins are; a copy made now has none */
	uint64_t live, peak; /* bytes */
	uint64_t peak_ns;    /* CLOCK_MONOTONIC */
	uint64_t peak_seq;   /* number of the event that made it */
	uint64_t first_ns, width_ns; /* 0: no event yet */
	uint64_t last;
	uint64_t bins[LIVE_MEMORY_BINS];
	/* By kind: what is live, its own peak. */
	struct {
		uint64_t live, peak;
	} kinds[LIVE_MEMORY_KINDS];
};

/* What unified memory did: migrations, and faults when asked for. */
enum live_unified_kind {
	LIVE_UNIFIED_TO,   /* bytes that moved from host to device, */
	LIVE_UNIFIED_FROM, /* from device to host, */
	LIVE_UNIFIED_PEER, /* from device to device */
	LIVE_UNIFIED_GPU,  /* faults of a GPU: groups of one page */
	LIVE_UNIFIED_CPU,  /* faults of the host */
	LIVE_UNIFIED_KINDS
};

struct live_unified {
	uint32_t kind;   /* enum live_unified_kind */
	uint32_t device; /* whose they are, or LIVE_HOST */
#define COLUMN(type, name, ...) type name;
#include "live/unified.def"
#undef COLUMN
};

/*
 * A file, a directory (what was done by names in it), or all for which there
 * was no place; of each thread that used it, if there was room.  Who else uses
 * it adds to the first record.
 */
enum live_file_kind {
	LIVE_FILE,
	LIVE_FILE_DIRECTORY,
	LIVE_FILE_OTHERS
};

struct live_io_file {
	live_ref next;
	live_ref path;   /* live_text, absolute */
	uint32_t kind;   /* enum live_file_kind */
	uint32_t system; /* f_type of statfs(2) */
	uint32_t block;  /* bytes, preferred; 0: not known */
	/* Nodes of the longest read, write and other call; 0: there is none. */
	live_ref read_node, write_node, other_node;
#define COLUMN(type, name, ...) type name;
#include "live/file.def"
#undef COLUMN
	/* For the writer: where the last ones ended, and which was the last. */
	uint64_t read_end, write_end;
	uint32_t last, owner; /* a thread's index */
	live_ref more;        /* the next thread's */
};

/*
 * The bytes that a thread read and wrote, over time: bins from start_mono_ns
 * on, of twice the width whenever they are used up.
 */
#define LIVE_IO_BINS  64
#define LIVE_IO_SHIFT 24 /* the first width is 1 << 24 ns, some 17 ms */

struct live_io_times {
	live_ref next;
	uint32_t moving;  /* odd: bins are being joined */
	uint32_t widened; /* how often */
	uint32_t unused;
	uint64_t read[LIVE_IO_BINS], written[LIVE_IO_BINS];
};

/*
 * How a kernel was launched, but for the number of blocks: that is a range.  As
 * many as there are memory for; launches that had none are counted.
 */
struct live_shape {
	uint32_t name; /* index */
	uint32_t device;
#define COLUMN(type, name, ...) type name;
#include "live/shape.def"
#undef COLUMN
};

/* What a device has of what kernels share. */
struct live_limits {
	uint32_t device;
#define COLUMN(type, name, ...) type name;
#include "live/limits.def"
#undef COLUMN
	uint32_t unused;
};

enum live_stall {
#define STALL(id, ...) LIVE_STALL_##id,
#include "live/stalls.def"
	LIVE_STALLS
};

/* An instruction of a GPU's code, and how often warps were sampled there. */
struct live_pc {
	uint32_t name;     /* index: the function's */
	uint32_t function; /* symbol of the cubin */
	uint64_t cubin;    /* its checksum */
	uint64_t pc;       /* from the function's begin */
	uint64_t unissued; /* when the scheduler issued nothing */
	uint64_t stalls[LIVE_STALLS];
};

/* A piece of what is kept of a cubin: its pieces stand in their order. */
struct live_cubin {
	uint64_t cubin; /* checksum */
	uint32_t at, size, all, unused;
	uint8_t bytes[1000];
};

/*
 * A collective call of devices (NCCL), as one rank's device made it: one
 * kernel; or a message, of which a kernel may send and receive several. All
 * ranks keep the same calls, those of level L and above, as of MPI's
 * operations: see enum live_event_kind.
 */
enum live_collective_function {
#define COLLECTIVE(id, ...) LIVE_COLLECTIVE_##id,
#include "base/collectives.def"
#undef COLLECTIVE
	LIVE_COLLECTIVES
};

struct live_collective {
	uint64_t key;        /* the same in all ranks */
	uint64_t launched;   /* CLOCK_MONOTONIC, ns: the launching call began */
	uint64_t start, end; /* of the kernel */
	uint64_t bytes;      /* of the buffer that the function counts */
	uint64_t busy_ns;    /* other kernels since the last such one */
	live_ref node, busy_node;  /* that launched; of the longest of those */
	uint32_t name, busy_name;  /* of these two kernels */
	uint32_t comm, size, rank; /* communicator, its ranks; 0: not known */
	uint32_t thread, device;
	uint16_t function; /* enum live_collective_function */
	uint16_t level;
	uint32_t parts; /* messages of this kernel; a collective call is one */
};

/*
 * A communicator of devices, of which this process is one rank: how many
 * collective calls it has announced there, and how many of their kernels have
 * ended, in the order of the calls; and the last ones announced, call n at
 * n % LIVE_ANNOUNCED.
 */
enum {
	LIVE_ANNOUNCED = 256
};

struct live_announced {
	uint64_t ns; /* CLOCK_MONOTONIC, after the launch */
	uint64_t bytes;
	live_ref node; /* that launched; 0: not known */
	uint32_t name; /* of the function */
};

struct live_communicator {
	live_ref next;
	uint32_t size, rank; /* size 0: not known */
	uint64_t id;         /* the same on all its ranks */
	uint64_t announced, ended;
	struct live_announced calls[LIVE_ANNOUNCED];
};

/*
 * A range of the program (copse.h, NVTX) while it is open, and until the work
 * that it launched is known to have ended: then it is added to what its name
 * has, one name for all that differ in digits.  Span n stands at n %
 * LIVE_SPANS; `ended` has those whose end was not met on the timeline of the
 * GPUs yet.
 */
#define LIVE_SPANS         16384
#define LIVE_RANGE_TEXT    48
#define LIVE_RANGE_BUCKETS 512
#define LIVE_RANGE_SUM(x)  x
#define LIVE_RANGE_ONCE(x)

struct live_span {
	uint64_t number; /* 0: free */
	uint64_t parent; /* number of the one that it is in; 0: none */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; 0: it is open */
	uint64_t idle_before_ns;   /* of the GPUs, when it began */
	uint64_t settled; /* number of the last one, when all was known of it */
	uint32_t name;    /* index */
	uint16_t state;   /* enum live_span_state */
	uint16_t nested;  /* 1: in another one of its name, which has all */
#define COLUMN(type, name, help, how) LIVE_RANGE_##how(type name;)
#include "live/range.def"
#undef COLUMN
	char text[LIVE_RANGE_TEXT]; /* its own name */
};

enum live_span_state {
	LIVE_SPAN_NEW,
	LIVE_SPAN_BEGUN, /* the timeline of the GPUs has come to its begin, */
	LIVE_SPAN_DONE,  /* and to its end */
};

struct live_spans {
	uint64_t last, ended_last, unplaced; /* unplaced: had no place */
	uint64_t ended[LIVE_SPANS];
	struct live_span at[LIVE_SPANS];
};

struct live_range {
	live_ref next;
	uint32_t name; /* index */
#define COLUMN(type, name, ...) type name;
#include "live/range.def"
#undef COLUMN
	char longest[LIVE_RANGE_TEXT]; /* name of the longest one */
	uint32_t time_buckets[LIVE_RANGE_BUCKETS];
	uint32_t busy_buckets[LIVE_RANGE_BUCKETS];
};

/*
 * --gpu-trace: pieces of GPU work, calls of CUDA and ranges of the program,
 * each with its times.  Number n, from 1 on, stands in place (n - 1) % room: in
 * so much room the last ones are.  Chunk c has the places from c *
 * LIVE_SLICE_CHUNK on.  Readers take those of which `done` is `begun`: they
 * were written completely, and not changed while a copy was made.
 */
#define LIVE_SLICE_CHUNK 1024
#define LIVE_SLICE_TEXT  44

enum live_slice_kind { /* behind the work of enum live_gpu_kind: */
	LIVE_SLICE_CALL = LIVE_GPU_KINDS,
	LIVE_SLICE_RANGE,
	LIVE_SLICE_KINDS
};

struct live_slice {
	uint32_t done;       /* its number, written last */
	uint8_t kind;        /* enum live_slice_kind */
	uint8_t function;    /* enum live_collective_function */
	uint8_t device, why; /* as the process counts them; enum loss */
	uint64_t start, end; /* CLOCK_MONOTONIC */
	uint32_t thread;     /* that called, or had the range: its index */
	uint32_t id;         /* of the call, the same of work that it began */
	union {
		struct {
			uint64_t launched; /* the call began; 0: not known */
			uint64_t bytes;
			live_ref node; /* of the call; 0: not known, see why */
			live_ref from; /* that put it into a graph; 0: none */
			uint32_t name; /* of work: index */
			uint32_t context, stream;
		};
		struct {
			char text[LIVE_SLICE_TEXT]; /* of a range: its name */
			uint32_t begun;             /* the number, first */
		};
	};
};

struct live_slices {
	uint64_t room; /* places, whole chunks; 0: they are not asked for */
	uint64_t last; /* number of the last one */
	/* Of what gave its place to a later one, or had none, none ended later.
	 */
	uint64_t lost_until_ns;
	/* With --gpu-trace-range: work is kept that was launched then; 0: all,
	   UINT64_MAX: not begun, not ended. */
	uint64_t from_ns, until_ns;
	uint32_t captured; /* name of the node above `from` */
	live_ref chunks;   /* live_ref[room / LIVE_SLICE_CHUNK]; each 0: none */
};

/*
 * Memory of the program, estimated from samples of its allocations: a sum for
 * each context that a thread allocated at.  A cell of metric LIVE_CELL_HEAP
 * holds its live_ref.  An `error` is a variance.
 */
#define LIVE_CELL_HEAP 0xfffeu
#define LIVE_HEAP_BINS 16

struct live_heap_amount {
	double blocks, bytes;
	double blocks_error, bytes_error;
};

struct live_heap_sum {
	live_ref node;
	uint32_t thread; /* whose node it is: its index */
	uint64_t samples;
	struct live_heap_amount all;   /* that was allocated */
	struct live_heap_amount young; /* of it, freed within a millisecond */
	struct live_heap_amount live;
	struct live_heap_amount at_peak; /* of the process, but when changed <=
					    its peak_seq: then `live` is that */
	uint64_t changed;                /* the number of its last event */
	/* Bytes that were live at the end of each bin before this one, in bins
	   that were widened so often; in this one and later ones: live. */
	uint32_t bin, widened;
	double bins[LIVE_HEAP_BINS];
};

/* The sums together.  Bins begin at first_ns, 0: there was no sample. */
struct live_heap {
	live_ref sums; /* first live_chunk */
	uint32_t widened;
	uint64_t first_ns, width_ns; /* CLOCK_MONOTONIC; width of bins */
	double live, peak;           /* bytes */
	uint64_t peak_seq;           /* number of the event that made it */
};

/* First live_chunk, or record, of each of these. */
struct live_gpu_lists {
	live_ref memory, holders, unified, shapes, limits, pcs, cubins;
	live_ref collectives, communicators;
	live_ref ranges, spans; /* spans: struct live_spans */
	uint32_t collectives_level, collectives_moving; /* odd: are moved now */
	uint32_t asked; /* written by readers, another number each time: what
			   has ended is to be here in a second */
	uint64_t sampling_calls, sampling_ns; /* of CUPTI, for samples */
};

/*
 * The call of an adapter that a thread is in, written when it begins and when
 * it ends: a reader sees what a thread waits for that takes no samples.
 * `sequence` is odd while the call is open; what describes it is the last
 * call's when it is not.
 */
struct live_open_call {
	uint32_t sequence;
	uint32_t requests;     /* that it may wait for; the first: */
	live_ref node;         /* its context; 0: not known */
	live_ref comm;         /* struct live_comm; 0: not known */
	int32_t peer, tag;     /* LIVE_OPEN_PEER, or a rank in MPI_COMM_WORLD */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC, … */
	int64_t paused_ns;     /* … and the pauses of the process before it */
	uint64_t completed;    /* calls, but for polls without an answer */
	uint64_t completed_ns; /* CLOCK_MONOTONIC, of the last of them */
	uint32_t polls;        /* since then, in vain; of those in full */
	uint32_t direction;    /* enum live_direction: of peer and tag */
};

/* The lock, or what else, that a thread waits for, while `sequence` is odd. */
struct live_open_wait {
	uint32_t sequence;
	live_ref node;
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
};

enum live_open_peer {
	LIVE_OPEN_NONE = -1,    /* nobody, or all of the communicator */
	LIVE_OPEN_ANY = -2,     /* whoever sends */
	LIVE_OPEN_UNKNOWN = -3, /* one that has no rank in MPI_COMM_WORLD */
};

enum live_direction {
	LIVE_OPEN_CALL,    /* of a collective or one-sided call, or none */
	LIVE_OPEN_SEND,    /* to the peer */
	LIVE_OPEN_RECEIVE, /* from it */
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
		cells;  /* first chunk of each; the first node is the root */
	live_ref phase; /* the node of the innermost that is open; 0, or a root:
			   none is */
	uint64_t first_ns,
		last_ns; /* CLOCK_MONOTONIC, of its life / last sample */
#define COLUMN(type, name, ...) type name;
#define ADDED                   COLUMN
#include "live/thread.def"
#undef COLUMN
#undef ADDED
	uint64_t losses[LOSS_COUNT];
	char name[16];

	/* Only of threads that called MPI. */
	live_ref peers;   /* first struct live_peer */
	live_ref parts;   /* first live_chunk of struct live_event */
	live_ref moments; /* first live_chunk of struct live_moment, or … */
	uint32_t moment_size; /* … of struct live_traced; 0: there is none */
	uint32_t every;       /* a moment is kept of so many samples */
	uint32_t level;       /* events of lower levels are not kept */
	uint32_t thinning;    /* odd: events are being moved; a copy made now
				 has none that can be used */
	/* live/moments.h says which of its list's records count. */
	uint32_t moments_held, moments_old, moments_moved;
	uint32_t moments_at; /* of the next one; in a ring, of the oldest */
	struct live_open_call call;
	struct live_open_wait wait;
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

/*
 * What the process follows of what the user asks (live_request), and the calls
 * that a rank of MPI has made by then: collective ones, on communicators of all
 * of MPI_COMM_WORLD, also while nothing is measured.
 */
struct live_steering {
	uint64_t calls;
	uint64_t turned_at; /* so many calls were made when it did */
	uint32_t number;    /* of the request */
};

/* What window_from and window_until are numbers of (process.def). */
enum live_window {
	LIVE_WINDOW_NONE,
	LIVE_WINDOW_CALLS, /* calls of live_steering: behind the first one */
	LIVE_WINDOW_MARKS, /* of a phase or a range: from the first one on */
};

/* What an MPI rank leaves in place of a profile when it is not wanted. */
#define LIVE_LEFT_OUT ".left-out"

/*
 * How the process ended: by the parent, in the live file itself.  So whoever
 * reads the profile has it, also where the parent could do no more than that.
 */
struct live_end {
	uint64_t mono_ns;        /* CLOCK_MONOTONIC, 0: not known */
	uint64_t cpu_ns;         /* of all its threads; 0: not known */
	uint32_t signal, status; /* signal 0: it exited */
	struct cores cores;
};

/*
 * A signal that the process was about to die of, by itself: it has no handler
 * for it.
 */
struct live_fatal {
	uint64_t mono_ns; /* CLOCK_MONOTONIC, 0: there was none */
	uint32_t signal;
	int32_t code;    /* si_code: what the kernel found, or who sent it */
	uint64_t from;   /* the address that was used; of one that was sent, the
			    process that did */
	uint32_t thread; /* that got it: its index */
	live_ref node;   /* where it was; 0: not known */
};

struct live_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t capacity; /* bytes */
	uint64_t used;     /* bytes handed out; may pass capacity when full */

	/* Times called monotonic are of CLOCK_MONOTONIC. */
#define COLUMN(type, name, ...) type name;
#define ADDED                   COLUMN
#define LOCAL                   COLUMN
#define DERIVED(...)
#include "live/process.def"
#undef COLUMN
#undef ADDED
#undef LOCAL
#undef DERIVED
	uint64_t clock_id;     /* timebase_id() of CLOCK_MONOTONIC, or 0 */
	uint64_t world_id;     /* a name of MPI_COMM_WORLD; 0: not known */
	uint64_t start_cpu_ns; /* process CPU time when measuring began */
	struct live_pauses pauses;
	struct live_steering steering;
	struct live_end end;
	struct live_fatal fatal;
	struct family family; /* in one of a `copse run`: by the parent */
	struct live_footprint footprint; /* by the parent */
	uint64_t events; /* live_ref of the live_text of the setting */
	uint64_t losses[LOSS_COUNT]; /* of no particular thread */

	live_ref command;     /* live_text: arguments, each ended by 0 */
	live_ref exe;         /* live_text */
	live_ref mpi_library; /* live_text, 0: none */
	live_ref modules, names, threads, comms; /* heads of lists */
	live_ref files, io_times;                /* the same */
	live_ref gpu; /* first live_chunk of struct live_gpu */
	struct live_gpu_lists gpu_lists;
	live_ref gpu_devices, gpu_streams; /* heads of lists */
	live_ref gpu_pieces;               /* struct live_pieces */
	live_ref power; /* struct live_power: in copies alone; 0: none */
	struct live_gpu_times gpu_times;
	struct live_slices slices;
	struct live_heap heap;
	uint32_t metric_count;
	char host[64];
	char job[192]; /* its key and what is known of it: by the parent */
	struct batch batch;
	struct live_metric metrics[LIVE_METRICS];
};
