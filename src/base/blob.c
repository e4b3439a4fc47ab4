/* SPDX-License-Identifier: BSD-3-Clause */
/* blob.c - bytes that grow. */
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/err.h"

enum {
	ALIGNED = 8
};

void blob_fini(struct blob *b)
{
	free(b->at);
	*b = (struct blob){ 0 };
}

void blob_clear(struct blob *b)
{
	b->size = b->read = 0;
	b->exhausted = false;
}

int blob_error(const struct blob *b)
{
	return b->exhausted ? no_memory() : 0;
}

uint8_t *blob_reach(struct blob *b, size_t most)
{
	if (b->exhausted)
		return NULL;
	if (!b->at || b->room - b->size < most) {
		size_t room = b->room + b->room / 2 + most + 1024;
		char *at = realloc(b->at, room);

		b->exhausted = !at;
		if (!at)
			return NULL;
		b->at = at;
		b->room = room;
	}
	return (uint8_t *)b->at + b->size;
}

static size_t aligned_blob(size_t size)
{
	return (size + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

static void put_bytes(struct blob *b, const void *at, size_t size)
{
	uint8_t *to = blob_reach(b, aligned_blob(size));

	if (!to)
		return;
	if (size)
		memcpy(to, at, size);
	memset(to + size, 0, aligned_blob(size) - size);
	b->size += aligned_blob(size);
}

void blob_put(struct blob *b, const void *at, size_t count, size_t size)
{
	uint64_t number = count;

	put_bytes(b, &number, sizeof(number));
	put_bytes(b, at, count * size);
}

static const void *get_bytes(struct blob *b, size_t size)
{
	size_t left = b->size - b->read;

	if (!b->at || b->exhausted || left < size ||
	    left < aligned_blob(size)) {
		b->exhausted = true;
		return NULL;
	}
	b->read += aligned_blob(size);
	return b->at + b->read - aligned_blob(size);
}

const void *blob_get(struct blob *b, size_t *count, size_t size)
{
	const uint64_t *number = get_bytes(b, sizeof(*number));
	const void *at = NULL;
	size_t bytes;

	*count = 0;
	if (!number)
		return NULL;
	if (__builtin_mul_overflow(*number, size, &bytes))
		b->exhausted = true;
	else
		at = get_bytes(b, bytes);
	*count = at ? *number : 0;
	return at;
}

bool blob_get_one(struct blob *b, void *to, size_t size)
{
	size_t count;
	const void *at = blob_get(b, &count, size);

	if (count == 1)
		memcpy(to, at, size);
	else
		b->exhausted = true;
	return count == 1;
}

void blob_put_text(struct blob *b, const char *text)
{
	blob_put(b, text, strlen(text) + 1, 1);
}

const char *blob_get_text(struct blob *b)
{
	size_t size;
	const char *text = blob_get(b, &size, 1);

	if (size && !text[size - 1])
		return text;
	b->exhausted = true;
	return NULL;
}

void blob_put_strings(struct blob *b, const struct strings *strings)
{
	uint64_t count = strings->count;

	blob_put(b, &count, 1, sizeof(count));
	for (uint32_t i = 0; i < strings->count; i++)
		blob_put_text(b, strings->at[i]);
}

uint32_t *blob_get_strings(struct blob *b, struct strings *to)
{
	uint64_t count = 0;
	uint32_t *became = NULL;

	if (blob_get_one(b, &count, sizeof(count)) && count <= b->size)
		became = calloc(count + 1, sizeof(*became));
	for (uint64_t i = 0; i < count && became; i++) {
		const char *text = blob_get_text(b);

		became[i] = text ? str_add(to, text) : STR_NONE;
		if (became[i] == STR_NONE) {
			free(became);
			became = NULL;
		}
	}
	return became;
}
