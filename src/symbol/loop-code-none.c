/* SPDX-License-Identifier: BSD-3-Clause */
/* loop-code-none.c - in place of loop-code.c where capstone was not found. */
#include "symbol/loop-code.h"

int loop_code_read(struct loop_code *to, const unsigned char *code, size_t size,
		   uint64_t address, const struct loop_calls *calls)
{
	(void)code;
	(void)calls;
	*to = (struct loop_code){ .address = address, .size = size };
	return 0;
}

void loop_code_fini(struct loop_code *code)
{
	*code = (struct loop_code){ 0 };
}

uint32_t loop_code_at(const struct loop_code *code, uint64_t address)
{
	(void)code;
	(void)address;
	return LOOP_NONE;
}
