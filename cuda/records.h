/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - CUPTI's activity records of GPU work, in buffers that we provide.
 *
 * Threads   CUPTI's own thread or the flushing one; one buffer is read at a
 * time.
 */
#ifndef CUDA_RECORDS_H
#define CUDA_RECORDS_H

#include "cuda/cupti.h"

/*
 * Enable the records; with `nodes`, one for each node of a graph.  Returns the
 * first CUPTI error, or 0.
 */
CUptiResult records_begin(bool nodes);

/* Converts a time of CUPTI to CLOCK_MONOTONIC; 0 stays 0. */
uint64_t records_time(uint64_t at);

/* Disable the records; complete ones still come. */
void records_stop(void);

/* Discard buffers that still come, and give CUPTI no more. */
void records_end(void);

/* Give CUPTI its own clock back. */
void records_leave_clock(void);

#endif
