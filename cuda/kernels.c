/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernels.c - a copy of each name is kept, for the life of the process.  A
 * pointer leads to it at once, as long as there is the same text behind it: the
 * module that a name was of may go.
 */
#include "cuda/activity-records.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collect/regions/region.h"

enum {
	FIRST_TEXTS = 256,
	POINTERS = 1024,
};

/* Mutable: by text, open addressing; and the last of each pointer's hash. */
static struct {
	struct region_name **texts;
	uint32_t size, count;
	struct {
		const char *pointer;
		struct region_name *name;
	} last[POINTERS];
} kernels;

static uint32_t hash_kernel(const char *text)
{
	uint64_t x = 0xcbf29ce484222325u;

	for (; *text; text++)
		x = (x ^ (uint8_t)*text) * 0x100000001b3u;
	return (uint32_t)(x ^ x >> 32);
}

/* Where the text is, or is to be. */
static struct region_name **slot_of_text(struct region_name **texts,
					 uint32_t size, const char *text)
{
	uint32_t at = hash_kernel(text);

	while (texts[at & (size - 1)] &&
	       strcmp(texts[at & (size - 1)]->text, text) != 0)
		at++;
	return &texts[at & (size - 1)];
}

static bool grow_kernels(void)
{
	uint32_t size = kernels.size ? 2 * kernels.size : FIRST_TEXTS;
	struct region_name **bigger =
		calloc(size, sizeof(struct region_name *));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < kernels.size; i++)
		if (kernels.texts[i])
			*slot_of_text(bigger, size, kernels.texts[i]->text) =
				kernels.texts[i];
	free(kernels.texts);
	kernels.texts = bigger;
	kernels.size = size;
	return true;
}

static struct region_name *new_kernel_name(const char *text)
{
	struct region_name *name = calloc(1, sizeof(*name));
	char *copy = strdup(text);

	if (!name || !copy) {
		free(name);
		free(copy);
		return NULL;
	}
	name->text = copy;
	name->class = LIVE_NAME_KERNEL;
	return name;
}

static struct region_name *find_kernel(const char *text)
{
	struct region_name **place;

	if (kernels.count >= kernels.size / 2 && !grow_kernels())
		return NULL;
	place = slot_of_text(kernels.texts, kernels.size, text);
	if (!*place) {
		*place = new_kernel_name(text);
		kernels.count += *place != NULL;
	}
	return *place;
}

struct region_name *kernel_name(const char *text)
{
	uint64_t key = (uintptr_t)text * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(key >> 40) % POINTERS;

	if (!text)
		text = "[kernel without a name]";
	if (kernels.last[i].pointer != text || !kernels.last[i].name ||
	    strcmp(kernels.last[i].name->text, text) != 0) {
		kernels.last[i].pointer = text;
		kernels.last[i].name = find_kernel(text);
	}
	return kernels.last[i].name;
}
