/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-gpu-tables.h - what a run has of GPUs beside metrics: memory by process
 * and device, unified memory, the shapes of kernels.
 */
#ifndef RUN_RUN_GPU_TABLES_H
#define RUN_RUN_GPU_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* A device of a process, or its host (RUN_HOST), and the memory live there. */
#define RUN_HOST UINT32_MAX
struct run_holder {    /* by rank, then device */
	uint32_t rank; /* index into ranks */
	uint32_t device;
	uint64_t live, peak;         /* bytes: at the end, and at most */
	uint64_t peak_ns;            /* from the process's start */
	uint64_t first_ns, width_ns; /* of its bins, from there too */
};

struct run_memory_bin { /* by holder, then bin */
	uint32_t holder, bin;
	uint64_t bytes;
};

struct run_held { /* by holder, then kind: enum live_memory_kind */
	uint32_t holder, kind;
	uint64_t live, peak;
};

struct run_unified {   /* by rank, device, kind: enum live_unified_kind */
	uint32_t rank; /* index into ranks */
	uint32_t kind, device;
	uint64_t count, bytes, ns;
};

struct run_model { /* of devices: what kernels share there, each once */
	uint32_t major, minor, multiprocessors, warp;
	uint32_t threads, blocks, registers, shared; /* of a multiprocessor */
	uint32_t block_registers, reserved_shared;
};

#define RUN_NO_MODEL UINT32_MAX
struct run_shape {         /* of all processes; by ns, the longest first */
	uint32_t function; /* string: the kernel's name */
	uint32_t model;    /* index, or RUN_NO_MODEL */
	uint32_t block_x, block_y, block_z;
	uint32_t registers;
	uint32_t static_shared, dynamic_shared, local, cluster;
	uint64_t launches, ns, least_blocks, most_blocks;
};

/* What taking samples cost hosts, all of them; one row, or none. */
struct run_sampling {
	uint64_t calls, ns;
};

struct run_facts {
	struct run_holder *holders;
	struct run_memory_bin *bins;
	struct run_held *held;
	struct run_unified *unified;
	struct run_model *models;
	struct run_shape *shapes;
	struct run_sampling *sampling;
	size_t holder_count, bin_count, held_count, unified_count, model_count,
		shape_count, sampling_count;
};

void run_facts_fini(struct run_facts *gpu);

#endif
