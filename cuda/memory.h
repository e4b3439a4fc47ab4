/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - memory of GPUs as CUPTI tells of it: allocations and frees, the
 * end of contexts, and what unified memory did.
 *
 * Unified memory is asked about when the program first allocates some or wants
 * some moved: a program that has none in calls pays nothing, and one that has
 * only __managed__ variables is not seen.
 */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H

#include <stdbool.h>

#include "cuda/cupti.h"

/* Records: one at a time.  Memory, if it is wanted; unified memory. */
void memory_record(const void *record);
void memory_read(void); /* there are no more for now */
void memory_unified_record(const void *record);

/* Before records are asked for. */
void memory_begin(CUpti_SubscriberHandle subscriber);

/* A callback of the domain of resources, on the thread that caused it. */
void memory_resource(CUpti_CallbackId id, const CUpti_ResourceData *data);

/* The program begins to use unified memory: when the call returns. */
void memory_unified(void);

/* No record will come any more, but calls of frees may. */
void memory_end(void);
void memory_late_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		      const CUpti_CallbackData *data);

#endif
