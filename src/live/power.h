/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power.h - what is read of GPUs' power beside the measured program.
 *
 * A process that `copse run` starts (launch/power-meter.h) keeps it in the file
 * LIVE_POWER_FILE beside the live profiles; each copy of a live profile gets it
 * as it is then (launch/power-file.h), and the live profile itself never.
 *
 * Units    Times are CLOCK_MONOTONIC in ns, energies µJ.
 * Writers  One; whoever reads may meet a row that is being written, or that its
 *          writer, killed, never finished.
 */
#pragma once

#include <stdint.h>

#include "live/gpu-uses.h"

#define LIVE_POWER_FILE  "power"
#define LIVE_POWER_MAGIC 0x32726577706f6331u

enum {
	LIVE_POWER_BOARDS = 16,
	LIVE_POWER_BINS = 256,
	LIVE_POWER_PHASES = 512,
	LIVE_POWER_DEVICES = 32,
	LIVE_POWER_NO_BOARD = LIVE_POWER_BOARDS,
};

struct live_power_bin {
	uint64_t uj, ns; /* what was read in it, and of how long that is */
	/* As in gpu-uses.def, each 0 where it is not known. */
	uint64_t uses_ns, use_sm, use_tensor, use_memory;
};

/* A GPU as NVML counts them: of MIG's instances the whole. */
struct live_power_board {
	char uuid[48], bus[32]; /* "GPU-…", "00000000:1B:00.0" */
#define COLUMN(type, name, ...) type name;
#define ADDED                   COLUMN
#include "live/power.def"
#undef COLUMN
#undef ADDED
	uint32_t moving; /* odd: the bins are */
	struct live_power_bin bins[LIVE_POWER_BINS];
};

/* A device that some process used, and what it is of. */
struct live_power_device {
	char uuid[40];   /* as nvidia-smi writes it, but for "GPU-" */
	uint32_t board;  /* LIVE_POWER_NO_BOARD: NVML does not know it */
	uint32_t is_mig; /* an instance of it */
};

/* A phase of a process, while it was using a board. */
struct live_power_phase {
	uint64_t start_ns; /* with the pid: which image */
	uint32_t pid, board;
	uint32_t node;     /* live_ref in its profile; 0: in none */
	uint32_t readings; /* that met the process there */
	uint64_t uj, ns;
#define ADDED(type, name, ...) type name;
#include "live/gpu-uses.def"
#undef ADDED
};

struct live_power {
	uint64_t magic;
	uint32_t size; /* bytes of this */
	uint32_t board_count, device_count, phase_count;
	uint64_t cpu_ns;     /* of the process that reads */
	uint64_t slowest_ns; /* round of readings */
	uint64_t ended;      /* 1: nothing is missing at the end */
	char trouble[160];   /* the first, in words; "": none */
	struct live_power_device devices[LIVE_POWER_DEVICES];
	struct live_power_phase phases[LIVE_POWER_PHASES];
	struct live_power_board boards[LIVE_POWER_BOARDS];
};
