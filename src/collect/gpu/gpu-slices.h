/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-slices.h - each piece of GPU work, call of CUDA and range of the program,
 * with its times (--gpu-trace): the last of them stand in a ring in the live
 * profile.  With --gpu-trace-range those are kept that were launched while
 * certain ranges were open.
 *
 * Threads   Any; nobody waits for another but for a new chunk of memory.
 * Signals   Not to be called from handlers.
 * Failure   What has no place is counted, with the time up to which something
 *           is missing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collect/regions/region.h"
#include "live/layout.h"

/* They are asked for: an adapter that asks once need not tell of calls. */
bool copse_gpu_traced(void);

/* A call that copse_region_leave() has just left; its id. */
void copse_gpu_slice_call(const struct region *r, uint32_t id);

/* GPUs are used: before all others. */
void gpu_slices_begin(void);

/* By whoever tells of work, which is no thread of the program's. */
void gpu_slices_prepare(void);

/* Work that has ended, as gpu.c found it, but for its number. */
void gpu_slices_work(const struct live_slice *work, uint32_t captured);

/* A range begins, of that number (gpu-spans.h); 0: it has none. */
void gpu_slices_range(const char *group, const char *text, uint64_t span,
		      uint64_t ns);

/* It has ended, at span->end_ns, on a thread of that index. */
void gpu_slices_range_end(const struct live_span *span, uint64_t number,
			  uint32_t thread);
