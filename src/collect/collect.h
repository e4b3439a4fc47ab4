/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collect.h - the collector as a whole: started before main() when the
 * process runs under `copse run`, and again in every forked child.
 */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"
#include "base/sigsafe.h"
#include "live/layout.h"

/* False: not under `copse run`, or something needed is missing. */
bool collect_active(void);
uint32_t collect_depth(void);

/* Keep what happens inside MPI calls, too. */
SIGSAFE bool collect_internals(void);
/* Ranges of NVTX are kept that are no nested ones. */
bool collect_nvtx_start_end(void);
/* GPU work is measured. */
bool collect_gpu(void);
/* All calls of CUDA are counted, not only those that begin work. */
bool collect_gpu_api(void);
/* Memory of GPUs is followed; page faults of unified memory are counted. */
bool collect_gpu_memory(void);
bool collect_gpu_faults(void);
bool collect_gpu_getters(void);
bool collect_gpu_nodes(void);
/* Kernels are sampled; cycles between samples, as a power of 2, 0: any. */
bool collect_gpu_sampling(uint32_t *period);
/* Are call paths walked twice and compared? */
bool collect_verify(void);

/* What the profile's header says about how it is measured. */
SIGSAFE void collect_describe(struct live_header *header);

/* Millionths of the CPU time that sampling may cost; 0: any. */
SIGSAFE uint64_t collect_budget(void);

/* The live directory when this process is not to be measured, or NULL. */
const char *collect_left_out(void);

/*
 * Stop all clocks, or let them go on; control.h is who asks, and when.
 * Mutable: what pauses took until now, of all threads; in a pause that less
 * the time when it began, which is negative.
 */
void collect_hold(bool held);
extern HIDDEN int64_t collect_pauses; /* atomic, ns */
static inline bool collect_paused(void)
{
	return __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED) < 0;
}

/* What pauses took until then, which is now or lately (CLOCK_MONOTONIC). */
static inline __attribute__((always_inline)) int64_t
collect_paused_until(uint64_t ns)
{
	int64_t pauses = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);

	return pauses < 0 ? pauses + (int64_t)ns : pauses;
}

/*
 * phase.c: the name of a phase or a range, kept for the life of the process;
 * NULL: no memory.
 */
struct region_name;
struct region_name *phase_name(const char *text);

/* phase.c: in a forked child. */
void phase_forked(void);

/* sample.c: the handler of the clock's signal. */
int sample_init(void);

#endif
