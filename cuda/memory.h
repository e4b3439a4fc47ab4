/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - GPU memory as CUPTI reports it: allocations and frees, the end of
 * contexts, and transfers of unified memory.
 *
 * CUPTI's counters of unified memory are enabled when the program first
 * allocates or prefetches some.  So a program without unified memory pays
 * nothing; one that has only __managed__ variables is not measured.
 */
#pragma once

#include "cuda/cupti.h"

/* Records of memory and of unified memory.  One thread at a time. */
void memory_record(const void *record);
void memory_read(void); /* there are no more for now */
void memory_unified_record(const void *record);

/* Call this before records are enabled. */
void memory_begin(CUpti_SubscriberHandle subscriber);

/* A callback of the resource domain, on the thread that caused it. */
void memory_resource(CUpti_CallbackId id, const CUpti_ResourceData *data);

/* Enable the counters of unified memory: its first call returns. */
void memory_unified(void);

/* No more records come; memory_late_call() still handles frees. */
void memory_end(void);
void memory_late_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		      const CUpti_CallbackData *data);
