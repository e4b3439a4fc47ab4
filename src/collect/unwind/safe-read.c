/* SPDX-License-Identifier: BSD-3-Clause */
/* safe-read.c - asking the kernel for memory, which answers EFAULT. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/sys.h"
#include "collect/unwind/safe-read.h"

#define PAGE_OF(at) ((at) & ~(uintptr_t)(PEEK_PAGE - 1))

SIGSAFE void safe_read_forget(struct safe_read *p)
{
	for (int i = 0; i < PEEK_PAGES; i++)
		p->page[i] = 0;
}

/*
 * A system call that reads a word and then refuses: `how` is none of its
 * values.  It may be used where process_vm_readv() may not.
 */
SIGSAFE static bool readable(uintptr_t page)
{
	return sys4(SYS_rt_sigprocmask, -1, page, 0, sizeof(uint64_t)) !=
	       -EFAULT;
}

/* Of one page. */
SIGSAFE static bool fetch(const struct safe_read *p, void *to, uintptr_t at,
			  size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)at, size };
	long pid = p->pid ? (long)p->pid : sys0(SYS_getpid);
	long got = sys6(SYS_process_vm_readv, pid, (long)&local, 1,
			(long)&remote, 1, 0);

	/* Forbidden, as in some containers. */
	if ((got == -EPERM || got == -ENOSYS) && readable(PAGE_OF(at))) {
		sys_copy(to, (const void *)at, size);
		return true;
	}
	return got == (long)size;
}

/* The copy of a page, or NULL. */
SIGSAFE static const uint8_t *copy_of(struct safe_read *p, uintptr_t page)
{
	size_t i = page / PEEK_PAGE % PEEK_PAGES;

	if (p->page[i] == page)
		return page ? p->bytes[i] : NULL;
	p->page[i] = 0;
	if (!fetch(p, p->bytes[i], page, PEEK_PAGE))
		return NULL;
	p->page[i] = page;
	return p->bytes[i];
}

SIGSAFE bool safe_read_alone(struct safe_read *p, void *to, uintptr_t at,
			     size_t size)
{
	uintptr_t page = PAGE_OF(at);

	if (p->page[page / PEEK_PAGE % PEEK_PAGES] == page ||
	    page != PAGE_OF(at + size - 1))
		return safe_read_copy(p, to, at, size);
	return fetch(p, to, at, size);
}

SIGSAFE bool safe_read_copy(struct safe_read *p, void *to, uintptr_t at,
			    size_t size)
{
	uint8_t *next = to;

	while (size) {
		uintptr_t page = PAGE_OF(at);
		const uint8_t *from = copy_of(p, page);
		size_t part = page + PEEK_PAGE - at;

		if (!from)
			return false;
		if (part > size)
			part = size;
		memcpy(next, from + (at - page), part);
		next += part;
		at += part;
		size -= part;
	}
	return true;
}

SIGSAFE bool safe_read_reaches(struct safe_read *p, uintptr_t from,
			       uintptr_t end)
{
	uintptr_t page = PAGE_OF(from);

	if (!readable(page))
		return false;
	p->page[0] = 0; /* mincore() writes a byte for each page */
	while (page < end) {
		uintptr_t size = end - page;

		if (size > (uintptr_t)PEEK_PAGE * PEEK_PAGE)
			size = (uintptr_t)PEEK_PAGE * PEEK_PAGE;
		if (sys3(SYS_mincore, page, size, p->bytes[0]))
			return false;
		page += size;
	}
	return true;
}
