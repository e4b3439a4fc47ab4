/* SPDX-License-Identifier: BSD-3-Clause */
/* flow-inline.h - branches, calls and returns. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_ARCH CS_ARCH_ARM64
#define FLOW_MODE CS_MODE_LITTLE_ENDIAN

/* A target is the last operand. */
static inline enum flow flow_of(const cs_insn *i, uint64_t *target)
{
	const char *last = strrchr(i->op_str, '#');

	*target = last ? strtoull(last + 1, NULL, 16) : 0;
	switch (i->id) {
	case ARM64_INS_B:
		return i->mnemonic[1] ? BRANCHES : JUMPS; /* b.eq … */
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return BRANCHES;
	case ARM64_INS_BR:
		return JUMPS_ANYWHERE;
	case ARM64_INS_BL:
		return CALLS;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
	case ARM64_INS_BRK:
	case ARM64_INS_HLT:
		return ENDS;
	case ARM64_INS_NOP:
		return PADDING;
	default:
		return GOES_ON;
	}
}
