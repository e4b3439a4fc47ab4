/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tiles.c - records become tiles.
 *
 * What a piece holds is: for each node that has values in the tile, its number
 * in the piece, how many values, and these: the rank's number in the tile, in a
 * byte, and the value as packed.h says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "run/packed.h"
#include "run/spill.h"
#include "run/tiles.h"
#include "base/ordered-pool.h"

enum {
	NODE_MOST = 4,               /* bytes before the values of a node */
	VALUE_MOST = 1 + PACKED_MOST /* bytes of one */
};
_Static_assert(TILE_RANKS < 256, "a byte, and so is how many there are");

struct places { /* of a metric's pieces in a tile */
	uint64_t at;
	uint32_t *offset; /* one more than there are; NULL: none has values */
};

struct tiles {
	struct spill *spill;
	size_t metric_count, node_count, rank_count, tile_count, pieces;
	struct places *places; /* tile by tile */
	uint64_t **by_rank;    /* of each metric */
};

static struct places *places_of(const struct tiles *t, size_t tile,
				size_t metric)
{
	return &t->places[tile * t->metric_count + metric];
}

const uint64_t *tiles_first_by_rank(const struct tiles *t, size_t metric)
{
	return t->by_rank[metric];
}

const char *tiles_directory(const struct tiles *t)
{
	return spill_directory(t->spill);
}

size_t tiles_count(const struct tiles *t)
{
	return t->tile_count;
}

void tiles_free(struct tiles *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->places && i < t->tile_count * t->metric_count;
	     i++)
		free(t->places[i].offset);
	for (size_t i = 0; t->by_rank && i < t->metric_count; i++)
		free(t->by_rank[i]);
	free(t->places);
	free(t->by_rank);
	spill_free(t->spill);
	free(t);
}

static struct tiles *tiles_new(const struct run *run, const char *directory)
{
	struct tiles *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->metric_count = run->metric_count;
	t->node_count = run->node_count;
	t->rank_count = run->rank_count;
	t->tile_count = (run->rank_count + TILE_RANKS - 1) / TILE_RANKS;
	t->pieces = (run->node_count + PIECE_NODES - 1) / PIECE_NODES;
	t->places =
		calloc(t->tile_count * t->metric_count + 1, sizeof(*t->places));
	t->by_rank = calloc(t->metric_count + 1, sizeof(*t->by_rank));
	t->spill = spill_new(directory, TILES_MEMORY);
	if (t->places && t->by_rank && t->spill)
		return t;
	tiles_free(t);
	return NULL;
}

/* More than there was; what was there is lost. */
static int reallocate_empty(void **at, size_t *room, size_t count, size_t size)
{
	if (count <= *room && *at)
		return 0;
	free(*at);
	*room = count + count / 4 + 16;
	*at = reallocarray(NULL, *room, size);
	if (*at)
		return 0;
	*room = 0;
	return no_memory();
}

#define REACH(array, room, count)                                              \
	({                                                                     \
		void *at_ = (array);                                           \
		int err_ = reallocate_empty(&at_, &(room), (count),            \
					    sizeof(*(array)));                 \
		(array) = at_;                                                 \
		err_;                                                          \
	})

/*
 * Making.
 */

struct making {
	struct run *run;
	struct tiles *tiles;
	const struct records *records;
	const struct tiles_names *names;
	/* Records by tile: list[first[t]] … list[first[t + 1] - 1]. */
	uint32_t *list, *first;
};

struct one_value {
	uint32_t node, rank; /* of the run; of the tile */
	uint64_t value;
};

struct making_tile { /* one thread's */
	const struct making *m;
	size_t tile;
	uint8_t *raw; /* the records of its ranks */
	size_t *raw_at;
	uint64_t *sum;  /* of one rank, by node */
	uint64_t *seen; /* a bit for each node */
	uint32_t *next; /* by node */
	struct one_value *values;
	struct run_value *sorted;
	uint8_t *packed;
	size_t value_count, value_room, sorted_room, packed_room, packed_size;
	uint8_t *counts; /* metric by metric, of each node: ranks of the tile */
};

