/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.h - one process's profile in memory: what a live profile becomes
 * when its process has ended, and what rank-N.h5 holds.
 *
 * Ownership   A profile owns everything it points to.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/batch.h"
#include "base/cores.h"
#include "base/family.h"
#include "base/metric.h"
#include "profile/profile-gpu-tables.h"
#include "profile/extent.h"

/* As enum live_node_kind, in the same order. */
enum node_kind {
	NODE_ROOT,
	NODE_CALL,    /* owner: module; offset of a return address */
	NODE_PC,      /* owner: module; offset of the very instruction */
	NODE_ADDRESS, /* code of no module; offset: the address */
	NODE_NAMED,   /* owner: name */
	NODE_PARTIAL, /* owner: index into losses */
	NODE_KINDS
};

struct profile_module {
	char *path;
	char build_id[80]; /* hexadecimal, "" when there is none */
	uint64_t base;     /* run-time address - base = address in the file */
};

struct profile_name {
	char *text;
	uint32_t class, detail; /* enum live_name_class, enum live_mpi_class */
};

struct profile_node {    /* one tree for all threads; a parent stands before */
	uint32_t parent; /* the root, node 0, is its own */
	uint32_t kind;
	uint32_t owner;
	uint64_t offset;
};

struct profile_value {
	uint32_t node, thread;
	uint64_t value;
};

struct profile_column { /* values sorted by node, then thread; none is 0 */
	char name[56];
	enum unit unit;
	enum merge merge;
	size_t count;
	struct profile_value *values;
	struct counting counting;
};

struct profile_loss {
	char name[32];
	uint64_t count;
};

struct profile_thread {
	uint32_t tid, clock, runs, ended;
	char name[16];
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns, wall_ns, samples, ticks, handler_ns, wrapper_ns;
	uint64_t slowest_ns; /* longest period that the budget asked for, 0 */
	uint64_t switches;   /* of the thread, while an event was its clock */
	uint64_t switch_ns;  /* what setting the event then cost */
	uint64_t timer_samples; /* kept while a timer stood in for the event */
	uint32_t every;         /* samples that one of its moments stands for */
	uint32_t level;         /* of its parts, the least that are here */
};

struct profile_comm {
	uint32_t size, rank, inter;
	uint64_t calls;
	uint64_t id;        /* the same in all its processes; 0: not known */
	uint64_t instances; /* collective calls on it */
	uint32_t first;     /* MPI_COMM_WORLD's rank of its first process */
	char *name;         /* "": none */
};

/* Communicator and root of the MPI calls of one context, of all threads. */
#define PROFILE_NO_COMM       UINT32_MAX
#define PROFILE_SEVERAL_COMMS (UINT32_MAX - 1)
struct profile_site { /* sorted by node */
	uint32_t node;
	uint32_t comm; /* index, or one of the two above */
	int32_t root;  /* rank in it; -1: none, -2: several */
};

/* MPI calls of one context by size, of all threads. */
struct profile_size {         /* sorted by node, then class */
	uint32_t node, class; /* class 0: 0 bytes, n: 2^(n-1) … 2^n - 1 */
	uint64_t calls, ns;
};

/* What was exchanged with another rank, by all threads; sorted by rank. */
struct profile_peer {
	uint32_t rank; /* in MPI_COMM_WORLD */
	uint64_t sends, sent, send_ns, receives, received, receive_ns;
};

/* Later moments of CLOCK_MONOTONIC are damage: 36 years after boot. */
#define PROFILE_TIME_MOST ((uint64_t)1 << 60)

/* This process's part of a collective call or a message: struct live_part. */
struct profile_part {
	uint64_t key, begin, enter, leave; /* CLOCK_MONOTONIC */
	uint32_t begin_node, node, thread;
	int32_t peer;
	uint32_t check, size, comm_rank, cluster;
	uint32_t kind, level;
};

/* A sample's moment; of a thread they stand in the order of time. */
struct profile_moment {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t node, thread, weight_ns;
};

/*
 * A GPU, or a MIG instance of one, and the time it worked for this process: of
 * each kind of work the union, not the sum.
 */
struct profile_device {
	uint32_t id;      /* as the process counts them */
	char uuid[44];    /* as nvidia-smi writes it, "": not known */
	char name[64];    /* "": not known */
	int32_t instance; /* of MIG; -1: none */
	uint64_t busy_ns, kernels_ns, copies_ns;
	uint64_t kernels_sum_ns;    /* the sum */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC */
	uint64_t kernels, copies;
	uint64_t first_bin; /* bin b begins at (first_bin + b) << bin_shift */
	uint32_t bin_shift;
	/* While it is read from a live profile, and not in files: */
	uint64_t kernels_until_ns, copies_until_ns;
};

struct profile_bin {          /* by device, then bin; none is 0 */
	uint32_t device, bin; /* device: index */
	uint64_t ns;          /* of work in it */
};

