/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf-registers.h - registers of a thread in a sample of a perf event.
 *
 * PERF_REGISTERS         those that are asked for (sample_regs_user)
 * PERF_REGISTERS_COUNT   how many these are
 * PERF_REGISTERS_ABI     sample_regs_abi of programs that can be unwound
 */
#pragma once

#include <stdint.h>
#include <ucontext.h>

/* From a sample, in its order, to a context. */
static inline void perf_registers_take(mcontext_t *to, const uint64_t *from);

#include "perf-registers-inline.h"
