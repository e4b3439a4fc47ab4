/* SPDX-License-Identifier: BSD-3-Clause */
/* frame-inline.h - call pushes the return address, push %rbp is next. */

enum {
	RED_ZONE = 128,
	STACK_ALIGN = 16,
	FRAME_FP = 0,
	FRAME_PC = 1,
	FRAME_SP = 2
};

SIGSAFE_INLINE uintptr_t frame_return_slot(uintptr_t sp)
{
	return sp - sizeof(uintptr_t);
}
