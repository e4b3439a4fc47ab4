/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture.h - hooks for tests/gpu/capture.c, a library that a developer
 * preloads to keep what CUPTI reports.  Without it they are NULL.
 *
 * Threads   Any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cuda/cupti.h"

#define HOOK __attribute__((weak, visibility("default")))

/* `site`: where the program's call returns to; 0: a call inside another. */
HOOK void copse_capture_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const CUpti_CallbackData *data, uint64_t site);
HOOK void copse_capture_record(const CUpti_Activity *record);

/* Nothing that comes later belongs to the capture. */
HOOK void copse_capture_end(void);

static inline bool capture_wanted(void)
{
	return copse_capture_call;
}
