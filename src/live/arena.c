/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.c - a sparse file on tmpfs, backed piece by piece. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch/page-size.h"
#include "base/sys.h"
#include "live/arena.h"

enum {
	SMALL_PIECE = 16384,
	SPACE_PART = 16 /* one of so many parts may be taken */
};

/*
 * The kernel adds nothing to a word of each page, and says when it finds no
 * memory for it.  MADV_POPULATE_WRITE, which is no faster, needs Linux 5.14.
 */
SIGSAFE static int back_pages(char *at, uint64_t size)
{
	const long add_0 = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
	const long how = FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG;
	long result = 0;

	for (uint64_t i = 0; i < size && result >= 0; i += page_size())
		result = sys6(SYS_futex, (long)at + (long)i, how, 0, 0,
			      (long)at + (long)i, add_0);
	return result < 0 ? (int)result : 0;
}

SIGSAFE static uint64_t at_most(uint64_t size, int resource, uint64_t part)
{
	struct rlimit limit;

	if (!sys4(SYS_prlimit64, 0, resource, 0, &limit) &&
	    limit.rlim_cur / part < size)
		size = limit.rlim_cur / part / page_size() * page_size();
	return size;
}

/*
 * A file that grows beyond the limit on its size would be a SIGXFSZ.  Address
 * space that is limited is the program's, also where nothing is used of ours.
 */
SIGSAFE static uint64_t within_limits(uint64_t size)
{
	size = at_most(size, RLIMIT_FSIZE, 1);
	return at_most(size, RLIMIT_AS, SPACE_PART);
}

/* Of a program that locks all its memory, what cannot be read is not filled. */
SIGSAFE static long show_pages(char *at, uint64_t size)
{
	sys2(SYS_munlock, at, size);
	return sys3(SYS_mprotect, at, size, PROT_READ | PROT_WRITE);
}

SIGSAFE static uint64_t whole_pages(uint64_t size)
{
	return (size + page_size() - 1) & -page_size();
}

SIGSAFE int arena_open(struct arena *arena, const char *path, uint64_t capacity)
{
	const uint64_t first = whole_pages(sizeof(struct live_header));
	long fd, at, err;

	capacity = within_limits(capacity);
	if (capacity < first)
		return -EFBIG;
	fd = sys4(SYS_openat, AT_FDCWD, path,
		  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return (int)fd;
	err = sys2(SYS_ftruncate, fd, capacity);
	at = err ? err
		 : sys6(SYS_mmap, 0, (long)capacity, PROT_NONE, MAP_SHARED, fd,
			0);
	sys1(SYS_close, fd);
	if (sys_failed(at)) {
		sys3(SYS_unlinkat, AT_FDCWD, path, 0);
		return (int)at;
	}
	err = show_pages((char *)at, capacity);
	if (!err)
		err = back_pages((char *)at, first);
	if (err) {
		sys2(SYS_munmap, at, capacity);
		sys3(SYS_unlinkat, AT_FDCWD, path, 0);
		return (int)err;
	}
	arena->base = (char *)at;
	arena->capacity = capacity;
	((struct live_header *)at)->used = first;
	return 0;
}

/*
 * Nobody takes a piece from `wanted`, or from what is used, on.  Whoever has
 * seen the old capacity takes his before the page that is taken here, which is
 * below the cut then, or has to look again.
 */
static void cut_arena(struct arena *arena, uint64_t wanted)
{
	struct live_header *header = (struct live_header *)arena->base;
	uint64_t before = arena->capacity, used;

	__atomic_store_n(&arena->capacity, wanted, __ATOMIC_SEQ_CST);
	used = __atomic_add_fetch(&header->used, page_size(), __ATOMIC_SEQ_CST);
	if (used > before) {
		__atomic_store_n(&header->used, before, __ATOMIC_SEQ_CST);
		used = before;
	}
	arena->capacity = used > wanted ? used : wanted;
}

void arena_fit(struct arena *arena)
{
	uint64_t before = arena->capacity, wanted = within_limits(before);

	if (wanted >= before)
		return;
	cut_arena(arena, wanted);
	sys2(SYS_munmap, arena->base + arena->capacity,
	     before - arena->capacity);
}

uint64_t arena_hide(struct arena *arena)
{
	uint64_t before = arena->capacity;

	cut_arena(arena, 0);
	sys3(SYS_mprotect, arena->base + arena->capacity,
	     before - arena->capacity, PROT_NONE);
	return before;
}

void arena_show(struct arena *arena, uint64_t capacity)
{
	if (!show_pages(arena->base + arena->capacity,
			capacity - arena->capacity))
		__atomic_store_n(&arena->capacity, capacity, __ATOMIC_SEQ_CST);
}

/* Bytes in whole pages, not backed yet, or 0. */
SIGSAFE static uint64_t reserve_pages(struct arena *arena, uint64_t size)
{
	struct live_header *header = (struct live_header *)arena->base;
	uint64_t at = __atomic_load_n(&header->used, __ATOMIC_RELAXED);

	do {
		if (at + size >
		    __atomic_load_n(&arena->capacity, __ATOMIC_SEQ_CST))
			return 0;
	} while (!__atomic_compare_exchange_n(&header->used, &at, at + size,
					      true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return at;
}

SIGSAFE live_ref arena_pages(struct arena *arena, uint64_t size)
{
	uint64_t at = reserve_pages(arena, whole_pages(size));

	if (!at || back_pages(arena->base + at, whole_pages(size)))
		return 0;
	return (live_ref)(at / LIVE_UNIT);
}

/*
 * A piece that nobody has anything of yet, or 0.  Who took one in vain, as
 * another thread was first, gives it back where that can be.
 */
SIGSAFE static bool renew_piece(struct arena *arena, struct arena_small *small,
				struct arena_small *is, uint64_t size)
{
	struct live_header *header = (struct live_header *)arena->base;
	uint64_t at = reserve_pages(arena, size), end = at + size;
	struct arena_small fresh = { (live_ref)(at / LIVE_UNIT),
				     (live_ref)(end / LIVE_UNIT) };

	if (!at)
		return false;
	if (__atomic_compare_exchange(small, is, &fresh, false,
				      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		*is = fresh;
	else
		__atomic_compare_exchange_n(&header->used, &end, at, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

/* The pages that it lies in, maybe others' as well. */
SIGSAFE static bool back_record(const struct arena *arena, live_ref at,
				uint64_t size)
{
	uint64_t from = (uint64_t)at * LIVE_UNIT, to = whole_pages(from + size);

	from &= -page_size();
	return !back_pages(arena->base + from, to - from);
}

SIGSAFE live_ref arena_small(struct arena *arena, struct arena_small *small,
			     uint64_t size)
{
	live_ref units = (live_ref)((size + LIVE_UNIT - 1) / LIVE_UNIT);
	uint64_t piece = size > SMALL_PIECE ? whole_pages(size) : SMALL_PIECE;
	struct arena_small is, rest;

	__atomic_load(small, &is, __ATOMIC_ACQUIRE);
	do {
		while (is.at + units > is.end)
			if (!renew_piece(arena, small, &is, piece))
				return 0;
		rest = (struct arena_small){ is.at + units, is.end };
	} while (!__atomic_compare_exchange(
		small, &is, &rest, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return back_record(arena, is.at, size) ? is.at : 0;
}
