/* SPDX-License-Identifier: BSD-3-Clause */
/* page-size-inline.h - pages have 4, 16 or 64 KiB, lines mostly 64 bytes. */
#include <sys/auxv.h>

enum {
	PAGE_SMALLEST = 4096,
	CACHE_LINE = 64
};

SIGSAFE_INLINE uint64_t page_size(void)
{
	return getauxval(AT_PAGESZ);
}
