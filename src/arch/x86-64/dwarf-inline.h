/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dwarf-inline.h - System V ABI, AMD64 supplement, figure 3.36: rax, rdx, rcx,
 * rbx, rsi, rdi, rbp, rsp, r8 to r15, and the return address.
 */

enum {
	DWARF_THROWN = 2,
	DWARF_RBX = 3,
	DWARF_FP = 6,
	DWARF_SP = 7,
	DWARF_R12 = 12,
	DWARF_PC = 16,
	DWARF_RETURN = DWARF_PC,
	DWARF_REGISTERS
};

/* A call pushes it. */
#define DWARF_RETURN_RULE                                                      \
	{                                                                      \
		CFI_AT_CFA, -8                                                 \
	}

SIGSAFE_INLINE bool dwarf_is_kept(unsigned int number)
{
	return number == DWARF_RBX ||
	       (number >= DWARF_R12 && number < DWARF_PC);
}

SIGSAFE_INLINE int dwarf_signing_operands(uint8_t operation)
{
	(void)operation;
	return -1;
}
