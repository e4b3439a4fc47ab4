/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions.c - calls, the beginning of _init, and epilogues. */
#include "arch/instructions.h"

enum {
	WORD = sizeof(uintptr_t)
};

/* call N; call *N(%rip); call *%rax; call *N(%rax), near and far. */
SIGSAFE enum call_kind instructions_call_before(const uint8_t *code,
						uintptr_t pc, uintptr_t *to)
{
	const uint8_t *end = code + CALL_SIZE;
	int32_t offset;

	memcpy(&offset, end - sizeof(offset), sizeof(offset));
	if (end[-5] == 0xe8) {
		*to = pc + (uintptr_t)(intptr_t)offset;
		return CALL_DIRECT;
	}
	if (end[-6] == 0xff && end[-5] == 0x15) {
		*to = pc + (uintptr_t)(intptr_t)offset;
		return CALL_SLOT;
	}
	if (end[-2] == 0xff && (end[-1] & 0xf8) == 0xd0)
		return CALL_REGISTER;
	if ((end[-3] == 0xff && (end[-2] & 0xf8) == 0x50) ||
	    (end[-6] == 0xff && (end[-5] & 0xf8) == 0x90))
		return CALL_MEMORY;
	return CALL_NONE;
}

SIGSAFE bool instructions_init(const uint8_t *code)
{
	/* sub $8,%rsp; mov __gmon_start__,%rax; maybe behind endbr64 */
	static const uint8_t expected[] = {
		0x48, 0x83, 0xec, 8, 0x48, 0x8b, 5
	};

	return !memcmp(code + (code[0] == 0xf3 ? ENDBR_SIZE : 0), expected,
		       sizeof(expected));
}

/* What is left of a function's code, as far as it was looked at. */
struct rest {
	const uint8_t *at, *end;
	struct epilogue *to;
};

SIGSAFE static bool begins_code(const struct rest *r, const char *bytes,
				size_t count)
{
	return (size_t)(r->end - r->at) > count && !memcmp(r->at, bytes, count);
}

SIGSAFE static bool step_pop(struct rest *r, size_t prefix)
{
	if (r->end - r->at <= 2 || (r->at[prefix] & 0xf8) != 0x58)
		return false;
	if (!prefix && *r->at == 0x5d) { /* pop %rbp */
		r->to->fp = r->to->sp;
		r->to->fp_saved = true;
	}
	r->to->sp += WORD;
	r->at += prefix + 1;
	return true;
}

/* One instruction that does nothing to the stack but to give it back, or a call
 * by a register; false: another, as ret is. */
SIGSAFE static bool step_over(struct rest *r)
{
	size_t prefix = begins_code(r, "\x41", 1); /* for r8 to r15 */

	if (begins_code(r, "\x48\x83\xc4", 3)) { /* add $8,%rsp */
		r->to->sp += (int8_t)r->at[3];
		r->at += 4;
	} else if (begins_code(r, "\x48\x83\xec", 3)) { /* sub $8,%rsp */
		r->to->sp -= (int8_t)r->at[3];
		r->at += 4;
	} else if (begins_code(r, "\xf3\x0f\x1e\xfa", 4)) { /* endbr64 */
		r->at += ENDBR_SIZE;
	} else if (r->end - r->at > 2 && r->at[prefix] == 0xff &&
		   (r->at[prefix + 1] & 0xf8) == 0xd0) { /* call *%rcx */
		r->at += prefix + 2;
	} else {
		return step_pop(r, prefix);
	}
	return true;
}

SIGSAFE bool instructions_epilogue(const uint8_t *code, size_t size,
				   struct epilogue *to)
{
	struct rest r = { code, code + size, to };

	*to = (struct epilogue){ 0 };
	while (step_over(&r))
		;
	if (r.at == r.end || *r.at != 0xc3)
		return false;
	to->pc = to->sp;
	to->pc_saved = true;
	to->sp += WORD;
	return true;
}
