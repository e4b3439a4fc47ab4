/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-file.c - the values of a metric go to run.h5: several threads unpack
 * the streams of some chunks and pack the chunks, HDF5 gets them one by one.
 * With several processes each makes its bundles of chunks, and the root, which
 * has the file, gets them in the order in which it writes them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "merge/spread.h"
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

_Static_assert(VALUES_BUNDLE == CHUNK * BATCH, "as values.h says");

static const size_t widths[COLUMNS] = { sizeof(uint32_t), sizeof(uint64_t) };

struct saving {
	const struct run *run;
	size_t metric;
	const uint64_t *first;
	uint64_t count;
	size_t chunk; /* values */
	struct store_column *columns[COLUMNS];
	struct team *team; /* NULL: alone */
};

static bool is_ours(const struct saving *s, size_t bundle)
{
	return !s->team ||
	       spread_owner(s->team, s->metric, bundle) == s->team->rank;
}

struct bundle {
	void *packed[COLUMNS][BATCH];
	size_t sizes[COLUMNS][BATCH];
	size_t count;
};

static void bundle_drop(void *item)
{
	struct bundle *bundle = item;

	if (!bundle)
		return; /* another process has it */
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

static int make_ours(const struct saving *s, size_t i, void **item)
{
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

/* Those of others are made by others. */
static int make_bundle(void *of, size_t i, void **item)
{
	const struct saving *s = of;

	return is_ours(s, i) ? make_ours(s, i, item) : 0;
}

/*
 * From one process to another.
 */

static int bundle_send(const struct saving *s, const struct bundle *bundle)
{
	struct blob blob = { 0 };
	int err;

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t k = 0; k < bundle->count; k++)
			blob_put(&blob, bundle->packed[c][k],
				 bundle->sizes[c][k], 1);
	err = blob_error(&blob);
	if (!err)
		err = s->team->send(s->team, 0, &blob);
	blob_fini(&blob);
	return err;
}

static int write_bundle(const struct saving *s, size_t i,
			const struct bundle *bundle)
{
	int err = 0;

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t k = 0; k < bundle->count && !err; k++)
			err = store_column_chunk(s->columns[c], i * BATCH + k,
						 bundle->packed[c][k],
						 bundle->sizes[c][k]);
	return err;
}

/* How many chunks bundle i has. */
static size_t chunks_of(const struct saving *s, size_t i)
{
	uint64_t chunks = (s->count + s->chunk - 1) / s->chunk - i * BATCH;

	return chunks < BATCH ? (size_t)chunks : BATCH;
}

/* As write_bundle(), of what its owner has sent. */
static int receive_bundle(const struct saving *s, size_t i)
{
	size_t count = chunks_of(s, i), size;
	struct blob blob = { 0 };
	int err = s->team->receive(s->team, spread_owner(s->team, s->metric, i),
				   &blob);

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t k = 0; k < count && !err; k++) {
			const void *at = blob_get(&blob, &size, 1);

			err = at ? store_column_chunk(s->columns[c],
						      i * BATCH + k, at, size)
				 : fail(-EPROTO, "a process sent half of its "
						 "values");
		}
	blob_fini(&blob);
	return err;
}

static int take_bundle(void *of, size_t i, void *item)
{
	struct saving *s = of;
	int err;

	if (!is_ours(s, i))
		return team_is_root(s->team) ? receive_bundle(s, i) : 0;
	err = team_is_root(s->team) ? write_bundle(s, i, item)
				    : bundle_send(s, item);
	bundle_drop(item);
	return err;
}

static struct saving saving_of(const struct run *run, size_t metric)
{
	const struct run_metric *m = &run->metrics[metric];
	struct saving s = { .run = run,
			    .metric = metric,
			    .first = m->first,
			    .count = m->first[run->node_count],
			    .team = run->source ? run->source->team : NULL };

	s.chunk = s.count < CHUNK ? s.count : CHUNK;
	return s;
}

static int make_all(struct saving *s)
{
	struct work work = { .make = make_bundle,
			     .take = take_bundle,
			     .drop = bundle_drop,
			     .of = s };

	if (s->count)
		work.count =
			(s->count + BATCH * s->chunk - 1) / (BATCH * s->chunk);
	return work_run(&work, s->run->source ? s->run->source->threads : 0);
}

int values_send(const struct run *run, size_t metric)
{
	struct saving saving = saving_of(run, metric);

	return make_all(&saving);
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
	struct saving saving = saving_of(run, metric);
	int err = 0;

	saving.columns[RANKS] = column(s, group, "rank", STORE_U32, &saving);
	saving.columns[VALUES] = column(s, group, "value", STORE_U64, &saving);
	if (saving.columns[RANKS] && saving.columns[VALUES])
		err = make_all(&saving);
	if (err && !store_error(s)) {
		char why[300];

		snprintf(why, sizeof(why), "%s", fail_reason());
		store_fail(s, err, "%s", why);
	}
	store_column_close(saving.columns[RANKS]);
	store_column_close(saving.columns[VALUES]);
}
