/* SPDX-License-Identifier: BSD-3-Clause */
/* flow-inline.h - jumps, calls and returns. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_ARCH CS_ARCH_X86
#define FLOW_MODE CS_MODE_64

/* Registers and memory are written otherwise; so are addresses below ten. */
static inline enum flow flow_of(const cs_insn *i, uint64_t *target)
{
	bool direct = !strncmp(i->op_str, "0x", 2);

	*target = direct ? strtoull(i->op_str, NULL, 16) : 0;
	switch (i->id) {
	case X86_INS_JMP:
		return direct ? JUMPS : JUMPS_ANYWHERE;
	case X86_INS_LJMP:
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_HLT:
	case X86_INS_UD0:
	case X86_INS_UD2:
		return ENDS;
	case X86_INS_CALL:
		return direct ? CALLS : GOES_ON;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		return BRANCHES;
	case X86_INS_NOP:
		return PADDING;
	default: /* only conditional jumps have names with j */
		return *i->mnemonic == 'j' && direct ? BRANCHES : GOES_ON;
	}
}
