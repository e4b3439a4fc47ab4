/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture.h - the file that capture.c writes and made-play.c reads.
 *
 * It is CAPTURE_MAGIC, then entries.  An entry is a struct capture_entry and
 * `size` bytes: of a call, struct capture_call and the function's name; of a
 * record, the record; of a text, a pointer in records that follow (8 bytes)
 * and the text that it points to.  All is in the machine's byte order.
 */
#pragma once

#include <stdint.h>

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
	uint64_t ns;   /* CLOCK_MONOTONIC */
	uint64_t site; /* see cuda/capture.h */
	uint32_t thread, domain, id, correlation;
	uint32_t leaves; /* 1: the call returns */
	int32_t code;    /* what it returned */
};
