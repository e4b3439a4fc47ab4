/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-read.c - values of a run.h5 that is open: read in parts that are as
 * large as the chunks they are kept in, since less costs the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "merge/values.h"
#include "profile/store.h"

enum {
	PART = 1 << 16 /* values */
};

struct value_part {
	const struct source_metric *of; /* NULL: nothing was read */
	uint64_t from;
	size_t count;
	uint32_t ranks[PART];
	uint64_t values[PART];
};

void value_part_free(struct value_part *part)
{
	free(part);
}

static int check_ranks(const struct run *run, const struct value_part *part,
		       struct store *store)
{
	for (size_t i = 0; i < part->count; i++)
		if (part->ranks[i] >= run->rank_count)
			return store_fail(store, -EINVAL,
					  "damaged: a value of rank %u",
					  part->ranks[i]);
	return 0;
}

/* The part that has value number `at`, of `end` that there are. */
static int read_part(const struct run *run, const struct source_metric *m,
		     struct value_part *part, uint64_t at, uint64_t end)
{
	uint64_t from = at - at % PART;
	int err;

	if (part->of == m && part->from == from)
		return 0;
	part->of = NULL;
	part->from = from;
	part->count = end - from < PART ? end - from : PART;
	err = store_column_read(m->rank, from, part->count, part->ranks);
	if (!err)
		err = store_column_read(m->value, from, part->count,
					part->values);
	if (!err)
		err = check_ranks(run, part, run->source->store);
	if (!err)
		part->of = m;
	return err;
}

void values_keep(const struct run *run, const struct run_metric *metric)
{
	struct source_metric *m;
	size_t count = metric->first[run->node_count] / PART + 1;

	if (!run->source || !run->source->store)
		return;
	m = &run->source->metrics[metric - run->metrics];
	if (m->kept)
		return;
	m->kept = calloc(count, sizeof(struct value_part *));
	m->kept_count = m->kept ? count : 0; /* without it, all is just slower */
}

void values_forget(struct source_metric *m)
{
	for (size_t i = 0; i < m->kept_count; i++)
		free(m->kept[i]);
	free(m->kept);
	m->kept = NULL;
	m->kept_count = 0;
}

/* The part that has value number `at`: the buffer's, or one that is kept. */
static int get_part(const struct run *run, struct source_metric *m,
		    struct value_buffer *b, uint64_t at, uint64_t end,
		    const struct value_part **part)
{
	struct value_part **slot = m->kept ? &m->kept[at / PART] : &b->part;

	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	*part = *slot;
	return *slot ? read_part(run, m, *slot, at, end)
		     : fail(-ENOMEM, "out of memory");
}

static int make_room(struct value_buffer *b, size_t room)
{
	struct run_value *at;

	if (room <= b->room)
		return 0;
	room += room / 2;
	at = reallocarray(b->at, room, sizeof(*at));
	if (!at)
		return fail(-ENOMEM, "out of memory");
	b->at = at;
	b->room = room;
	return 0;
}

int values_read(const struct run *run, size_t metric, size_t node,
		struct value_buffer *b, size_t *count)
{
	const uint64_t *first = run->metrics[metric].first;
	uint64_t at = first[node], end = first[node + 1];
	int err = 0;

	*count = 0;
	while (at < end && !err) {
		const struct value_part *part;
		size_t i, n;

		err = get_part(run, &run->source->metrics[metric], b, at,
			       first[run->node_count], &part);
		if (err)
			break;
		i = at - part->from;
		n = part->count - i < end - at ? part->count - i : end - at;
		err = make_room(b, *count + n);
		for (at += n; n-- && !err; i++)
			b->at[(*count)++] = (struct run_value){
				part->ranks[i], part->values[i]
			};
	}
	return err;
}
