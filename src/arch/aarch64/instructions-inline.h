/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions-inline.h - sizes, and adrp x16, N; ldr x17, [x16, N]; … */
#include <string.h>

enum {
	CALL_SIZE = 4,
	LINKAGE_SIZE = 12, /* bti c; adrp; ldr */
	INIT_SIZE = 12
};

/* The instructions that hints are; elsewhere these do nothing. */
SIGSAFE_INLINE bool instructions_is_hint(uint32_t i)
{
	return (i & 0xfffff01f) == 0xd503201f;
}

SIGSAFE_INLINE bool instructions_linkage(const uint8_t *code, size_t size,
					 uintptr_t at, uintptr_t *slot)
{
	uint32_t i[3] = { 0 };
	uintptr_t first;
	int64_t pages;

	memcpy(i, code, size < sizeof(i) ? size : sizeof(i));
	if (instructions_is_hint(i[0])) { /* bti c */
		i[0] = i[1];
		i[1] = i[2];
		at += sizeof(*i);
	}
	if ((i[0] & 0x9f00001f) != 0x90000010 ||
	    (i[1] & 0xffc003ff) != 0xf9400211)
		return false;
	first = (i[0] >> 29 & 3) | (i[0] >> 3 & 0x1ffffc);
	pages = (int64_t)(first << 43) >> 43;
	*slot = (at & ~(uintptr_t)0xfff) + ((uintptr_t)pages << 12) +
		(i[1] >> 10 & 0xfff) * sizeof(*slot);
	return true;
}
