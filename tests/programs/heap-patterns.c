/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap-patterns.c [SCALE [SEED]] - allocates in functions of which it knows
 * what they take, and prints for each the bytes and the blocks that it
 * allocated, what of it was live when most was, and what it left, as
 *
 *     truth NAME BYTES BLOCKS PEAK LEFT
 *
 * then by how many bytes grows_slowly() grows in a step, which it marks as a
 * phase, as `truth grows BYTES`.  Runs without copse too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

enum {
	KEPT_BLOCKS = 40000,
	LARGE_BLOCKS = 20,
	LARGE_BYTES = 8 << 20,
	STEPS = 120,
	STEP_BLOCKS = 16,
	STEP_BYTES = 65000
};

struct site {
	const char *name;
	uint64_t bytes, blocks, peak, left;
};

static void (*begin)(const char *), (*end)(const char *);
static double scale = 1;
static uint64_t seed = 1;
static void *volatile sink;

static void *got(struct site *s, void *block, size_t bytes)
{
	if (!block)
		abort();
	s->bytes += bytes;
	s->blocks++;
	*(volatile char *)block = 1;
	return sink = block;
}

static size_t some_bytes(size_t most)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return 1 + (size_t)(seed >> 33) % most;
}

/* Freed at once. */
static KEPT void small_blocks(struct site *s)
{
	for (int i = 0; i < (int)(400000 * scale); i++)
		free(got(s, malloc(96), 96));
}

static KEPT void mixed_blocks(struct site *s)
{
	for (int i = 0; i < (int)(30000 * scale); i++) {
		size_t bytes = some_bytes(i % 100 ? 2000 : 200000);

		free(got(s, malloc(bytes), bytes));
	}
}

static KEPT void zeroed_blocks(struct site *s)
{
	for (int i = 0; i < (int)(40000 * scale); i++)
		free(got(s, calloc(10, 60), 600));
}

static KEPT void aligned_blocks(struct site *s)
{
	for (int i = 0; i < (int)(10000 * scale); i++) {
		void *block = NULL;

		if (posix_memalign(&block, 64, 1000))
			abort();
		free(got(s, block, 1000));
		free(got(s, aligned_alloc(256, 1024), 1024));
		free(got(s, memalign(128, 1100), 1100));
		free(got(s, valloc(1200), 1200));
	}
}

/* Each new size is an allocation of all of it. */
static KEPT void enlarged_blocks(struct site *s)
{
	for (int i = 0; i < (int)(500 * scale); i++) {
		char *block = NULL;

		for (size_t bytes = 64; bytes <= 65536; bytes *= 2)
			block = got(s,
				    bytes % 128
					    ? realloc(block, bytes)
					    : reallocarray(block, bytes / 8, 8),
				    bytes);
		free(block);
	}
}

/* Live when most is: freed in the end. */
static KEPT void large_blocks(struct site *s, void **to)
{
	for (int i = 0; i < LARGE_BLOCKS; i++)
		to[i] = got(s, malloc(LARGE_BYTES), LARGE_BYTES);
}

static KEPT void kept_blocks(struct site *s, void **to)
{
	for (int i = 0; i < KEPT_BLOCKS; i++) {
		size_t bytes = some_bytes(800);

		to[i] = got(s, malloc(bytes), bytes);
		s->left += bytes;
	}
}

static KEPT void grows_slowly(struct site *s, void **to)
{
	for (int i = 0; i < STEP_BLOCKS; i++)
		to[i] = got(s, malloc(STEP_BYTES), STEP_BYTES);
}

static void nothing(const char *name)
{
	(void)name;
}

static void all_steps(struct site *s)
{
	static void *blocks[STEPS][STEP_BLOCKS];

	for (int i = 0; i < STEPS; i++) {
		begin("step");
		grows_slowly(s, blocks[i]);
		usleep(5000);
		end("step");
	}
	s->peak = s->bytes;
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < STEP_BLOCKS; k++)
			free(blocks[i][k]);
}

static void say(const struct site *s)
{
	printf("truth %s %ju %ju %ju %ju\n", s->name, (uintmax_t)s->bytes,
	       (uintmax_t)s->blocks, (uintmax_t)s->peak, (uintmax_t)s->left);
}

int main(int argc, char **argv)
{
	struct site sites[] = {
		{ .name = "small_blocks" },    { .name = "mixed_blocks" },
		{ .name = "zeroed_blocks" },   { .name = "aligned_blocks" },
		{ .name = "enlarged_blocks" }, { .name = "large_blocks" },
		{ .name = "kept_blocks" },     { .name = "grows_slowly" },
	};
	static void *kept[KEPT_BLOCKS];
	void *large[LARGE_BLOCKS];

	scale = argc > 1 ? atof(argv[1]) : 1;
	seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	begin = (void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_begin");
	end = (void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_end");
	if (!begin || !end)
		begin = end = nothing;
	small_blocks(&sites[0]);
	mixed_blocks(&sites[1]);
	kept_blocks(&sites[6], kept);
	zeroed_blocks(&sites[2]);
	aligned_blocks(&sites[3]);
	enlarged_blocks(&sites[4]);
	large_blocks(&sites[5], large);
	if (scale > 0.9)
		all_steps(&sites[7]);
	sites[5].peak = sites[5].bytes;
	sites[6].peak = sites[6].left;
	for (int i = 0; i < LARGE_BLOCKS; i++)
		free(large[i]);
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		say(&sites[i]);
	if (scale > 0.9)
		printf("truth grows %d\n", STEP_BLOCKS * STEP_BYTES);
	return 0;
}
