/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * safe-alloc.c - to be preloaded: an allocator that may be called in handlers,
 * left by a jump, and after vfork(), as the C library's may not.  A block of
 * the size that storm heap.c asks for, and never fills, has a few bytes only,
 * and soon is another one's.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PUBLIC __attribute__((visibility("default"), noinline))

enum {
	PIECE = 64,
	OF_STORM = 300007, /* or twice as many */
	OF_STORM_PIECES = 4096
};
#define ROOM ((size_t)1 << 34)

static char pieces[OF_STORM_PIECES][PIECE] __attribute__((aligned(PIECE)));
static size_t next_piece, used;
static char *room;

static char *all_room(void)
{
	char *is = __atomic_load_n(&room, __ATOMIC_ACQUIRE);

	if (is)
		return is;
	is = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	__atomic_store_n(&room, is, __ATOMIC_RELEASE);
	return is;
}

PUBLIC void *memalign(size_t alignment, size_t size)
{
	size_t all = (size + alignment + 3 * PIECE) / PIECE * PIECE, at;
	char *block;

	if (size && size % OF_STORM == 0)
		return pieces[__atomic_fetch_add(&next_piece, 1,
						 __ATOMIC_RELAXED) %
			      OF_STORM_PIECES];
	at = size < ROOM ? __atomic_fetch_add(&used, all, __ATOMIC_RELAXED)
			 : ROOM;
	if (at + all > ROOM) {
		errno = ENOMEM;
		return NULL;
	}
	block = all_room() + at + PIECE;
	block += -(uintptr_t)block % alignment;
	memcpy(block - sizeof(size), &size, sizeof(size));
	return block;
}

PUBLIC void *malloc(size_t size)
{
	return memalign(PIECE, size);
}

PUBLIC void *calloc(size_t count, size_t size)
{
	void *block = malloc(count * size);

	/* What is of the room is zero still. */
	if (block && count * size % OF_STORM == 0)
		memset(block, 0, PIECE);
	return block;
}

PUBLIC void free(void *block)
{
	(void)block;
}

PUBLIC void *realloc(void *block, size_t size)
{
	char *to = malloc(size);
	size_t had;

	if (!to || !block || (char *)block < room ||
	    (char *)block >= room + ROOM)
		return to;
	memcpy(&had, (char *)block - sizeof(had), sizeof(had));
	if (size % OF_STORM)
		memcpy(to, block, had < size ? had : size);
	return to;
}

PUBLIC int posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = memalign(alignment, size);
	return *to ? 0 : ENOMEM;
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}
