/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture.h - for developers: COPSE_GPU_CAPTURE=FILE keeps what CUPTI said, so
 * that a machine without a GPU can play it (tests/gpu/made.c).
 *
 * The file is CAPTURE_MAGIC, then entries, each a struct capture_entry and
 * `size` bytes: of a call, struct capture_call and the function's name; of a
 * record, the record; of a text, a pointer of records that follow (8 bytes)
 * and what is behind it.  All in the machine's byte order.
 *
 * Threads   Any.
 * Failure   What cannot be written is left out.
 */
#ifndef CUDA_CAPTURE_H
#define CUDA_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/cupti.h"

#define CAPTURE_MAGIC "copse-gpu-capture 1\n"

enum capture_type {
	CAPTURE_CALL = 1,
	CAPTURE_RECORD,
	CAPTURE_TEXT,
};

struct capture_entry {
	uint32_t type; /* enum capture_type */
	uint32_t size;
};

struct capture_call {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint64_t
		site; /* where the program's call returns to; 0: a nested one */
	uint32_t thread, domain, id, correlation;
	uint32_t leaves; /* 1: the call returns */
	int32_t code;    /* what it returned */
};

void capture_begin(void);

/* Mutable: is there a file?  What follows does nothing without one. */
extern bool capture_open;
static inline bool capture_wanted(void)
{
	return __atomic_load_n(&capture_open, __ATOMIC_RELAXED);
}
void capture_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		  const CUpti_CallbackData *data, uint64_t site);
void capture_record(const CUpti_Activity *record);
void capture_end(void);

/* Bytes of a record that are kept; 0: of another kind than we ask for. */
size_t capture_record_size(CUpti_ActivityKind kind);

#endif