struct profile_stream {
	uint32_t device; /* its id; UINT32_MAX: of several */
	uint32_t context, stream;
	uint64_t busy_ns, kernels_ns, first_ns, last_ns;
	uint64_t kernels, copies;
};

/* What a context had each device do; sorted by node, then device. */
struct profile_work {
	uint32_t node, device; /* its id */
	uint64_t count, ns;
};

/* All devices of the process together; late: what came out of order. */
struct profile_gpu_times {
	uint64_t busy_ns, first_ns, last_ns, late, late_ns;
	uint64_t first_paused_ns; /* before the first call for work */
};

/* GPUs are known for so long, from the start, without pauses; 0: to the end. */
struct profile_gpu_known {
	uint64_t ns;
};

/* How the process ended, as its parent saw it. */
enum profile_end {
	END_UNKNOWN, /* recovered, or still running */
	END_EXIT,    /* end_code: exit status */
	END_SIGNAL,  /* end_code: signal */
	END_UNSEEN,  /* of a process that the program started: it has ended */
};

struct profile_identity {
	int32_t rank, size; /* -1, 0: no MPI */
	uint64_t world_id;  /* a name of MPI_COMM_WORLD; 0: not known */
	uint32_t pid, ppid;
	char host[64];
	char *exe;
	char *command; /* arguments, quoted as for a shell */
	char *job;     /* the job's key, see doc/copse-format.5 */
	struct batch batch;
	char *version; /* of copse */
	char *events;
	char *mpi_library;
	uint64_t start_real_ns, start_mono_ns, end_mono_ns;
	uint64_t late_real_ns, late_mono_ns; /* both clocks again, at one later
						moment; 0: not known */
	char clock_id[20]; /* the same where CLOCK_MONOTONIC is the same; "":
			      not known */
	uint64_t mpi_init_ns, mpi_finalize_ns; /* 0: never */
	uint32_t mpi_thread; /* index of the thread of MPI_Init */
	uint32_t mpi_error;  /* code given to MPI_Abort + 1, 0: none */
	uint32_t end, end_code;
	uint64_t freq;
	uint32_t clock, wall;    /* enum live_clock, enum live_wall */
	uint64_t process_cpu_ns; /* by getrusage, children and pauses excluded;
				    0: unknown */
	uint64_t paused_ns; /* not measured, by copse_pause() and its like */
	uint64_t mpi_init_paused_ns, mpi_finalize_paused_ns; /* until then */
	struct cores cores;
	struct family family; /* in one profile of each `copse run` */
};

struct profile {
	struct profile_identity id;
	struct profile_module *modules;
	struct profile_name *names;
	struct profile_node *nodes;
	struct profile_column *columns;
	struct profile_loss *losses; /* of all threads */
	struct profile_thread *threads;
	struct profile_comm *comms;
	struct profile_site *sites;
	struct profile_size *sizes;
	struct profile_peer *peers;
	struct profile_part *parts;
	struct profile_moment *moments;
	struct profile_device *devices;
	struct profile_stream *streams;
	struct profile_bin *bins;
	struct profile_work *works;
	struct profile_gpu_times gpu;
	struct profile_gpu_known gpu_known;
	size_t device_count, stream_count, bin_count, work_count;
	size_t module_count, name_count, node_count, column_count, loss_count,
		thread_count, comm_count, site_count, size_count, peer_count,
		part_count, moment_count;
	/* Of GPUs. */
	struct profile_holder *holders;
	struct profile_memory_bin *memory_bins;
	struct profile_held *held;
	struct profile_unified *unified;
	struct profile_shape *shapes;
	struct profile_limits *limits;
	struct profile_power *powers;
	struct profile_power_bin *power_bins;
	struct profile_power_phase *power_phases;
	size_t power_count, power_bin_count, power_phase_count;
	struct profile_pc *pcs;
	struct profile_cubin *cubins;
	struct profile_cubin_word *cubin_words;
	struct profile_sampling *sampling;
	size_t holder_count, memory_bin_count, held_count, unified_count,
		shape_count, limit_count, pc_count, cubin_count,
		cubin_word_count, sampling_count;
};

/* profile.c */
void profile_free(struct profile *p); /* NULL is fine */

/* The column of that name, or NULL. */
const struct profile_column *profile_column(const struct profile *p,
					    const char *name);

/*
 * from-live.c: the profile that a live profile (or a raw copy of one) of
 * `size` bytes at `data` holds.  0; -EINVAL with a reason when it is none or
 * damaged beyond use.  What is damaged in part is left out.
 */
int profile_from_live(struct profile **to, const void *data, size_t size);

/* rank-file.c: 0, or -errno with a reason that names the file. */
int profile_save(const struct profile *p, const char *path);

/* The same in that folder, as regular.h has it. */
int profile_save_in(const struct profile *p, int dir, const char *path);

/* Reads rank-N.h5, or a raw copy of a live profile (rank-N.live). */
int profile_load(struct profile **to, const char *path);

/* A rank file that is a piece of another file (node-file.h). */
int profile_load_piece(struct profile **to, const char *path,
		       struct file_extent piece);

#endif
