/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-power.h - the energy of a run's GPUs: of each once, however many
 * processes read it, and where it went.
 *
 * A GPU here is what NVML reads, of MIG's instances the whole; several devices
 * of run-gpu.h may be parts of one.
 */
#ifndef RUN_RUN_POWER_H
#define RUN_RUN_POWER_H

#include <stddef.h>
#include <stdint.h>

/* As the process read it that did so for the longest. */
struct run_power {
	uint32_t host, uuid, bus; /* strings */
	uint32_t readers;         /* processes that read it */
	uint32_t counts;          /* 0: it has no counter of energy */
	uint32_t is_mig;          /* instances of it were used */
	uint64_t readings, failures;
	uint64_t reasons; /* that clocks had: NVML's bits */
	double seconds;   /* that the joules are of */
	double joules;    /* by the counter, if there is one, else … */
	double integral;  /* … of its power, over integral_seconds */
	double integral_seconds;
	double idle; /* the least power that was read, for all seconds */
	double least_watts, most_watts;
	double sm_mhz, memory_mhz;   /* means; -1: not known */
	double used, slowed;         /* shares of the time; -1: not known */
	double celsius;              /* the most; 0: not known */
	double reading_cpu, slowest; /* seconds: of all readings; of a round */
};

struct run_power_device { /* for each of run->gpu's devices */
	uint32_t power;   /* index; RUN_NO_POWER: it was not read */
};
#define RUN_NO_POWER UINT32_MAX

/* What a phase of all processes took; a shared GPU's is divided among these. */
struct run_power_phase { /* by power, then node */
	uint32_t power, node;
	uint64_t readings;
	double joules, seconds; /* seconds: of all processes, added */
};

struct run_energy {
	struct run_power *powers;
	struct run_power_device *devices;
	struct run_power_phase *phases;
	size_t power_count, device_count, phase_count;
};

void run_energy_fini(struct run_energy *energy);

#endif
