/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-reader.c - what all sections of a live profile are read with: records,
 * lists, texts and values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/live/live-reader.h"

bool reader_inside(const struct reader *r, uint64_t ref, uint64_t bytes)
{
	return ref && ref <= r->size / LIVE_UNIT &&
	       bytes <= r->size - ref * LIVE_UNIT;
}

const void *reader_claim(struct reader *r, uint64_t ref, size_t bytes)
{
	size_t units = (bytes + LIVE_UNIT - 1) / LIVE_UNIT;

	if (!reader_inside(r, ref, bytes))
		goto damaged;
	for (size_t i = 0; i < units; i++)
		if (r->marks[ref + i] != FREE)
			goto damaged;
	for (size_t i = 0; i < units; i++)
		r->marks[ref + i] = TAKEN;
	return r->data + ref * LIVE_UNIT;
damaged:
	r->damaged++;
	return NULL;
}

void reader_no_memory(struct reader *r)
{
	r->err = -ENOMEM;
}

bool reader_grow(struct reader *r, void *array, size_t count, size_t size)
{
	void *old, *bigger;

	if (count & (count - 1))
		return true;
	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, (count ? 2 * count : 1) * size);
	if (!bigger) {
		reader_no_memory(r);
		return false;
	}
	memcpy(array, &bigger, sizeof(bigger));
	return true;
}

char *reader_text(struct reader *r, live_ref ref, size_t *length)
{
	struct live_text head = { 0 };
	char *copy;

	if (reader_inside(r, ref, sizeof(head)))
		memcpy(&head, r->data + (size_t)ref * LIVE_UNIT, sizeof(head));
	if (ref &&
	    (!reader_inside(r, ref, sizeof(head) + (size_t)head.length) ||
	     head.length > r->text_left)) {
		r->damaged++;
		head.length = 0;
	}
	r->text_left -= head.length;
	*length = head.length;
	copy = malloc((size_t)head.length + 1);
	if (!copy) {
		reader_no_memory(r);
		return NULL;
	}
	if (head.length)
		memcpy(copy, r->data + (size_t)ref * LIVE_UNIT + sizeof(head),
		       head.length);
	copy[head.length] = 0;
	return copy;
}

char *reader_string(struct reader *r, live_ref ref)
{
	size_t length;

	return reader_text(r, ref, &length);
}

void reader_fixed_text(char *to, size_t to_size, const char *from,
		       size_t from_size)
{
	size_t n = strnlen(from, from_size);

	n = n < to_size ? n : to_size - 1;
	memcpy(to, from, n);
	memset(to + n, 0, to_size - n);
}

void reader_walk(struct reader *r, live_ref ref, size_t size,
		 live_ref (*take)(struct reader *r, const void *at))
{
	while (ref && !r->err) {
		const void *at = reader_claim(r, ref, size);

		if (!at)
			return;
		ref = take(r, at);
	}
}

void reader_chunks(struct reader *r, live_ref ref, size_t size, uint32_t thread,
		   void (*take)(struct reader *r, uint32_t thread,
				const void *at))
{
	while (ref && !r->err) {
		struct live_chunk chunk;
		const void *at = reader_claim(r, ref, sizeof(chunk));
		uint64_t first = (uint64_t)ref + sizeof(chunk) / LIVE_UNIT;

		if (!at)
			return;
		memcpy(&chunk, at, sizeof(chunk));
		for (uint32_t i = 0; i < chunk.count && !r->err; i++) {
			at = reader_claim(r, first + i * size / LIVE_UNIT,
					  size);
			if (!at)
				break;
			take(r, thread, at);
		}
		ref = chunk.next;
	}
}

void reader_value(struct reader *r, uint32_t node, uint32_t thread,
		  const struct live_cell *cell)
{
	struct profile_column *c = r->p->columns;

	if (cell->metric >= r->p->column_count || !c[cell->metric].name[0]) {
		r->damaged++;
		return;
	}
	c += cell->metric;
	if (cell->value &&
	    reader_grow(r, &c->values, c->count, sizeof(*c->values)))
		c->values[c->count++] =
			(struct profile_value){ node, thread, cell->value };
}

void reader_metric(struct reader *r, uint32_t node, uint32_t thread,
		   enum metric metric, uint64_t number)
{
	const char *name = metric_infos[metric].name;
	const struct profile_column *c = profile_column(r->p, name);
	struct live_cell cell = { .value = number };

	if (!number)
		return;
	cell.metric = c ? (uint32_t)(c - r->p->columns) : LIVE_METRICS;
	reader_value(r, node, thread, &cell);
}
