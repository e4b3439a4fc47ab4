/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions.c - calls, the beginning of _init, and epilogues. */
#include "arch/instructions.h"

enum {
	WORD = sizeof(uintptr_t),
	SIZE = 4,
	X29 = 29,
	X30 = 30
};

SIGSAFE static uint32_t instruction_at(const uint8_t *code)
{
	uint32_t i;

	memcpy(&i, code, sizeof(i));
	return i;
}

/* The signed number of so many bits that begins at a bit. */
SIGSAFE static intptr_t signed_field(uint32_t i, int from, int bits)
{
	return (int32_t)(i << (32 - bits - from)) >> (32 - bits);
}

/* bl N; blr x0, and the kinds that check a signature. */
SIGSAFE enum call_kind instructions_call_before(const uint8_t *code,
						uintptr_t pc, uintptr_t *to)
{
	uint32_t i = instruction_at(code);

	if (i >> 26 == 0x25) {
		*to = pc - SIZE + (uintptr_t)(signed_field(i, 0, 26) * SIZE);
		return CALL_DIRECT;
	}
	if ((i & 0xfffffc1f) == 0xd63f0000 || (i & 0xfefff800) == 0xd63f0800)
		return CALL_REGISTER;
	return CALL_NONE;
}

SIGSAFE bool instructions_init(const uint8_t *code)
{
	/* stp x29, x30, [sp, #-16]!; mov x29, sp; behind one or no hint */
	size_t hint = instructions_is_hint(instruction_at(code)) ? SIZE : 0;

	return instruction_at(code + hint) == 0xa9bf7bfd &&
	       instruction_at(code + hint + SIZE) == 0x910003fd;
}

/* What is left of a function's code, as far as it was looked at. */
struct rest {
	struct epilogue *to;
	bool called; /* x30 is not the caller's any more */
};

SIGSAFE static void note_load(struct rest *r, uint32_t number, intptr_t at)
{
	if (number == X29) {
		r->to->fp = at;
		r->to->fp_saved = true;
	} else if (number == X30) {
		r->to->pc = at;
		r->to->pc_saved = true;
	}
}

/* Loads from the stack: ldp and ldr, with an offset or behind which the stack
 * pointer moves.  Of vector registers, only that. */
SIGSAFE static bool step_load(struct rest *r, uint32_t i)
{
	bool vector = i >> 26 & 1;
	intptr_t at = r->to->sp;
	uint32_t pair = i & 0xffc003e0;

	if (pair == 0xa8c003e0 || pair == 0x6cc003e0) { /* ldp [sp], N */
		r->to->sp += signed_field(i, 15, 7) * WORD;
	} else if (pair == 0xa94003e0 || pair == 0x6d4003e0) { /* [sp, N] */
		at += signed_field(i, 15, 7) * WORD;
	} else if ((i & 0xffe00fe0) == 0xf84007e0) { /* ldr x0, [sp], N */
		note_load(r, i & 31, at);
		r->to->sp += signed_field(i, 12, 9);
		return true;
	} else if (pair == 0xf94003e0) { /* ldr x0, [sp, N] */
		note_load(r, i & 31, at + (i >> 10 & 0xfff) * WORD);
		return true;
	} else {
		return false;
	}
	if (!vector) {
		note_load(r, i & 31, at);
		note_load(r, i >> 10 & 31, at + WORD);
	}
	return true;
}

/* One that does nothing to the stack but to give it back, a call by a register,
 * or what a linkage entry does before it jumps. */
SIGSAFE static bool step_over(struct rest *r, uint32_t i)
{
	if ((i & 0xff8003ff) == 0x910003ff) { /* add sp, sp, N */
		r->to->sp += (i >> 10 & 0xfff) << (i >> 22 & 1 ? 12 : 0);
		return true;
	}
	if ((i & 0xfffffc1f) == 0xd63f0000) { /* blr */
		r->called = true;
		r->to->pc_saved = false;
		return true;
	}
	return instructions_is_hint(i) ||
	       (i & 0x9f00001f) == 0x90000010 || /* adrp x16, N */
	       (i & 0xffc003ff) == 0xf9400211 || /* ldr x17, [x16, N] */
	       (i & 0xffc003ff) == 0x91000210 || /* add x16, x16, N */
	       step_load(r, i);
}

/* ret, with or without a check of the signature; br x16, br x17. */
SIGSAFE static bool leaves_function(uint32_t i)
{
	return i == 0xd65f03c0 || i == 0xd65f0bff || i == 0xd65f0fff ||
	       i == 0xd61f0200 || i == 0xd61f0220;
}

SIGSAFE bool instructions_epilogue(const uint8_t *code, size_t size,
				   struct epilogue *to)
{
	struct rest r = { to, false };

	*to = (struct epilogue){ 0 };
	for (; size >= SIZE; code += SIZE, size -= SIZE) {
		uint32_t i = instruction_at(code);

		if (leaves_function(i))
			return to->pc_saved || !r.called;
		if (!step_over(&r, i))
			break;
	}
	return false;
}
