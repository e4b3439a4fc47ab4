/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - what CUPTI tells of the work of GPUs, in buffers of ours.
 *
 * Threads   CUPTI's own, or one that flushes; buffers are read one at a time.
 */
#ifndef CUDA_RECORDS_H
#define CUDA_RECORDS_H

#include "cuda/cupti.h"

/*
 * The CUPTI result of the first thing that failed, or 0.  `nodes`: of graphs,
 * one by one.
 */
CUptiResult records_begin(bool nodes);

/* A time of CUPTI's by CLOCK_MONOTONIC; 0 stays 0. */
uint64_t records_time(uint64_t at);

/* Nothing more is asked for; what there is still comes. */
void records_stop(void);

/* Buffers that still come are thrown away, and CUPTI gets no more. */
void records_end(void);

/* CUPTI's clock is what it is without us. */
void records_leave_clock(void);

#endif
