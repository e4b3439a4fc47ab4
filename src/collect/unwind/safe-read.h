/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * safe-read.h - reading memory that may not be there, or may go away meanwhile:
 * the kernel copies it, a page at a time, so that nothing can fault.
 *
 * Threads   A reader belongs to one thread.
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/page-size.h"
#include "base/sigsafe.h"

enum {
	PEEK_PAGE = PAGE_SMALLEST,
	PEEK_PAGES = 8
};

struct safe_read {
	uint32_t pid;                /* whose memory; 0: to be asked for */
	uintptr_t page[PEEK_PAGES];  /* whose copies these are; 0: none */
	uintptr_t want[PEEK_PAGES];  /* to be copied in their place; 0: none */
	uint8_t (*bytes)[PEEK_PAGE]; /* room for them, of PEEK_SIZE */
};
#define PEEK_SIZE ((size_t)PEEK_PAGES * PEEK_PAGE)

/* What was copied may have changed since. */
SIGSAFE void safe_read_forget(struct safe_read *p);

/* False: some of it cannot be read. */
SIGSAFE bool safe_read_copy(struct safe_read *p, void *to, uintptr_t at,
			    size_t size);

/* The same of what nothing else is read near of: its page is not copied. */
SIGSAFE bool safe_read_alone(struct safe_read *p, void *to, uintptr_t at,
			     size_t size);

/*
 * Something there will be read: safe_read_wanted() copies the pages of all that
 * are wanted and not there yet, by one system call.  False: the place of one is
 * wanted for another.
 */
SIGSAFE bool safe_read_has(const struct safe_read *p, uintptr_t at,
			   size_t size);
SIGSAFE bool safe_read_want(struct safe_read *p, uintptr_t at, size_t size);
SIGSAFE void safe_read_wanted(struct safe_read *p);

/* Can the page of `from` be read, and is all mapped from there to `end`? */
SIGSAFE bool safe_read_reaches(struct safe_read *p, uintptr_t from,
			       uintptr_t end);
