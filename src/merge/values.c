/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values.c - streams of values, in memory as far as there is room for them.
 *
 * In a stream, a value is how far its rank is from the last one, and itself,
 * as packed.h says.  A stream grows in its head, and when that is full, the
 * head goes to its tail.  Heads stand one after the other in about the order in
 * which the values of a rank come, so that adding them goes through memory from
 * one end to the other; tails are anywhere.  Once all tails together have used
 * up the memory, a tail that is full and large enough becomes a block of the
 * file: where the block before is, its size, and its bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "merge/packed.h"
#include "merge/unify-tree.h"
#include "merge/values.h"
#include "profile/store.h"

enum {
	HEAD = 87,
	TAIL_LEAST = 256,
	TAIL_SPILLED = 2048, /* of what goes to the file, at least */
	VALUE_MOST = 15,     /* bytes of one value: 5 and 10 */
};

struct value_stream { /* 128 bytes: two lines of the cache */
	uint8_t *tail;
	uint64_t block;      /* in the file, + 1; 0: none */
	uint64_t spilled;    /* bytes of all blocks, but their headers */
	uint32_t block_size; /* of the last one */
	uint32_t used, room; /* of the tail */
	uint32_t rank;       /* of the last value */
	uint8_t head_used;
	uint8_t head[HEAD];
};
_Static_assert(sizeof(struct value_stream) == 128, "as said");

struct block {           /* the header */
	uint64_t before; /* as value_stream.block */
	uint32_t before_size, unused;
};

struct values {
	char *directory;
	int fd; /* -1: not needed yet */
	uint64_t end;
	size_t memory, most;
};

struct values *values_new(const char *directory, size_t memory)
{
	struct values *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->fd = -1;
	v->most = memory;
	v->directory = strdup(directory);
	if (v->directory)
		return v;
	free(v);
	return NULL;
}

void values_free(struct values *v)
{
	if (!v)
		return;
	if (v->fd >= 0)
		close(v->fd);
	free(v->directory);
	free(v);
}

const char *values_directory(const struct values *v)
{
	return v->directory;
}

/*
 * The file.
 */

