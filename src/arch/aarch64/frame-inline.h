/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frame-inline.h - a function saves x29 and x30 anywhere in its frame, next to
 * each other, and lets x29 point there; x30 may be signed.
 */
#include <stddef.h>

enum {
	RED_ZONE = 0,
	STACK_ALIGN = 16,
	FRAME_PUSHED = 0,
	FRAME_FP = 0,
	FRAME_PC = 1,
	FRAME_SP = 2
};

/* Signatures are taken off, never checked: x30 is what the hint works on. */
SIGSAFE_INLINE uintptr_t frame_strip(uintptr_t pc)
{
	register uintptr_t x30 __asm__("x30") = pc;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri: elsewhere it does nothing */
	return x30;
}

/* The two words at x29, and where the caller's stack ends. */
#define FRAME_HERE                                                             \
	((const uintptr_t[]){                                                  \
		((const uintptr_t *)__builtin_frame_address(0))[FRAME_FP],     \
		((const uintptr_t *)__builtin_frame_address(0))[FRAME_PC],     \
		(uintptr_t)__builtin_dwarf_cfa() })

SIGSAFE_INLINE uintptr_t frame_sp(const uintptr_t *frame)
{
	return frame[FRAME_SP];
}

struct frame_return {
	uintptr_t slot; /* 0: it was in x30, or is not known */
	bool loose;
};

SIGSAFE_INLINE bool frame_return_keep(struct frame_return *r, uintptr_t sp,
				      uintptr_t slot)
{
	(void)sp;
	r->slot = slot;
	return slot;
}

SIGSAFE_INLINE uintptr_t frame_return_slot(const struct frame_return *r,
					   uintptr_t sp)
{
	(void)sp;
	return r->slot;
}

SIGSAFE_INLINE void frame_return_loosen(struct frame_return *r)
{
	r->loose = true;
}

SIGSAFE_INLINE bool frame_return_is_loose(const struct frame_return *r)
{
	return r->loose;
}

SIGSAFE_INLINE uintptr_t frame_return_word(const struct frame_return *r,
					   uintptr_t pc)
{
	uintptr_t word = *(const volatile uintptr_t *)r->slot;

	return frame_strip(word) == pc ? word : pc;
}
