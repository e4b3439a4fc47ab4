/* SPDX-License-Identifier: BSD-3-Clause */
/* str.c - a pool of strings, and small helpers. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"

/* FNV-1a; two different seeds make a 128-bit key, taken as the identity. */
static uint64_t hash_string(const char *text, size_t length, uint64_t seed)
{
	for (size_t i = 0; i < length; i++)
		seed = (seed ^ (unsigned char)text[i]) * 0x100000001b3u;
	return seed;
}

struct key {
	uint64_t a, b;
};

static struct key text_key(const char *text, size_t length)
{
	return (struct key){ hash_string(text, length, 0xcbf29ce484222325u),
			     hash_string(text, length, 0x9e3779b97f4a7c15u) ^
				     length };
}

uint32_t str_add_n(struct strings *pool, const char *text, size_t length)
{
	struct key key = text_key(text, length);
	uint32_t index;

	if (!pool->count && length)
		str_add_n(pool, "", 0);
	index = map_get(&pool->map, key.a, key.b);
	if (index != MAP_NONE)
		return index;
	if (!ARRAY_GROW(pool->at, pool->count, pool->room) ||
	    !ARRAY_GROW(pool->marks, pool->count, pool->marks_room))
		return STR_NONE;
	pool->marks[pool->count] = 0;
	pool->at[pool->count] = strndup(text, length);
	if (!pool->at[pool->count])
		return STR_NONE;
	if (map_put(&pool->map, key.a, key.b, pool->count) == MAP_NONE) {
		free(pool->at[pool->count]);
		return STR_NONE;
	}
	return pool->count++;
}

uint32_t str_add(struct strings *pool, const char *text)
{
	return str_add_n(pool, text, strlen(text));
}

uint32_t str_find(const struct strings *pool, const char *text)
{
	struct key key = text_key(text, strlen(text));

	return map_get(&pool->map, key.a, key.b);
}

const char *str_at(const struct strings *pool, uint32_t index)
{
	return index < pool->count ? pool->at[index] : "";
}

void strings_fini(struct strings *pool)
{
	for (uint32_t i = 0; i < pool->count; i++)
		free(pool->at[i]);
	free(pool->at);
	free(pool->marks);
	map_fini(&pool->map);
	*pool = (struct strings){ 0 };
}

char *str_format(const char *fmt, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	return n < 0 ? NULL : text;
}

bool str_to_uint(const char *text, uint64_t *to)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*to = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool str_to_share(const char *text, uint64_t *to)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*text < '0' && *text != '.') || *text > '9' ||
	    !(percent >= 0 && percent <= 100))
		return false;
	*to = (uint64_t)(percent * 1e4 + 0.5);
	return !*end || (*end == '%' && !end[1]);
}

void str_one_line(char *text)
{
	while (*(text += strcspn(text, "\r\n\t")))
		*text = '?';
}

bool str_is_dotted(const char *text, const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strcmp(text, name) || (dot && !strcmp(text, dot + 1));
}

const char *str_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void str_quote(FILE *to, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789@%_+=:,./-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	}
	fputc('\'', to);
}
