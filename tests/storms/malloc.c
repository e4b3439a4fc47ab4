/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * malloc.c - four threads that do little but allocate, in all ways and sizes,
 * and check that nobody else writes into what they got.
 */
#include <string.h>

#include "storm.h"

enum {
	KEPT_BLOCKS = 64
};

struct block {
	unsigned char *at;
	size_t size;
	unsigned char mark;
};

static void check(const struct block *b)
{
	if (b->at && (b->at[0] != b->mark || b->at[b->size - 1] != b->mark))
		storm_broken("memory");
}

static void fill(struct block *b, unsigned char mark)
{
	if (!b->at)
		storm_broken("malloc");
	b->mark = mark;
	b->at[0] = b->at[b->size - 1] = mark;
}

static KEPT void allocate(struct block *b, unsigned int way)
{
	switch (way % 4) {
	case 0:
		b->at = realloc(b->at, b->size);
		return;
	case 1:
		free(b->at);
		b->at = calloc(1, b->size);
		return;
	case 2:
		free(b->at);
		if (posix_memalign((void **)&b->at, 64, b->size))
			b->at = NULL;
		return;
	default:
		free(b->at);
		b->at = malloc(b->size);
	}
}

static void *storm(void *unused)
{
	static unsigned int threads;
	unsigned int own = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	struct block kept[KEPT_BLOCKS] = { 0 };

	for (unsigned int i = 0; i % 1024 || storm_lasts(); i++) {
		struct block *b = &kept[i * 7 % KEPT_BLOCKS];

		check(b);
		/* Every fifth is large enough to need a lock. */
		b->size = 1 + i * 7919u % (i % 5 ? 900 : 30000);
		allocate(b, i / KEPT_BLOCKS);
		fill(b, (unsigned char)(own + i));
	}
	for (int i = 0; i < KEPT_BLOCKS; i++)
		free(kept[i].at);
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { storm, storm, storm, storm };

	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