static uint32_t rank_of_record(const struct making *m,
			       const struct record *record)
{
	return m->names->order[record->process];
}

static void making_tile_fini(struct making_tile *t)
{
	free(t->raw);
	free(t->raw_at);
	free(t->sum);
	free(t->seen);
	free(t->next);
	free(t->values);
	free(t->sorted);
	free(t->packed);
	free(t->counts);
}

static int making_tile_init(struct making_tile *t)
{
	const struct tiles *tiles = t->m->tiles;
	size_t nodes = tiles->node_count, size = 0;
	uint32_t from = t->m->first[t->tile], end = t->m->first[t->tile + 1];

	t->raw_at = calloc(end - from + 1, sizeof(*t->raw_at));
	for (uint32_t i = from; t->raw_at && i < end; i++) {
		t->raw_at[i - from] = size;
		size += records_at(t->m->records, t->m->list[i])->size;
	}
	t->raw = malloc(size + 1);
	t->sum = calloc(nodes + 1, sizeof(*t->sum));
	t->seen = calloc(nodes / 64 + 1, sizeof(*t->seen));
	t->next = calloc(nodes + 1, sizeof(*t->next));
	t->counts = calloc(nodes * tiles->metric_count + 1, sizeof(*t->counts));
	return t->raw_at && t->raw && t->sum && t->seen && t->next && t->counts
		       ? 0
		       : no_memory();
}

static int read_records(struct making_tile *t)
{
	const struct making *m = t->m;
	uint32_t from = m->first[t->tile], end = m->first[t->tile + 1];
	int err = 0;

	for (uint32_t i = from; i < end && !err; i++)
		err = records_read(m->records, m->list[i],
				   t->raw + t->raw_at[i - from]);
	return err;
}

static void add_section(struct making_tile *t, const struct section *section,
			enum merge merge)
{
	const uint32_t *became = t->m->names->became;
	const uint8_t *at = section->at;
	uint32_t node = 0;
	uint64_t value;

	while (at < section->end) {
		uint64_t *sum, *seen, bit;
		uint32_t is;

		at = record_value(at, &node, &value);
		is = became[node];
		sum = &t->sum[is];
		seen = &t->seen[is / 64];
		bit = (uint64_t)1 << is % 64;
		*sum = merge == MERGE_SUM || !(*seen & bit)
			       ? *sum + value
			       : metric_merge(merge, *sum, value);
		*seen |= bit;
	}
}

/* Writes the sums of one rank, by node, and makes them 0 again. */
static int take_sums(struct making_tile *t, uint32_t rank)
{
	size_t words = t->m->tiles->node_count / 64 + 1, count = 0;
	struct one_value *to;

	for (size_t i = 0; i < words; i++)
		count += (size_t)__builtin_popcountll(t->seen[i]);
	if (!count)
		return 0;
	if (t->value_room - t->value_count < count) {
		size_t room = 2 * t->value_room + count;

		if (!ARRAY_RESIZE(t->values, room))
			return no_memory();
		t->value_room = room;
	}
	to = t->values + t->value_count;
	t->value_count += count;
	for (size_t i = 0; i < words; i++) {
		for (uint64_t bits = t->seen[i]; bits; bits &= bits - 1) {
			uint32_t node = (uint32_t)(64 * i) +
					(uint32_t)__builtin_ctzll(bits);

			*to++ = (struct one_value){ node, rank, t->sum[node] };
			t->sum[node] = 0;
		}
		t->seen[i] = 0;
	}
	return 0;
}

/* The sections of a record that are of the metric. */
static void add_tile_record(struct making_tile *t, size_t i, size_t metric)
{
	const struct making *m = t->m;
	const struct record *r = records_at(m->records, m->list[i]);
	const uint8_t *at = t->raw + t->raw_at[i - m->first[t->tile]];
	const uint8_t *end = at + r->size;
	struct section section;

	while (record_section(&at, end, &section))
		if (m->names->metric_of[section.metric] == metric)
			add_section(t, &section, m->run->metrics[metric].merge);
}

