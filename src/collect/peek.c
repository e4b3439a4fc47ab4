/* SPDX-License-Identifier: BSD-3-Clause */
/* peek.c - asking the kernel for memory, which answers EFAULT. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/sys.h"
#include "collect/peek.h"

#define PAGE_OF(at) ((at) & ~(uintptr_t)(PEEK_PAGE - 1))

SIGSAFE void peek_forget(struct peek *p)
{
	p->page = 0;
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

SIGSAFE static bool fetch(struct peek *p, uintptr_t page)
{
	struct iovec local = { p->bytes, PEEK_PAGE };
	struct iovec remote = { (void *)page, PEEK_PAGE };
	long got;

	p->page = 0;
	if (!page)
		return false;
	got = sys6(SYS_process_vm_readv, sys0(SYS_getpid), (long)&local, 1,
		   (long)&remote, 1, 0);
	/* Forbidden, as in some containers. */
	if ((got == -EPERM || got == -ENOSYS) && readable(page)) {
		sys_copy(p->bytes, (const void *)page, PEEK_PAGE);
		got = PEEK_PAGE;
	}
	if (got != PEEK_PAGE)
		return false;
	p->page = page;
	return true;
}

SIGSAFE bool peek_copy(struct peek *p, void *to, uintptr_t at, size_t size)
{
	uint8_t *next = to;

	while (size) {
		uintptr_t page = PAGE_OF(at);
		size_t part = page + PEEK_PAGE - at;

		if (part > size)
			part = size;
		if (page != p->page && !fetch(p, page))
			return false;
		memcpy(next, p->bytes + (at - page), part);
		next += part;
		at += part;
		size -= part;
	}
	return true;
}

SIGSAFE bool peek_reaches(struct peek *p, uintptr_t from, uintptr_t end)
{
	uintptr_t page = PAGE_OF(from);

	if (!readable(page))
		return false;
	p->page = 0; /* mincore() writes a byte for each page */
	while (page < end) {
		uintptr_t size = end - page;

		if (size > (uintptr_t)PEEK_PAGE * PEEK_PAGE)
			size = (uintptr_t)PEEK_PAGE * PEEK_PAGE;
		if (sys3(SYS_mincore, page, size, p->bytes))
			return false;
		page += size;
	}
	return true;
}
