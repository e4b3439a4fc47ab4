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
SIGSAFE static bool is_readable(uintptr_t page)
{
	return sys4(SYS_rt_sigprocmask, -1, page, 0, sizeof(uint64_t)) !=
	       -EFAULT;
}

SIGSAFE static long read_pieces(const struct safe_read *p,
				const struct iovec *to,
				const struct iovec *from, long count)
{
	long pid = p->pid ? (long)p->pid : sys0(SYS_getpid);

	return sys6(SYS_process_vm_readv, pid, (long)to, count, (long)from,
		    count, 0);
}

/* Of one page. */
SIGSAFE static bool fetch_bytes(const struct safe_read *p, void *to,
				uintptr_t at, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)at, size };
	long got = read_pieces(p, &local, &remote, 1);

	/* Forbidden, as in some containers. */
	if ((got == -EPERM || got == -ENOSYS) && is_readable(PAGE_OF(at))) {
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
	if (!fetch_bytes(p, p->bytes[i], page, PEEK_PAGE))
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
	return fetch_bytes(p, to, at, size);
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

SIGSAFE bool safe_read_has(const struct safe_read *p, uintptr_t at, size_t size)
{
	uintptr_t page = PAGE_OF(at);

	for (; page < at + size; page += PEEK_PAGE)
		if (p->page[page / PEEK_PAGE % PEEK_PAGES] != page)
			return false;
	return true;
}

SIGSAFE bool safe_read_want(struct safe_read *p, uintptr_t at, size_t size)
{
	uintptr_t page = PAGE_OF(at);

	for (; page < at + size; page += PEEK_PAGE) {
		size_t i = page / PEEK_PAGE % PEEK_PAGES;

		if (p->page[i] == page || p->want[i] == page)
			continue;
		if (p->want[i])
			return false;
		p->want[i] = page;
	}
	return true;
}

/* One that follows another in both places is read with it: that is cheaper. */
SIGSAFE static bool iovec_follows(const struct iovec *before, const void *at)
{
	return (const uint8_t *)before->iov_base + before->iov_len == at;
}

SIGSAFE void safe_read_wanted(struct safe_read *p)
{
	struct iovec to[PEEK_PAGES], from[PEEK_PAGES];
	long last = -1, left;

	for (size_t i = 0; i < PEEK_PAGES; i++) {
		void *page = (void *)p->want[i];

		if (!page)
			continue;
		if (last < 0 || !iovec_follows(&to[last], p->bytes[i]) ||
		    !iovec_follows(&from[last], page)) {
			to[++last] = (struct iovec){ p->bytes[i], 0 };
			from[last] = (struct iovec){ page, 0 };
		}
		to[last].iov_len += PEEK_PAGE;
		from[last].iov_len += PEEK_PAGE;
	}
	if (last < 0)
		return;
	left = read_pieces(p, to, from, last + 1);
	for (size_t i = 0; i < PEEK_PAGES; i++) {
		if (!p->want[i])
			continue;
		left -= PEEK_PAGE;
		p->page[i] = left >= 0 ? p->want[i] : 0;
		p->want[i] = 0;
	}
}

SIGSAFE bool safe_read_reaches(struct safe_read *p, uintptr_t from,
			       uintptr_t end)
{
	uintptr_t page = from & -page_size();

	if (!is_readable(page))
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
