/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-file.c - the values of a metric go to run.h5: several threads unpack
 * the values of some chunks and pack the chunks, HDF5 gets them one by one.
 * First by node, then once more with ranks as rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/values.h"
#include "base/ordered-pool.h"
#include "profile/store/deflate.h"
#include "profile/metric-group.h"
#include "profile/store/store.h"

enum {
	CHUNK = 1 << 16, /* values: a context's are found in a few */
	BATCH = 8,       /* chunks that a thread makes at a time */
	KEYS = 0,
	VALUES,
	COLUMNS
};

static const size_t widths[COLUMNS] = { sizeof(uint32_t), sizeof(uint64_t) };

struct values_saving {
	const struct run *run;
	size_t metric;
	/* What the rows of the table are, and how they are had. */
	int (*row)(const struct run *run, size_t metric, size_t row,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count);
	size_t rows;
	const uint64_t *first;
	uint64_t count;
	size_t chunk; /* values */
	struct store_column *columns[COLUMNS];
};

struct bundle {
	void *packed[COLUMNS][BATCH];
	size_t sizes[COLUMNS][BATCH];
	size_t count, used; /* chunks, values */
	uint32_t *keys;
	uint64_t *values;
};

static void bundle_drop(void *item)
{
	struct bundle *bundle = item;

	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t i = 0; i < BATCH; i++)
			free(bundle->packed[c][i]);
	free(bundle->keys);
	free(bundle->values);
	free(bundle);
}

static struct bundle *bundle_new(size_t chunk)
{
	struct bundle *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->keys = malloc(BATCH * chunk * sizeof(*b->keys));
	b->values = malloc(BATCH * chunk * sizeof(*b->values));
	if (b->keys && b->values)
		return b;
	bundle_drop(b);
	return NULL;
}

struct filling { /* a chunk at a time */
	const struct values_saving *s;
	struct bundle *bundle;
	void *work, *packed;
};

static int pack_value_column(struct filling *f, size_t column,
			     const void *values)
{
	size_t i = f->bundle->count, chunk = f->s->chunk;
	size_t size = deflate_chunk(f->packed, values, chunk, widths[column],
				    DEFLATE_QUICK, f->work);
	void *copy = size ? malloc(size) : NULL;

	if (!copy)
		return no_memory();
	memcpy(copy, f->packed, size);
	f->bundle->packed[column][i] = copy;
	f->bundle->sizes[column][i] = size;
	return 0;
}

static int pack_chunk(struct filling *f)
{
	struct bundle *b = f->bundle;
	size_t chunk = f->s->chunk, from = b->count * chunk;
	size_t left = from + chunk - b->used;
	int err;

	memset(b->keys + b->used, 0, left * sizeof(*b->keys));
	memset(b->values + b->used, 0, left * sizeof(*b->values));
	err = pack_value_column(f, KEYS, b->keys + from);
	if (!err)
		err = pack_value_column(f, VALUES, b->values + from);
	b->count++;
	return err;
}

static int fill_bundle(struct filling *f, const struct run_value *values,
		       size_t count)
{
	struct bundle *b = f->bundle;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		b->keys[b->used] = values[i].rank;
		b->values[b->used++] = values[i].value;
		if (b->used == (b->count + 1) * f->s->chunk)
			err = pack_chunk(f);
	}
	return err;
}

/* The row that has value number `at`. */
static size_t row_of_value(const struct values_saving *s, uint64_t at)
{
	size_t low = 0, high = s->rows;

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
	const struct values_saving *s = f->s;
	int err = 0;

	for (size_t row = row_of_value(s, from);
	     !err && row < s->rows && s->first[row] < end; row++) {
		const struct run_value *values;
		uint64_t skip = from > s->first[row] ? from - s->first[row] : 0;
		size_t count;

		err = s->row(s->run, s->metric, row, buffer, &values, &count);
		if (err)
			break;
		if (s->first[row] + count > end)
			count = end - s->first[row];
		if (count > skip)
			err = fill_bundle(f, values + skip, count - skip);
	}
	return !err && f->bundle->used > f->bundle->count * s->chunk
		       ? pack_chunk(f)
		       : err;
}

static int make_bundle(void *of, size_t i, void **item)
{
	const struct values_saving *s = of;
	uint64_t from = (uint64_t)i * BATCH * s->chunk;
	uint64_t end = from + BATCH * s->chunk;
	struct value_buffer buffer = { 0 };
	size_t bytes = s->chunk * sizeof(uint64_t);
	struct filling f = {
		.s = s,
		.bundle = bundle_new(s->chunk),
		.work = malloc(bytes),
		.packed = malloc(deflate_most(bytes)),
	};
	int err = -ENOMEM;

	if (f.bundle && f.work && f.packed)
		err = fill_range(&f, from, end < s->count ? end : s->count,
				 &buffer);
	else
		no_memory();
	if (err && f.bundle)
		bundle_drop(f.bundle);
	else
		*item = f.bundle;
	value_buffer_fini(&buffer);
	free(f.work);
	free(f.packed);
	return err;
}

