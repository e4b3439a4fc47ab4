/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-registers-inline.h - <asm/perf_regs.h>: ax to ip, then r8 to r15. */
#include <linux/perf_event.h>

#define PERF_REGISTERS       0xff01ffu
#define PERF_REGISTERS_COUNT 17
#define PERF_REGISTERS_ABI   PERF_SAMPLE_REGS_ABI_64

static inline void perf_registers_take(mcontext_t *to, const uint64_t *from)
{
	static const uint8_t index[PERF_REGISTERS_COUNT] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
		REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (int i = 0; i < PERF_REGISTERS_COUNT; i++)
		to->gregs[index[i]] = (greg_t)from[i];
}