/* All values of the metric; records of one rank are adjacent. */
static int gather_values(struct making_tile *t, size_t metric)
{
	const struct making *m = t->m;
	uint32_t base = (uint32_t)t->tile * TILE_RANKS;
	int err = 0;

	t->value_count = 0;
	for (uint32_t i = m->first[t->tile];
	     i < m->first[t->tile + 1] && !err;) {
		uint32_t rank =
			rank_of_record(m, records_at(m->records, m->list[i]));
		size_t before = t->value_count;

		do
			add_tile_record(t, i++, metric);
		while (i < m->first[t->tile + 1] &&
		       rank_of_record(m, records_at(m->records, m->list[i])) ==
			       rank);
		err = take_sums(t, rank - base);
		m->tiles->by_rank[metric][rank + 1] = t->value_count - before;
	}
	return err;
}

/* By node, and in it by rank, as they come: by counting. */
static int sort_values(struct making_tile *t, uint8_t *counts)
{
	uint32_t at = 0;

	if (REACH(t->sorted, t->sorted_room, t->value_count))
		return -ENOMEM;
	for (size_t i = 0; i < t->value_count; i++)
		counts[t->values[i].node]++;
	for (size_t n = 0; n < t->m->tiles->node_count; n++) {
		t->next[n] = at;
		at += counts[n];
	}
	for (size_t i = 0; i < t->value_count; i++) {
		const struct one_value *v = &t->values[i];

		t->sorted[t->next[v->node]++] =
			(struct run_value){ v->rank, v->value };
	}
	return 0;
}

static uint8_t *pack_node(uint8_t *to, size_t number,
			  const struct run_value *values, size_t count)
{
	*to++ = (uint8_t)number;
	*to++ = (uint8_t)(count - 1);
	for (size_t i = 0; i < count; i++) {
		*to++ = (uint8_t)values[i].rank;
		to = packed_put(to, values[i].value);
	}
	return to;
}

static int pack_pieces(struct making_tile *t, const uint8_t *counts,
		       uint32_t *offset)
{
	const struct tiles *tiles = t->m->tiles;
	const struct run_value *values = t->sorted;
	size_t most =
		NODE_MOST * tiles->node_count + VALUE_MOST * t->value_count;
	uint8_t *to;

	if (REACH(t->packed, t->packed_room, most))
		return -ENOMEM;
	to = t->packed;
	for (size_t n = 0; n < tiles->node_count; n++) {
		if (n % PIECE_NODES == 0)
			offset[n / PIECE_NODES] = (uint32_t)(to - t->packed);
		if (counts[n])
			to = pack_node(to, n % PIECE_NODES, values, counts[n]);
		values += counts[n];
	}
	t->packed_size = (size_t)(to - t->packed);
	offset[tiles->pieces] = (uint32_t)t->packed_size;
	return t->packed_size > UINT32_MAX
		       ? fail(-EFBIG, "64 ranks have more than 4 GiB of values")
		       : 0;
}

static int make_tile_metric(struct making_tile *t, size_t metric)
{
	struct tiles *tiles = t->m->tiles;
	struct places *places = places_of(tiles, t->tile, metric);
	uint8_t *counts = t->counts + metric * tiles->node_count;
	int err = gather_values(t, metric);

	if (err || !t->value_count)
		return err;
	places->offset = calloc(tiles->pieces + 1, sizeof(*places->offset));
	if (!places->offset)
		return no_memory();
	err = sort_values(t, counts);
	if (!err)
		err = pack_pieces(t, counts, places->offset);
	if (!err)
		err = spill_put(tiles->spill, t->packed, t->packed_size,
				&places->at);
	return err;
}

static int make_tile(void *of, size_t i, void **item)
{
	struct making_tile t = { .m = of, .tile = i };
	int err = making_tile_init(&t);

	if (!err)
		err = read_records(&t);
	for (size_t k = 0; k < t.m->tiles->metric_count && !err; k++)
		err = make_tile_metric(&t, k);
	if (!err) {
		*item = t.counts;
		t.counts = NULL;
	}
	making_tile_fini(&t);
	return err;
}

