/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dwarf-inline.h - DWARF for the Arm 64-bit architecture, 4.1: x0 to x30, sp,
 * pc.  The return address has the column of x30, where it is until a function
 * saves it.
 */

enum {
	DWARF_THROWN = 4,
	DWARF_X19 = 19,
	DWARF_FP = 29,
	DWARF_RETURN = 30,
	DWARF_SP = 31,
	DWARF_PC = 32,
	DWARF_REGISTERS
};

#define DWARF_RETURN_RULE                                                      \
	{                                                                      \
		CFI_IN_REGISTER, DWARF_RETURN                                  \
	}

SIGSAFE_INLINE bool dwarf_is_kept(unsigned int number)
{
	return number >= DWARF_X19 && number < DWARF_FP;
}

/* AARCH64_set_ra_state, negate_ra_state_with_pc and negate_ra_state. */
SIGSAFE_INLINE int dwarf_signing_operands(uint8_t operation)
{
	switch (operation) {
	case 0x2b:
		return 2;
	case 0x2c:
	case 0x2d:
		return 0;
	default:
		return -1;
	}
}