static int take_bundle(void *of, size_t i, void *item)
{
	struct values_saving *s = of;
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

static struct store_column *values_column(struct store *s, const char *group,
					  const char *table, const char *name,
					  enum store_type type,
					  const struct values_saving *saving)
{
	char path[METRIC_PATH_SIZE], part[64];

	snprintf(part, sizeof(part), "%s/%s", table, name);
	metric_path(path, group, part);
	if (saving->count)
		return store_column_new(s, path, type, saving->count,
					saving->chunk);
	store_put(s, path, type, NULL, 0);
	return NULL;
}

/* The table of a metric, with the rows that *saving says. */
static int save_table(struct store *s, const char *name, const char *table,
		      const char *key, struct values_saving *saving)
{
	const struct run_source *source = saving->run->source;
	struct ordered_work work = { .make = make_bundle,
				     .take = take_bundle,
				     .drop = bundle_drop,
				     .of = saving };
	int err = 0;

	saving->count = saving->first[saving->rows];
	saving->chunk = saving->count < CHUNK ? saving->count : CHUNK;
	saving->columns[KEYS] =
		values_column(s, name, table, key, STORE_U32, saving);
	saving->columns[VALUES] =
		values_column(s, name, table, "value", STORE_U64, saving);
	if (saving->columns[KEYS] && saving->columns[VALUES]) {
		work.count = (saving->count + BATCH * saving->chunk - 1) /
			     (BATCH * saving->chunk);
		err = ordered_pool_run(&work, source ? source->threads : 0);
	}
	store_column_close(saving->columns[KEYS]);
	store_column_close(saving->columns[VALUES]);
	return err;
}

static int save_by_node(struct store *s, const struct run *run, size_t metric)
{
	const struct run_metric *m = &run->metrics[metric];
	struct values_saving saving = { .run = run,
					.metric = metric,
					.row = values_of_node,
					.rows = run->node_count,
					.first = m->first };

	return save_table(s, m->name, "values", "rank", &saving);
}

/* A merge has them by rank; of any other run they are sorted in memory. */
static int save_by_rank(struct store *s, const struct run *run, size_t metric)
{
	const struct tiles *tiles = run->source ? run->source->tiles : NULL;
	const char *name = run->metrics[metric].name;
	struct values_saving saving = { .run = run,
					.metric = metric,
					.row = values_of_rank,
					.rows = run->rank_count };
	struct run *turned = NULL;
	char path[METRIC_PATH_SIZE];
	int err;

	if (tiles) {
		saving.first = tiles_first_by_rank(tiles, metric);
	} else {
		turned = transpose(run, metric);
		if (!turned)
			return -ENOMEM;
		saving.run = turned;
		saving.metric = 0;
		saving.row = values_of_node;
		saving.first = turned->metrics->first;
	}
	store_put(s, metric_path(path, name, "first_by_rank"), STORE_U64,
		  saving.first, saving.rows + 1);
	err = save_table(s, name, "by_rank", "node", &saving);
	run_free(turned);
	return err;
}

/* Of a metric that is an extreme nobody asks what one rank has everywhere. */
void values_save(struct store *s, const struct run *run, size_t metric)
{
	int err = save_by_node(s, run, metric);

	if (!err && run->metrics[metric].merge == MERGE_SUM)
		err = save_by_rank(s, run, metric);
	if (err && !store_error(s)) {
		char why[300];

		snprintf(why, sizeof(why), "%s", fail_reason());
		store_fail(s, err, "%s", why);
	}
}

/*
 * Reading.
 */

static void open_columns(struct store *s, const char *group, const char *table,
			 const char *key, struct value_columns *to)
{
	char name[METRIC_PATH_SIZE], part[64];
	size_t keys = 0, values = 0;
	bool good = to->first && !to->first[0];

	snprintf(part, sizeof(part), "%s/%s", table, key);
	to->key = store_column_open(s, metric_path(name, group, part),
				    STORE_U32, &keys);
	snprintf(part, sizeof(part), "%s/value", table);
	to->value = store_column_open(s, metric_path(name, group, part),
				      STORE_U64, &values);
	for (size_t i = 0; i < to->rows && good; i++)
		good = to->first[i] <= to->first[i + 1];
	if (!good || keys != values || to->first[to->rows] != keys)
		store_fail(s, -EINVAL, "damaged: the values of '%s'", group);
}

void values_load(struct store *s, const struct run *run, const char *group,
		 struct run_metric *m, struct source_metric *source)
{
	char name[METRIC_PATH_SIZE];
	size_t first = 0;

	source->by_node = (struct value_columns){ .first = m->first,
						  .rows = run->node_count,
						  .keys = run->rank_count };
	open_columns(s, group, "values", "rank", &source->by_node);
	if (!store_has(s, metric_path(name, group, "by_rank")))
		return;
	source->first_by_rank =
		store_get(s, metric_path(name, group, "first_by_rank"),
			  STORE_U64, &first);
	if (first != run->rank_count + 1) {
		store_fail(s, -EINVAL, "damaged: the values of '%s'", group);
		return;
	}
	source->by_rank =
		(struct value_columns){ .first = source->first_by_rank,
					.rows = run->rank_count,
					.keys = run->node_count };
	open_columns(s, group, "by_rank", "node", &source->by_rank);
}
