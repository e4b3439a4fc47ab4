/* SPDX-License-Identifier: BSD-3-Clause */
/* page-strings.c - give numbers to strings. */
#include <stdlib.h>

#include "base/err.h"
#include "format/page/page-strings.h"
#include "format/quote.h"

int page_strings_init(struct page_strings *t, const struct strings *pool)
{
	size_t room = pool->count + 1;

	*t = (struct page_strings){
		.pool = pool,
		.number = calloc(room, sizeof(*t->number)),
		.used = calloc(room, sizeof(*t->used)),
	};
	if (!t->number || !t->used)
		return no_memory();
	t->number[0] = ++t->count; /* "" */
	return 0;
}

void page_strings_fini(struct page_strings *t)
{
	free(t->number);
	free(t->used);
}

uint32_t page_string(struct page_strings *t, uint32_t string)
{
	if (string >= t->pool->count)
		string = 0;
	if (!t->number[string]) {
		t->used[t->count] = string;
		t->number[string] = ++t->count;
	}
	return t->number[string] - 1;
}

void page_put_strings(struct page_stream *s, const struct page_strings *t)
{
	fputs("\"strings\": [", s->json);
	for (uint32_t i = 0; i < t->count; i++) {
		fputs(i ? ",\n" : "", s->json);
		quote_json(s->json, str_at(t->pool, t->used[i]));
	}
	fputs("],\n", s->json);
}
