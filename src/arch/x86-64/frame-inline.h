/* SPDX-License-Identifier: BSD-3-Clause */
/* frame-inline.h - call pushes the return address, push %rbp is next. */

enum {
	RED_ZONE = 128,
	STACK_ALIGN = 16,
	FRAME_PUSHED = sizeof(uintptr_t),
	FRAME_FP = 0,
	FRAME_PC = 1,
	FRAME_SP = 2
};

#define FRAME_HERE ((const uintptr_t *)__builtin_frame_address(0))

struct frame_return {
};

SIGSAFE_INLINE uintptr_t frame_strip(uintptr_t pc)
{
	return pc;
}

SIGSAFE_INLINE uintptr_t frame_sp(const uintptr_t *frame)
{
	return (uintptr_t)(frame + FRAME_SP);
}

SIGSAFE_INLINE uintptr_t frame_return_slot(const struct frame_return *r,
					   uintptr_t sp)
{
	(void)r;
	return sp - sizeof(uintptr_t);
}

SIGSAFE_INLINE bool frame_return_keep(struct frame_return *r, uintptr_t sp,
				      uintptr_t slot)
{
	return slot == frame_return_slot(r, sp);
}

SIGSAFE_INLINE uintptr_t frame_return_word(const struct frame_return *r,
					   uintptr_t pc)
{
	(void)r;
	return pc;
}

SIGSAFE_INLINE void frame_return_loosen(struct frame_return *r)
{
	(void)r;
}

SIGSAFE_INLINE bool frame_return_is_loose(const struct frame_return *r)
{
	(void)r;
	return false;
}
