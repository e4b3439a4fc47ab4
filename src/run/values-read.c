/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-read.c - values of a run.h5 that is open: read in parts that are as
 * large as the chunks they are kept in, since less costs the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "run/values.h"
#include "profile/store/store.h"

enum {
	PART = 1 << 16, /* values */
	KEPT_MOST = 128 /* parts, of 0.75 MiB */
};

struct value_part {
	const struct value_columns *of; /* NULL: nothing was read */
	uint64_t from;
	size_t count;
	uint32_t keys[PART];
	uint64_t values[PART];
};

void value_part_free(struct value_part *part)
{
	free(part);
}

static void kept_parts_free(struct value_columns *c)
{
	for (size_t i = 0; i < c->kept_count; i++)
		free(c->kept[i]);
	free(c->kept);
	c->kept = NULL;
	c->kept_count = 0;
}

void value_columns_fini(struct value_columns *c)
{
	kept_parts_free(c);
	store_column_close(c->key);
	store_column_close(c->value);
	*c = (struct value_columns){ 0 };
}

static int check_keys(struct store *s, const struct value_columns *c,
		      const struct value_part *part)
{
	for (size_t i = 0; i < part->count; i++)
		if (part->keys[i] >= c->keys)
			return store_fail(s, -EINVAL,
					  "damaged: a value of number %u",
					  part->keys[i]);
	return 0;
}

/* The part that has value number `at`. */
static int read_value_part(struct store *s, const struct value_columns *c,
			   struct value_part *part, uint64_t at)
{
	uint64_t from = at - at % PART, left = c->first[c->rows] - from;
	int err;

	if (part->of == c && part->from == from)
		return 0;
	part->of = NULL;
	part->from = from;
	part->count = left < PART ? left : PART;
	err = store_column_read(c->key, from, part->count, part->keys);
	if (!err)
		err = store_column_read(c->value, from, part->count,
					part->values);
	if (!err)
		err = check_keys(s, c, part);
	if (!err)
		part->of = c;
	return err;
}

/* Of a run.h5; of others NULL. */
static struct value_columns *value_columns_of(const struct run *run,
					      const struct run_metric *metric)
{
	if (!run->source || !run->source->store)
		return NULL;
	return &run->source->metrics[metric - run->metrics].by_node;
}

void values_keep(const struct run *run, const struct run_metric *metric)
{
	struct value_columns *c = value_columns_of(run, metric);
	size_t count = metric->first[run->node_count] / PART + 1;

	if (!c || c->kept)
		return;
	count = count < KEPT_MOST ? count : KEPT_MOST;
	c->kept = calloc(count, sizeof(struct value_part *));
	c->kept_count =
		c->kept ? count : 0; /* without it, all is just slower */
}

void values_release(const struct run *run, const struct run_metric *metric)
{
	struct value_columns *c = value_columns_of(run, metric);

	if (c)
		kept_parts_free(c);
}

/* The part that has value number `at`: the buffer's, or one that is kept. */
static int get_part(struct store *s, struct value_columns *c,
		    struct value_buffer *b, uint64_t at,
		    const struct value_part **part)
{
	struct value_part **slot =
		at / PART < c->kept_count ? &c->kept[at / PART] : &b->part;

	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	*part = *slot;
	return *slot ? read_value_part(s, c, *slot, at) : no_memory();
}

int value_buffer_reach(struct value_buffer *b, size_t room)
{
	if (room <= b->room)
		return 0;
	room += room / 2;
	if (!ARRAY_RESIZE(b->at, room))
		return no_memory();
	b->room = room;
	return 0;
}

int values_read(struct store *s, struct value_columns *c, size_t row,
		struct value_buffer *b, size_t *count)
{
	uint64_t at = c->first[row], end = c->first[row + 1];
	int err = 0;

	*count = 0;
	while (at < end && !err) {
		const struct value_part *part;
		size_t i, n;

		err = get_part(s, c, b, at, &part);
		if (err)
			break;
		i = at - part->from;
		n = part->count - i < end - at ? part->count - i : end - at;
		err = value_buffer_reach(b, *count + n);
		for (at += n; n-- && !err; i++)
			b->at[(*count)++] =
				(struct run_value){ part->keys[i],
						    part->values[i] };
	}
	return err;
}