static int take_tile(void *of, size_t i, void *item)
{
	const struct making *m = of;
	const uint8_t *counts = item;
	size_t nodes = m->tiles->node_count;

	(void)i;
	for (size_t k = 0; k < m->tiles->metric_count; k++) {
		uint64_t *first = m->run->metrics[k].first + 1;

		for (size_t n = 0; n < nodes; n++)
			first[n] += counts[k * nodes + n];
	}
	free(item);
	return 0;
}

static void prefix_sums(uint64_t *first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		first[i + 1] += first[i];
}

static int make_firsts(struct making *m)
{
	struct run *run = m->run;

	for (size_t i = 0; i < run->metric_count; i++) {
		run->metrics[i].first =
			calloc(run->node_count + 1, sizeof(uint64_t));
		m->tiles->by_rank[i] =
			calloc(run->rank_count + 1, sizeof(uint64_t));
		if (!run->metrics[i].first || !m->tiles->by_rank[i])
			return no_memory();
	}
	return 0;
}

static void finish_firsts(struct making *m)
{
	struct run *run = m->run;

	for (size_t i = 0; i < run->metric_count; i++) {
		prefix_sums(run->metrics[i].first, run->node_count);
		prefix_sums(m->tiles->by_rank[i], run->rank_count);
	}
}

/* By rank, and of one rank in the order they were put: by counting. */
static int list_records(struct making *m)
{
	size_t count = records_count(m->records);
	size_t ranks = m->run->rank_count, used = 0;
	uint32_t *at = calloc(ranks + 2, sizeof(*at));

	m->list = calloc(count + 1, sizeof(*m->list));
	m->first = calloc(m->tiles->tile_count + 1, sizeof(*m->first));
	if (!at || !m->list || !m->first) {
		free(at);
		return no_memory();
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t rank = rank_of_record(m, records_at(m->records, i));

		if (rank < ranks)
			at[rank + 1]++;
	}
	for (size_t r = 0; r < ranks; r++) {
		if (r % TILE_RANKS == 0)
			m->first[r / TILE_RANKS] = (uint32_t)used;
		used += at[r + 1];
		at[r + 1] += at[r];
	}
	m->first[m->tiles->tile_count] = (uint32_t)used;
	for (size_t i = 0; i < count; i++) {
		uint32_t rank = rank_of_record(m, records_at(m->records, i));

		if (rank < ranks)
			m->list[at[rank]++] = (uint32_t)i;
	}
	free(at);
	return 0;
}

struct tiles *tiles_make(struct run *run, const struct records *records,
			 const struct tiles_names *names, unsigned int threads)
{
	struct making m = { .run = run,
			    .records = records,
			    .names = names,
			    .tiles = tiles_new(run,
					       records_directory(records)) };
	struct ordered_work work = {
		.make = make_tile, .take = take_tile, .drop = free, .of = &m
	};
	int err = m.tiles ? make_firsts(&m) : no_memory();

	if (!err)
		err = list_records(&m);
	if (!err) {
		work.count = m.tiles->tile_count;
		err = ordered_pool_run(&work, threads);
	}
	if (!err)
		finish_firsts(&m);
	free(m.list);
	free(m.first);
	if (!err)
		return m.tiles;
	tiles_free(m.tiles);
	return NULL;
}

/*
 * Giving back.
 */

void tile_values_fini(struct tile_values *v)
{
	free(v->at);
	free(v->first);
	free(v->bytes);
	*v = (struct tile_values){ 0 };
}

/* Through some pieces of a tile, node by node. */
struct cursor {
	const uint8_t *at, *end; /* of the piece */
	const uint32_t *offset;
	size_t piece, pieces; /* the next one, and where to end */
};

static int cursor_init(struct cursor *c, const struct tiles *t, size_t metric,
		       size_t tile, size_t from, size_t end,
		       struct tile_values *v)
{
	const struct places *p = places_of(t, tile, metric);
	size_t size = p->offset ? p->offset[end] - p->offset[from] : 0;

	*c = (struct cursor){ .piece = from, .pieces = size ? end : from };
	if (!size)
		return 0;
	if (REACH(v->bytes, v->bytes_room, size))
		return -ENOMEM;
	c->at = c->end = v->bytes;
	c->offset = p->offset;
	return spill_get(t->spill, p->at + p->offset[from], size, v->bytes);
}

