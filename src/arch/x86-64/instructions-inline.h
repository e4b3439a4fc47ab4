/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions-inline.h - sizes, and jmp *N(%rip). */
#include <string.h>

enum {
	CALL_SIZE = 7,     /* call *N(%r12) */
	LINKAGE_SIZE = 11, /* endbr64; bnd jmp *N(%rip) */
	INIT_SIZE = 11,
	ENDBR_SIZE = 4
};

SIGSAFE_INLINE bool instructions_linkage(const uint8_t *code, size_t size,
					 uintptr_t at, uintptr_t *slot)
{
	bool endbr = size > ENDBR_SIZE &&
		     !memcmp(code, "\xf3\x0f\x1e\xfa", ENDBR_SIZE);
	size_t i = endbr ? ENDBR_SIZE : 0;
	int32_t offset;

	i += i < size && code[i] == 0xf2; /* bnd */
	if (i + 6 > size || code[i] != 0xff || code[i + 1] != 0x25)
		return false;
	memcpy(&offset, code + i + 2, sizeof(offset));
	*slot = at + i + 6 + (uintptr_t)(intptr_t)offset;
	return true;
}