static int open_nameless(const char *directory)
{
	char *path;
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	path = str_format("%s/.copse-merge-XXXXXX", directory);
	fd = path ? mkostemp(path, O_CLOEXEC) : -1;
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static int open_file(struct values *v)
{
	const char *other = getenv("TMPDIR");

	v->fd = open_nameless(v->directory);
	if (v->fd < 0)
		v->fd = open_nameless(other && *other ? other : "/var/tmp");
	return v->fd < 0 ? fail(-errno,
				"%s: no file can be made for values that do "
				"not fit into memory: %s",
				v->directory, strerror(errno))
			 : 0;
}

static int write_block(struct values *v, const struct block *header,
		       const void *bytes, size_t size)
{
	struct iovec parts[] = { { (void *)header, sizeof(*header) },
				 { (void *)bytes, size } };
	size_t at = 0;

	while (at < 2) {
		ssize_t n = pwritev(v->fd, parts + at, (int)(2 - at),
				    (off_t)v->end);

		if (n < 0 && errno != EINTR)
			return fail(-errno,
				    "%s: values that do not fit into memory "
				    "cannot be written: %s",
				    v->directory, strerror(errno));
		n = n > 0 ? n : 0;
		v->end += (uint64_t)n;
		for (; at < 2 && (size_t)n >= parts[at].iov_len; at++)
			n -= (ssize_t)parts[at].iov_len;
		if (at < 2) {
			parts[at].iov_base = (char *)parts[at].iov_base + n;
			parts[at].iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int read_at(const struct values *v, void *to, size_t size, uint64_t from)
{
	char *at = to;

	while (size) {
		ssize_t n = pread(v->fd, at, size, (off_t)from);

		if (!n || (n < 0 && errno != EINTR))
			return fail(n ? -errno : -EIO,
				    "%s: values that did not fit into memory "
				    "cannot be read: %s",
				    v->directory, strerror(n ? errno : EIO));
		at += n > 0 ? n : 0;
		from += n > 0 ? (uint64_t)n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/*
 * Adding.
 */

static int resize(struct values *v, struct value_stream *s, uint32_t room)
{
	uint8_t *tail = realloc(s->tail, room);

	if (!tail)
		return fail(-ENOMEM, "out of memory");
	v->memory += room - (size_t)s->room;
	s->tail = tail;
	s->room = room;
	return 0;
}

/* The tail becomes a block of the file. */
static int spill(struct values *v, struct value_stream *s)
{
	struct block block = { .before = s->block,
			       .before_size = s->block_size };
	uint64_t at = v->end;
	int err = v->fd < 0 ? open_file(v) : 0;

	if (!err)
		err = write_block(v, &block, s->tail, s->used);
	if (err)
		return err;
	s->block = at + 1;
	s->block_size = s->used;
	s->spilled += s->used;
	s->used = 0;
	return s->room > TAIL_SPILLED ? resize(v, s, TAIL_SPILLED) : 0;
}

static int more_room(struct values *v, struct value_stream *s)
{
	if (s->room >= TAIL_SPILLED && v->memory >= v->most)
		return spill(v, s);
	return resize(v, s, s->room ? s->room + s->room / 2 : TAIL_LEAST);
}

/* The head, which is full, goes to the tail. */
static int flush(struct values *v, struct value_stream *s)
{
	int err = s->room - s->used < HEAD ? more_room(v, s) : 0;

	if (err)
		return err;
	memcpy(s->tail + s->used, s->head, s->head_used);
	s->used += s->head_used;
	s->head_used = 0;
	return 0;
}

static int no_memory(void)
{
	return fail(-ENOMEM, "out of memory");
}

/* Numbers for that many nodes, the new ones 0. */
static int reach(struct value_streams *streams, uint32_t node)
{
	size_t count = streams->nodes ? streams->nodes : 256;
	uint32_t *of_node;

	while (count <= node)
		count *= 2;
	of_node = reallocarray(streams->of_node, count, sizeof(*of_node));
	if (!of_node)
		return no_memory();
	memset(of_node + streams->nodes, 0,
	       (count - streams->nodes) * sizeof(*of_node));
	streams->of_node = of_node;
	streams->nodes = count;
	return 0;
}

static int stream_new(struct value_streams *streams, uint32_t node)
{
	int err = node < streams->nodes ? 0 : reach(streams, node);

	if (!err && streams->count == streams->room) {
		size_t room = streams->room + streams->room / 2 + 256;
		struct value_stream *at =
			reallocarray(streams->at, room, sizeof(*at));

		if (!at)
			return no_memory();
		streams->at = at;
		streams->room = room;
	}
	if (err)
		return err;
	memset(&streams->at[streams->count], 0, sizeof(*streams->at));
	streams->of_node[node] = (uint32_t)++streams->count;
	return 0;
}

static struct value_stream *stream_of(const struct value_streams *streams,
				      uint32_t node)
{
	return &streams->at[streams->of_node[node] - 1];
}

bool value_streams_has(const struct value_streams *streams, uint32_t node)
{
	return node < streams->nodes && streams->of_node[node];
}

int values_add(struct values *v, struct value_streams *to, uint32_t node,
	       uint32_t rank, uint64_t value)
{
	struct value_stream *s;
	int err = value_streams_has(to, node) ? 0 : stream_new(to, node);

	if (err)
		return err;
	s = stream_of(to, node);
	if (HEAD - s->head_used < VALUE_MOST)
		err = flush(v, s);
	if (err)
		return err;
	s->head_used = (uint8_t)(packed_put(packed_put(s->head + s->head_used,
						       rank - s->rank),
					    value) -
				 s->head);
	s->rank = rank;
	return 0;
}

void values_prepare_far(const struct value_streams *to, uint32_t node)
{
	if (node < to->nodes)
		__builtin_prefetch(&to->of_node[node]);
}

void values_prepare_near(const struct value_streams *to, uint32_t node)
{
	const struct value_stream *s;

	if (!value_streams_has(to, node))
		return;
	s = stream_of(to, node);
	__builtin_prefetch(s, 1);
	__builtin_prefetch((const char *)s + sizeof(*s) / 2, 1);
}

void value_streams_fini(struct value_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++)
		free(streams->at[i].tail);
	free(streams->at);
	free(streams->of_node);
	*streams = (struct value_streams){ 0 };
}

struct run_source *run_source_new(size_t metrics, const uint32_t *order,
				  size_t processes, size_t ranks)
{
	struct run_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->order = calloc(processes + 1, sizeof(*source->order));
	source->metrics = calloc(metrics + 1, sizeof(*source->metrics));
	if (!source->order || !source->metrics) {
		run_source_free(source);
		return NULL;
	}
	memcpy(source->order, order, processes * sizeof(*order));
	source->rank_count = ranks;
	source->metric_count = metrics;
	return source;
}

int source_metric_list(struct source_metric *m, const uint32_t *became,
		       size_t count, size_t nodes)
{
	uint32_t *next = calloc(nodes + 1, sizeof(*next));

	m->first = calloc(nodes + 1, sizeof(*m->first));
	m->nodes = calloc(count + 1, sizeof(*m->nodes));
	if (!next || !m->first || !m->nodes) {
		free(next);
		return no_memory();
	}
	for (uint32_t i = 0; i < count; i++)
		if (value_streams_has(&m->streams, i))
			m->first[became[i] + 1]++;
	for (size_t i = 0; i < nodes; i++)
		next[i + 1] = m->first[i + 1] += m->first[i];
	for (uint32_t i = 0; i < count; i++)
		if (value_streams_has(&m->streams, i))
			m->nodes[next[became[i]]++] = i;
	free(next);
	return 0;
}

void run_source_free(struct run_source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->metric_count; i++) {
		value_streams_fini(&source->metrics[i].streams);
		store_column_close(source->metrics[i].rows);
		value_columns_fini(&source->metrics[i].by_node);
		value_columns_fini(&source->metrics[i].by_rank);
		free(source->metrics[i].first_by_rank);
		free(source->metrics[i].nodes);
		free(source->metrics[i].first);
	}
	values_free(source->values);
	store_close(source->store);
	free(source->metrics);
	free(source->order);
	free(source);
}

/*
 * Giving back.
 */

void value_buffer_fini(struct value_buffer *buffer)
{
	free(buffer->at);
	free(buffer->sums);
	free(buffer->seen);
	free(buffer->block);
	value_part_free(buffer->part);
	*buffer = (struct value_buffer){ 0 };
}

struct giving { /* the values of one node of the run, so far */
	const struct run_source *source;
	struct value_buffer *buffer;
	enum merge merge;
	size_t count;
	uint32_t last;
	bool sorted; /* by rank, each once */
};

static int make_room(struct value_buffer *b, size_t count)
{
	struct run_value *at;
	size_t room;

	if (count <= b->room)
		return 0;
	room = count + b->room / 2 + 1024;
	at = reallocarray(b->at, room, sizeof(*at));
	if (!at)
		return fail(-ENOMEM, "out of memory");
	b->at = at;
	b->room = room;
	return 0;
}

/* A value takes two bytes at least. */
static int give_bytes(struct giving *g, const uint8_t *at, size_t size,
		      uint32_t *rank)
{
	const uint8_t *end;
	const uint32_t *order = g->source->order;
	struct run_value *to;
	int err;

	if (!size)
		return 0; /* and `at` may be NULL */
	err = make_room(g->buffer, g->count + size / 2);
	if (err)
		return err;
	end = at + size;
	to = g->buffer->at + g->count;
	while (at < end) {
		uint64_t step, value;
		uint32_t is;

		at = packed_get(packed_get(at, &step), &value);
		*rank += (uint32_t)step;
		is = order[*rank];
		if (is == UINT32_MAX)
			continue;
		if (g->count && is <= g->last)
			g->sorted = false;
		g->last = is;
		g->count++;
		*to++ = (struct run_value){ is, value };
	}
	return 0;
}

/*
 * The bytes of all blocks of a stream, from the last one, into the block of the
 * buffer, behind room for a header.  Each comes with its header, in the place
 * of bytes that come later.
 */
static int read_blocks(struct giving *g, const struct value_stream *s)
{
	struct value_buffer *b = g->buffer;
	struct block header = { .before = s->block,
				.before_size = s->block_size };
	size_t at = s->spilled;
	int err = 0;

	if (at + sizeof(header) > b->block_room) {
		free(b->block);
		b->block_room = at + sizeof(header);
		b->block = malloc(b->block_room);
	}
	if (!b->block) {
		b->block_room = 0;
		return fail(-ENOMEM, "out of memory");
	}
	while (header.before && !err) {
		uint64_t from = header.before - 1;

		at -= header.before_size;
		err = read_at(g->source->values, b->block + at,
			      sizeof(header) + header.before_size, from);
		memcpy(&header, b->block + at, sizeof(header));
	}
	return err;
}

static int give_stream(struct giving *g, const struct value_stream *s)
{
	uint32_t rank = 0;
	int err = 0;

	if (s->block) {
		err = read_blocks(g, s);
		if (!err)
			err = give_bytes(
				g, g->buffer->block + sizeof(struct block),
				s->spilled, &rank);
	}
	if (!err)
		err = give_bytes(g, s->tail, s->used, &rank);
	return err ? err : give_bytes(g, s->head, s->head_used, &rank);
}

/* Each rank once, in order: by a place for each of them. */
static int tidy(struct giving *g)
{
	struct value_buffer *b = g->buffer;
	size_t ranks = g->source->rank_count, count = 0;

	if (!b->sums) {
		b->sums = calloc(ranks + 1, sizeof(*b->sums));
		b->seen = calloc(ranks + 1, sizeof(*b->seen));
	}
	if (!b->sums || !b->seen)
		return fail(-ENOMEM, "out of memory");
	for (size_t i = 0; i < g->count; i++) {
		uint32_t rank = b->at[i].rank;

		b->sums[rank] = b->seen[rank]
					? merge_values(g->merge, b->sums[rank],
						       b->at[i].value)
					: b->at[i].value;
		b->seen[rank] = 1;
	}
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (b->seen[rank])
			b->at[count++] =
				(struct run_value){ rank, b->sums[rank] };
	memset(b->seen, 0, ranks);
	g->count = count;
	return 0;
}

static int by_rank(const void *x, const void *y)
{
	const struct run_value *a = x, *b = y;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The same for few: values of one rank meet in any order, which is the same. */
static void tidy_few(struct giving *g)
{
	struct run_value *at = g->buffer->at;
	size_t kept = 0;

	qsort(at, g->count, sizeof(*at), by_rank);
	for (size_t i = 0; i < g->count; i++) {
		if (kept && at[kept - 1].rank == at[i].rank)
			at[kept - 1].value = merge_values(
				g->merge, at[kept - 1].value, at[i].value);
		else
			at[kept++] = at[i];
	}
	g->count = kept;
}

static int give(struct giving *g, const struct source_metric *m, size_t node)
{
	int err = 0;

	for (uint32_t i = m->first[node]; i < m->first[node + 1] && !err; i++)
		err = give_stream(g, stream_of(&m->streams, m->nodes[i]));
	if (err || g->sorted)
		return err;
	if (g->count >= g->source->rank_count / 16)
		return tidy(g);
	tidy_few(g);
	return 0;
}

int values_of_node(const struct run *run, size_t metric, size_t node,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count)
{
	const struct run_metric *m = &run->metrics[metric];
	struct giving g = { .source = run->source,
			    .buffer = buffer,
			    .merge = m->merge,
			    .sorted = true };
	int err;

	if (values_in_memory(run, metric)) {
		*at = m->values ? m->values + m->first[node] : NULL;
		*count = m->first[node + 1] - m->first[node];
		return 0;
	}
	if (run->source->store) {
		err = values_read(run->source->store,
				  &run->source->metrics[metric].by_node, node,
				  buffer, count);
	} else {
		err = give(&g, &run->source->metrics[metric], node);
		*count = g.count;
	}
	*at = buffer->at;
	return err;
}

int values_add_up(const struct run *run, const struct run_metric *metric,
		  size_t node, struct value_buffer *buffer, uint64_t *sums)
{
	const struct run_value *values;
	size_t count;
	int err = values_of_node(run, (size_t)(metric - run->metrics), node,
				 buffer, &values, &count);

	for (size_t i = 0; i < count && !err; i++)
		sums[values[i].rank] += values[i].value;
	return err;
}
