/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-file.c - the values of a metric go to run.h5: several threads unpack
 * the streams of some chunks and pack the chunks, HDF5 gets them one by one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "merge/values.h"
#include "merge/work.h"
#include "profile/deflate.h"
#include "profile/store.h"

enum {
	CHUNK = 1 << 16, /* values: a context's are found in a few */
	BATCH = 8,       /* chunks that a thread makes at a time */
	LEVEL = 2,
	RANKS = 0,
	VALUES,
	COLUMNS
};

static const size_t widths[COLUMNS] = { sizeof(uint32_t), sizeof(uint64_t) };

struct saving {
	const struct run *run;
	size_t metric;
	const uint64_t *first;
	uint64_t count;
	size_t chunk; /* values */
	struct store_column *columns[COLUMNS];
};

struct bundle {
	void *packed[COLUMNS][BATCH];
	size_t sizes[COLUMNS][BATCH];
	size_t count;
};

static void bundle_drop(void *item)
{
	struct bundle *bundle = item;

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t i = 0; i < BATCH; i++)
			free(bundle->packed[c][i]);
	free(bundle);
}

struct filling { /* a chunk at a time */
	const struct saving *s;
	struct bundle *bundle;
	uint32_t *ranks;
	uint64_t *values;
	void *work, *packed;
	size_t used;
};

static int pack_column(struct filling *f, size_t column, const void *values)
{
	size_t i = f->bundle->count, chunk = f->s->chunk;
	size_t size = deflate_chunk(f->packed, values, chunk, widths[column],
				    LEVEL, f->work);
	void *copy = size ? malloc(size) : NULL;

	if (!copy)
		return fail(-ENOMEM, "out of memory");
	memcpy(copy, f->packed, size);
	f->bundle->packed[column][i] = copy;
	f->bundle->sizes[column][i] = size;
	return 0;
}

static int pack_chunk(struct filling *f)
{
	size_t left = f->s->chunk - f->used;
	int err;

	memset(f->ranks + f->used, 0, left * sizeof(*f->ranks));
	memset(f->values + f->used, 0, left * sizeof(*f->values));
	err = pack_column(f, RANKS, f->ranks);
	if (!err)
		err = pack_column(f, VALUES, f->values);
	f->bundle->count++;
	f->used = 0;
	return err;
}

static int fill(struct filling *f, const struct run_value *values, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		f->ranks[f->used] = values[i].rank;
		f->values[f->used++] = values[i].value;
		if (f->used == f->s->chunk)
			err = pack_chunk(f);
	}
	return err;
}

/* The node that has value number `at`. */
static size_t node_of(const struct saving *s, uint64_t at)
{
	size_t low = 0, high = s->run->node_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (s->first[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Values from … end - 1 of the metric. */
static int fill_range(struct filling *f, uint64_t from, uint64_t end,
		      struct value_buffer *buffer)
{
	const struct saving *s = f->s;
	int err = 0;

	for (size_t node = node_of(s, from); !err && s->first[node] < end;
	     node++) {
		const struct run_value *values;
		uint64_t skip =
			from > s->first[node] ? from - s->first[node] : 0;
		size_t count;

		err = values_of_node(s->run, s->metric, node, buffer, &values,
				     &count);
		if (err)
			break;
		if (s->first[node] + count > end)
			count = end - s->first[node];
		if (count > skip)
			err = fill(f, values + skip, count - skip);
		if (node + 1 == s->run->node_count)
			break;
	}
	return !err && f->used ? pack_chunk(f) : err;
}

static int make_bundle(void *of, size_t i, void **item)
{
	const struct saving *s = of;
	uint64_t from = (uint64_t)i * BATCH * s->chunk;
	uint64_t end = from + BATCH * s->chunk;
	struct value_buffer buffer = { 0 };
	size_t bytes = s->chunk * sizeof(uint64_t);
	struct filling f = {
		.s = s,
		.bundle = calloc(1, sizeof(*f.bundle)),
		.ranks = malloc(bytes),
		.values = malloc(bytes),
		.work = malloc(bytes),
		.packed = malloc(deflate_most(bytes)),
	};
	int err = -ENOMEM;

	if (f.bundle && f.ranks && f.values && f.work && f.packed)
		err = fill_range(&f, from, end < s->count ? end : s->count,
				 &buffer);
	else
		fail(err, "out of memory");
	if (err && f.bundle)
		bundle_drop(f.bundle);
	else
		*item = f.bundle;
	value_buffer_fini(&buffer);
	free(f.ranks);
	free(f.values);
	free(f.work);
	free(f.packed);
	return err;
}

static int take_bundle(void *of, size_t i, void *item)
{
	struct saving *s = of;
	struct bundle *bundle = item;
	int err = 0;

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t k = 0; k < bundle->count && !err; k++)
			err = store_column_chunk(s->columns[c], i * BATCH + k,
						 bundle->packed[c][k],
						 bundle->sizes[c][k]);
	bundle_drop(bundle);
	return err;
}

static struct store_column *column(struct store *s, const char *group,
				   const char *name, enum store_type type,
				   const struct saving *saving)
{
	char *path = str_format("%s/%s", group, name);
	struct store_column *c = NULL;

	if (!path)
		store_fail(s, -ENOMEM, "out of memory");
	else if (!saving->count)
		store_put(s, path, type, NULL, 0);
	else
		c = store_column_new(s, path, type, saving->count,
				     saving->chunk);
	free(path);
	return c;
}

void values_save(struct store *s, const char *group, const struct run *run,
		 size_t metric)
{
	const struct run_metric *m = &run->metrics[metric];
	struct saving saving = { .run = run,
				 .metric = metric,
				 .first = m->first,
				 .count = m->first[run->node_count] };
	struct work work = { .make = make_bundle,
			     .take = take_bundle,
			     .drop = bundle_drop,
			     .of = &saving };
	int err = 0;

	saving.chunk = saving.count < CHUNK ? saving.count : CHUNK;
	saving.columns[RANKS] = column(s, group, "rank", STORE_U32, &saving);
	saving.columns[VALUES] = column(s, group, "value", STORE_U64, &saving);
	if (saving.columns[RANKS] && saving.columns[VALUES]) {
		work.count = (saving.count + BATCH * saving.chunk - 1) /
			     (BATCH * saving.chunk);
		err = work_run(&work, run->source ? run->source->threads : 0);
	}
	if (err && !store_error(s)) {
		char why[300];

		snprintf(why, sizeof(why), "%s", fail_reason());
		store_fail(s, err, "%s", why);
	}
	store_column_close(saving.columns[RANKS]);
	store_column_close(saving.columns[VALUES]);
}
