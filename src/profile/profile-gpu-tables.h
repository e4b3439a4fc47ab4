/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile-gpu-tables.h - what a profile has of GPUs beside the metrics of its
 * tree: rows of the tables of rank-gpu-tables.h.
 */
#ifndef PROFILE_PROFILE_GPU_TABLES_H
#define PROFILE_PROFILE_GPU_TABLES_H

#include <stdint.h>

#include "live/layout.h"

/* A device, or the host (PROFILE_HOST), and the memory that is live there. */
#define PROFILE_HOST UINT32_MAX
struct profile_holder {
	uint32_t device;
	uint64_t live, peak;         /* bytes: at the end, and at most */
	uint64_t peak_ns;            /* CLOCK_MONOTONIC */
	uint64_t first_ns, width_ns; /* of its bins; 0: there is none */
	uint64_t peak_seq;           /* while it is read, not in files */
};

/* The most that was live from first_ns + bin * width_ns on; of a holder they
   stand in their order, from 0. */
struct profile_memory_bin {
	uint32_t holder, bin;
	uint64_t bytes;
};

/* Of a holder, by enum live_memory_kind. */
struct profile_held {
	uint32_t holder, kind;
	uint64_t live, peak;
};

struct profile_unified {
	uint32_t kind; /* enum live_unified_kind */
	uint32_t device;
	uint64_t count, bytes, ns;
};

/* How a kernel was launched; grids are a range. */
struct profile_shape {
	uint32_t name, device;
	uint32_t block_x, block_y, block_z;
	uint32_t registers; /* per thread */
	uint32_t static_shared, dynamic_shared, local, cluster;
	uint64_t launches, ns, least_blocks, most_blocks;
};

struct profile_limits { /* struct live_limits */
	uint32_t device, major, minor, multiprocessors, warp;
	uint32_t threads, blocks, registers, shared;
	uint32_t block_registers, reserved_shared;
};

/*
 * The GPU that one of the process's devices is, or is a part of, as it was read
 * beside the process: struct live_power_board.
 */
struct profile_power {
	uint32_t device; /* index */
	uint32_t is_mig; /* an instance: what was read is the whole GPU's */
	char uuid[48], bus[32];
	uint64_t readings, failures, first_ns, last_ns, known_ns;
	uint64_t power_uj, counter_uj;
	uint32_t counts; /* 0: it has no counter of energy */
	uint32_t least_mw, most_mw, most_celsius;
	uint64_t sm_mhz_ns, memory_mhz_ns, clocks_ns;
	uint64_t used_ns, use_ns, slowed_ns, reasons_ns, reasons;
	uint64_t cpu_ns, slowest_ns; /* of reading, all GPUs together */
	uint64_t first_bin; /* bin b begins at (first_bin + b) << bin_shift */
	uint32_t bin_shift;
};

struct profile_power_bin { /* by power, then bin; none is 0 long */
	uint32_t power, bin;
	uint64_t uj, ns;
};

/* The phase in which readings met the process; node 0: in none. */
struct profile_power_phase { /* by power, then node */
	uint32_t power, node, readings;
	uint64_t uj, ns;
};

/* An instruction of a GPU's code: struct live_pc. */
struct profile_pc {
	uint32_t name, function;
	uint64_t cubin, pc, unissued;
	union {
		uint64_t stalls[LIVE_STALLS];
		struct {
#define STALL(id, member) uint64_t member;
#include "live/stalls.def"
		};
	};
};

/* What is kept of a cubin: an ELF file, of so many bytes. */
struct profile_cubin {
	uint64_t cubin; /* checksum */
	uint64_t size;
};

/* Of all cubins, one behind the other, each from a word of its own on. */
struct profile_cubin_word {
	uint64_t word;
};

/* What taking samples cost on the host; one row, or none. */
struct profile_sampling {
	uint64_t calls, ns;
};

#endif
