/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.c - records of processes.  A section is the metric, the number of its
 * bytes, both in four bytes, and these.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "run/records.h"
#include "run/spill.h"

struct records {
	pthread_mutex_t lock;
	struct spill *spill;
	struct record *at;
	size_t count, room;
};

struct record_header {
	uint32_t metric, size;
};

enum {
	VALUE_MOST = 5 + PACKED_MOST /* bytes of one */
};

struct records *records_new(const char *directory, size_t memory)
{
	struct records *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	r->spill = spill_new(directory, memory);
	if (r->spill)
		return r;
	records_free(r);
	return NULL;
}

void records_free(struct records *r)
{
	if (!r)
		return;
	pthread_mutex_destroy(&r->lock);
	spill_free(r->spill);
	free(r->at);
	free(r);
}

const char *records_directory(const struct records *r)
{
	return spill_directory(r->spill);
}

size_t records_count(const struct records *r)
{
	return r->count;
}

const struct record *records_at(const struct records *r, size_t i)
{
	return &r->at[i];
}

int records_read(const struct records *r, size_t i, void *to)
{
	return spill_get(r->spill, r->at[i].at, r->at[i].size, to);
}

static int append_record(struct records *r, const struct record *record)
{
	bool good;

	pthread_mutex_lock(&r->lock);
	good = ARRAY_GROW(r->at, r->count, r->room);
	if (good)
		r->at[r->count++] = *record;
	pthread_mutex_unlock(&r->lock);
	return good ? 0 : -ENOMEM;
}

static int keep_record(struct records *r, struct record record,
		       const void *bytes)
{
	int err = spill_put(r->spill, bytes, record.size, &record.at);

	return err ? err : append_record(r, &record);
}

bool record_section(const uint8_t **at, const uint8_t *end,
		    struct section *section)
{
	struct record_header header;

	if ((size_t)(end - *at) < sizeof(header))
		return false;
	memcpy(&header, *at, sizeof(header));
	*at += sizeof(header);
	if (header.size > (size_t)(end - *at))
		return false;
	section->metric = header.metric;
	section->at = *at;
	section->end = *at += header.size;
	return true;
}

/* To make one: section after section, each value by value. */
struct record_writer {
	uint8_t *bytes;
	size_t size, room;
	size_t section; /* where it begins */
	uint32_t node;  /* the last one's */
};

static void record_writer_fini(struct record_writer *w)
{
	free(w->bytes);
	*w = (struct record_writer){ 0 };
}

/* Room for so many values in a new section.  0, or -ENOMEM with a reason. */
static int record_begin(struct record_writer *w, uint32_t metric, size_t values)
{
	struct record_header header = { .metric = metric };
	size_t most = w->size + sizeof(header) + values * VALUE_MOST;

	if (most > w->room) {
		if (!ARRAY_RESIZE(w->bytes, most + most / 2))
			return no_memory();
		w->room = most + most / 2;
	}
	w->section = w->size;
	memcpy(w->bytes + w->size, &header, sizeof(header));
	w->size += sizeof(header);
	w->node = 0;
	return 0;
}

/* Between begin and end. */
static inline void record_put(struct record_writer *w, uint32_t node,
			      uint64_t value)
{
	int32_t step = (int32_t)(node - w->node);
	uint32_t either = (uint32_t)step << 1 ^ (uint32_t)(step >> 31);
	uint8_t *to = w->bytes + w->size;

	to = packed_put(packed_put(to, either), value);
	w->size = (size_t)(to - w->bytes);
	w->node = node;
}

static void record_end(struct record_writer *w)
{
	struct record_header header;

	memcpy(&header, w->bytes + w->section, sizeof(header));
	header.size = (uint32_t)(w->size - w->section - sizeof(header));
	memcpy(w->bytes + w->section, &header, sizeof(header));
}

/* All threads' values of one node become one; they are adjacent. */
static int pack_record_column(struct record_writer *w,
			      const struct profile_column *c,
			      const uint32_t *nodes, uint32_t metric)
{
	int err = record_begin(w, metric, c->count);

	for (size_t i = 0; i < c->count && !err;) {
		const struct profile_value *v = &c->values[i++];
		uint64_t value = v->value;

		for (; i < c->count && c->values[i].node == v->node; i++)
			value = metric_merge(c->merge, value,
					     c->values[i].value);
		record_put(w, nodes[v->node], value);
	}
	if (!err)
		record_end(w);
	return err;
}

int records_add(struct records *r, uint32_t process, const struct profile *p,
		const uint32_t *nodes, const uint32_t *metrics)
{
	struct record_writer w = { 0 };
	int err = 0;

	for (size_t i = 0; i < p->column_count && !err; i++)
		err = pack_record_column(&w, &p->columns[i], nodes, metrics[i]);
	if (!err && w.size > UINT32_MAX)
		err = fail(-EFBIG, "a process has more than 4 GiB of values");
	if (!err)
		err = keep_record(r,
				  (struct record){ .size = (uint32_t)w.size,
						   .process = process },
				  w.bytes);
	record_writer_fini(&w);
	return err;
}