/* False: that was the last one.  Its values are the caller's to go through. */
static inline bool cursor_next(struct cursor *c, size_t *node, size_t *count)
{
	while (c->at == c->end) {
		if (c->piece == c->pieces)
			return false;
		c->end += c->offset[c->piece + 1] - c->offset[c->piece];
		c->piece++;
	}
	*node = (c->piece - 1) * PIECE_NODES + *c->at++;
	*count = (size_t)*c->at++ + 1;
	return true;
}

static inline struct run_value cursor_value(struct cursor *c)
{
	struct run_value v = { .rank = *c->at++ };

	c->at = packed_get(c->at, &v.value);
	return v;
}

/* Room for `rows` rows, which begin at first[0 … rows]. */
static int tile_rows_init(struct tile_values *v, const uint64_t *first,
			  size_t rows)
{
	if (REACH(v->first, v->first_room, rows + 1) ||
	    REACH(v->at, v->room, first[rows] - first[0]))
		return -ENOMEM;
	for (size_t i = 0; i <= rows; i++)
		v->first[i] = (uint32_t)(first[i] - first[0]);
	return 0;
}

/* Each row's beginning has become its end, which is the next one's beginning.
 */
static void rows_finish(struct tile_values *v, size_t rows)
{
	memmove(v->first + 1, v->first, rows * sizeof(*v->first));
	v->first[0] = 0;
}

int tiles_nodes(const struct tiles *t, const struct run *run, size_t metric,
		size_t from, size_t end, struct tile_values *v)
{
	int err = tile_rows_init(v, run->metrics[metric].first + from,
				 end - from);
	size_t node, count;
	struct cursor c;

	for (size_t tile = 0; tile < t->tile_count && !err; tile++) {
		uint32_t base = (uint32_t)tile * TILE_RANKS;

		err = cursor_init(&c, t, metric, tile, from / PIECE_NODES,
				  (end + PIECE_NODES - 1) / PIECE_NODES, v);
		while (!err && cursor_next(&c, &node, &count)) {
			uint32_t *first = &v->first[node - from];

			while (count--) {
				v->at[*first] = cursor_value(&c);
				v->at[(*first)++].rank += base;
			}
		}
	}
	if (!err)
		rows_finish(v, end - from);
	return err;
}

/* How many values the ranks of a tile have. */
static size_t tile_size(const struct tiles *t, size_t metric, size_t tile)
{
	const uint64_t *first = t->by_rank[metric];
	size_t from = tile * TILE_RANKS, end = from + TILE_RANKS;

	return first[end < t->rank_count ? end : t->rank_count] - first[from];
}

int tile_by_node(const struct tiles *t, size_t metric, size_t tile,
		 struct tile_values *v)
{
	size_t node, count, next = 0;
	uint32_t used = 0;
	struct cursor c;
	int err;

	if (REACH(v->first, v->first_room, t->node_count + 1) ||
	    REACH(v->at, v->room, tile_size(t, metric, tile)))
		return -ENOMEM;
	err = cursor_init(&c, t, metric, tile, 0, t->pieces, v);
	while (!err && cursor_next(&c, &node, &count)) {
		while (next <= node)
			v->first[next++] = used;
		while (count--)
			v->at[used++] = cursor_value(&c);
	}
	while (next <= t->node_count)
		v->first[next++] = used;
	return err;
}

int tile_by_rank(const struct tiles *t, size_t metric, size_t tile,
		 struct tile_values *v)
{
	size_t from = tile * TILE_RANKS, rows = t->rank_count - from;
	size_t node, count;
	struct cursor c;
	int err;

	rows = rows < TILE_RANKS ? rows : TILE_RANKS;
	err = tile_rows_init(v, t->by_rank[metric] + from, rows);
	if (!err)
		err = cursor_init(&c, t, metric, tile, 0, t->pieces, v);
	while (!err && cursor_next(&c, &node, &count))
		while (count--) {
			struct run_value value = cursor_value(&c);
			uint32_t *first = &v->first[value.rank];

			value.rank = (uint32_t)node;
			v->at[(*first)++] = value;
		}
	if (!err)
		rows_finish(v, rows);
	return err;
}
