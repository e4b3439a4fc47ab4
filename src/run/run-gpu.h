/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-gpu.h - a run's GPUs: each once, however many processes share it, and
 * when they worked.
 *
 * Indices    Ranks are indices into the run's ranks, nodes its nodes.
 * Shared     A device is known by its UUID and host.  For one process all times
 *            are exact.  Of several, busy time is an estimate from timelines of
 *            RUN_GPU_BINS bins at most: as if they worked independently of one
 *            another within a bin, between the two bounds that are possible.
 */
#ifndef RUN_RUN_GPU_H
#define RUN_RUN_GPU_H

#include <stddef.h>
#include <stdint.h>

#define RUN_GPU_BINS 4096

struct run_device {
	uint32_t host, uuid, name; /* strings; uuid and name: 0 not known */
	uint32_t id;      /* as the first of its processes counts them */
	int32_t instance; /* of MIG; -1: none */
	uint32_t shares;  /* processes that used it */
	double busy_ns, busy_least_ns, busy_most_ns;
	double kernels_ns, copies_ns; /* unions of each process, summed */
	double overlap_ns;            /* of both in one process, summed */
	double kernels_sum_ns;
	double span_ns;    /* from the first work of any to the last */
	double elapsed_ns; /* that its processes ran, and it was known: the
			      longest */
};

struct run_share { /* by device, then rank */
	uint32_t device, rank;
	uint32_t id; /* as that process counts them */
	uint64_t kernels, copies;
	uint64_t busy_ns, kernels_ns, copies_ns, kernels_sum_ns;
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC of that host */
};

struct run_stream {      /* by device, then rank, context and stream */
	uint32_t device; /* UINT32_MAX: of several */
	uint32_t rank, context, stream;
	uint64_t kernels, copies;
	uint64_t busy_ns, kernels_ns, span_ns;
};

struct run_work { /* by node, then device; over all ranks */
	uint32_t node, device;
	uint64_t count, ns;
};

/* The devices of a process together; only of processes that used one. */
struct run_gpu_rank { /* by rank */
	uint32_t rank;
	uint64_t busy_ns;
	uint64_t before_ns;     /* from its start to its first work */
	uint64_t span_ns;       /* from there to the end of the last */
	uint64_t offload_ns;    /* inside calls of CUDA, on the main thread */
	uint64_t late, late_ns; /* pieces of work out of order */
};

/* Of processes whose GPUs are not known to the end: see profile_gpu_known. */
struct run_gpu_known { /* by rank */
	uint32_t rank;
	uint64_t ns;
};

struct run_gpu {
	struct run_device *devices; /* as the ranks, in their order, use them */
	struct run_share *shares;
	struct run_stream *streams;
	struct run_work *works;
	struct run_gpu_rank *ranks;
	struct run_gpu_known *known;
	size_t device_count, share_count, stream_count, work_count, rank_count,
		known_count;
};

void run_gpu_fini(struct run_gpu *gpu);

/* How long a process ran, but pauses, while its GPUs were known. */
struct run_rank;
uint64_t run_gpu_known(const struct run_gpu *gpu, uint32_t rank,
		       const struct run_rank *times);

#endif
