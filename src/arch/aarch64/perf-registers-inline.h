/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-registers-inline.h - <asm/perf_regs.h>: x0 to x30, sp, pc. */
#include <linux/perf_event.h>
#include <string.h>

#define PERF_REGISTERS       0x1ffffffffu
#define PERF_REGISTERS_COUNT 33
#define PERF_REGISTERS_ABI   PERF_SAMPLE_REGS_ABI_64

static inline void perf_registers_take(mcontext_t *to, const uint64_t *from)
{
	memcpy(to->regs, from, sizeof(to->regs));
	to->sp = from[31];
	to->pc = from[32];
}
