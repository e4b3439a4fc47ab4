/* SPDX-License-Identifier: BSD-3-Clause */
/* page-size-inline.h - pages have 4 KiB, lines 64 bytes. */

enum {
	PAGE_SMALLEST = 4096,
	CACHE_LINE = 64
};

SIGSAFE_INLINE uint64_t page_size(void)
{
	return PAGE_SMALLEST;
}
