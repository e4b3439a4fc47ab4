/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * str.h - strings kept once and named by an index, and small helpers.
 *
 * Ownership   A pool owns its strings; a pointer from str_at() is valid until
 *             the pool's end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"

struct strings { /* all zero: an empty pool; index 0 is always "" */
	char **at;
	uint32_t *marks; /* for str_ask(); mutable in a pool that is const */
	uint32_t count;
	size_t room, marks_room;
	struct map map;
};

#define STR_NONE UINT32_MAX

/* The index of text, added when it is new; STR_NONE when out of memory. */
uint32_t str_add(struct strings *pool, const char *text);
uint32_t str_add_n(struct strings *pool, const char *text, size_t length);

/* The index of text, or STR_NONE. */
uint32_t str_find(const struct strings *pool, const char *text);

/* The string of an index; "" for one that does not exist. */
const char *str_at(const struct strings *pool, uint32_t index);
void strings_fini(struct strings *pool);

/*
 * A question that depends on the string alone is asked once for each of a pool.
 * `number` is the question's own, below STR_QUESTIONS.
 */
#define STR_QUESTIONS 16

static inline bool str_ask(const struct strings *pool, uint32_t index,
			   unsigned int number, bool (*ask)(const char *text))
{
	uint32_t asked = 1u << 2 * number, yes = asked << 1, marks;

	if (index >= pool->count)
		return ask("");
	marks = __atomic_load_n(&pool->marks[index], __ATOMIC_RELAXED);
	if (!(marks & asked)) {
		marks |= ask(pool->at[index]) ? asked | yes : asked;
		__atomic_store_n(&pool->marks[index], marks, __ATOMIC_RELAXED);
	}
	return marks & yes;
}

/* A new string as printf makes it, or NULL when out of memory. */
char *str_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The whole of `text` as a decimal number; false when it is none. */
bool str_to_uint(const char *text, uint64_t *to);

/* "0.5%" or "0.5", at most 100, in millionths; false: it is no such thing. */
bool str_to_share(const char *text, uint64_t *to);

/* Foreign text that could pass for lines of ours: ends of lines become '?'. */
void str_one_line(char *text);

/* Is it that dotted name, or the last part, all that Python before 3.11 has? */
bool str_is_dotted(const char *text, const char *name);

/* The part after the last '/'. */
const char *str_base(const char *path);

/* A word, quoted as for a shell when it needs it. */
void str_quote(FILE *to, const char *word);
