/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-strings.h - the strings that a page refers to, numbered as they come:
 * only those of a pool that something has.
 */
#pragma once

#include "format/page/page-stream.h"

struct page_strings {
	const struct strings *pool;
	uint32_t *number; /* by string of the pool, + 1 */
	uint32_t *used;
	uint32_t count;
};

/* 0, or -ENOMEM with a reason; page_strings_fini() is due in either case. */
int page_strings_init(struct page_strings *t, const struct strings *pool);
void page_strings_fini(struct page_strings *t);

/* Its number in the page. */
uint32_t page_string(struct page_strings *t, uint32_t string);

/* The member `strings`, when all have come. */
void page_put_strings(struct page_stream *s, const struct page_strings *t);
