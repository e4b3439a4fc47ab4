/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * from-live.c - a live profile, read with suspicion.
 *
 * Each 8 bytes of the file belong to one record at most: whoever claims them
 * a second time has followed a wrong reference.  So lists that run in a
 * circle end, and time and memory are bounded by the size of the file.
 *
 * Nothing that was measured is left out because of its path: a node that
 * cannot be read is folded into its parent, and counted as damage.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/comparison.h"
#include "base/str.h"
#include "profile/live/live-reader.h"
#include "profile/live/python-lines.h"

bool reader_inside(const struct reader *r, uint64_t ref, uint64_t bytes)
{
	return ref && ref <= r->size / LIVE_UNIT &&
	       bytes <= r->size - ref * LIVE_UNIT;
}

/* The record at `ref`, now ours; NULL: damaged. */
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

/* `array` is the address of a T *, with `count` elements: room for one more. */
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

/* A copy of a text, "" for none; it may hold zeros. */
static char *text(struct reader *r, live_ref ref, size_t *length)
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

	return text(r, ref, &length);
}

static char *command(struct reader *r, live_ref ref)
{
	size_t length, size;
	char *words = text(r, ref, &length), *line = NULL;
	FILE *to = words ? open_memstream(&line, &size) : NULL;

	if (!to) {
		free(words);
		reader_no_memory(r);
		return NULL;
	}
	for (size_t i = 0; i < length; i += strlen(words + i) + 1) {
		if (i)
			fputc(' ', to);
		str_quote(to, words + i);
	}
	if (fclose(to))
		reader_no_memory(r);
	free(words);
	return line;
}

/* What a fixed field holds, always ended. */
static void fixed_text(char *to, size_t to_size, const char *from,
		       size_t from_size)
{
	size_t n = strnlen(from, from_size);

	n = n < to_size ? n : to_size - 1;
	memcpy(to, from, n);
	memset(to + n, 0, to_size - n);
}

static void read_identity(struct reader *r)
{
	const struct live_header *h = &r->header;

	r->p->id = (struct profile_identity){
#define COLUMN(type, name, ...) .name = h->name,
#define ADDED                   COLUMN
#define LOCAL                   COLUMN
#define DERIVED(...)
#include "live/process.def"
#undef COLUMN
#undef ADDED
#undef LOCAL
#undef DERIVED
		.world_id = h->world_id,
		.family = h->family,
		.exe = reader_string(r, h->exe),
		.command = command(r, h->command),
		.job = strndup(h->job, sizeof(h->job)),
		.version = strdup(PACKAGE_VERSION),
		.events = reader_string(r, (live_ref)h->events),
		.mpi_library = reader_string(r, h->mpi_library),
		.end = END_UNKNOWN,
		.paused_ns = h->pauses.wall_ns,
	};
	fixed_text(r->p->id.host, sizeof(r->p->id.host), h->host,
		   sizeof(h->host));
	batch_take(&r->p->id.batch, &h->batch);
	if (h->clock_id)
		snprintf(r->p->id.clock_id, sizeof(r->p->id.clock_id),
			 "%016" PRIx64, h->clock_id);
	if (!r->p->id.job || !r->p->id.version)
		reader_no_memory(r);
}

/*
 * Follow a list from its head.  `take` reads one record, from memory that may
 * be unaligned, and returns the reference to the next.
 */
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

static live_ref take_module(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_module m;
	struct profile_module *to;
	size_t bytes;

	memcpy(&m, at, sizeof(m));
	if (!reader_grow(r, &p->modules, p->module_count, sizeof(*to)))
		return 0;
	to = &p->modules[p->module_count++];
	*to = (struct profile_module){ .path = reader_string(r, m.path),
				       .base = m.base };
	bytes = m.build_id_size;
	if (bytes > sizeof(m.build_id))
		bytes = sizeof(m.build_id);
	for (size_t i = 0; i < bytes; i++)
		snprintf(to->build_id + 2 * i, 3, "%02x", m.build_id[i]);
	return m.next;
}

static live_ref take_name(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_name n;

	memcpy(&n, at, sizeof(n));
	if (!reader_grow(r, &p->names, p->name_count, sizeof(*p->names)))
		return 0;
	p->names[p->name_count++] = (struct profile_name){
		.text = reader_string(r, n.text),
		.class = n.class,
		.detail = n.detail,
		.file = reader_string(r, n.file),
		.lines = n.lines,
	};
	return n.next;
}

static live_ref take_comm(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_comm c;

	memcpy(&c, at, sizeof(c));
	if (!reader_grow(r, &p->comms, p->comm_count, sizeof(*p->comms)))
		return 0;
	if (map_put(&r->comms, reader_ref(r, at), 0, (uint32_t)p->comm_count) ==
	    MAP_NONE)
		reader_no_memory(r);
	p->comms[p->comm_count++] = (struct profile_comm){
		.size = c.size,
		.rank = c.rank,
		.inter = c.inter,
		.calls = c.calls,
		.id = c.id,
		.instances = c.instances,
		.first = c.first,
		.name = reader_string(r, c.name),
	};
	return c.next;
}

/* Letters, digits and signs; a '.' does not come first. */
static bool good_name(const struct profile *p, const char *name)
{
	const char *c = name;

	while (*c > ' ' && *c < 127)
		c++;
	return *name && *name != '.' && !*c && !profile_column(p, name);
}

/*
 * One column per metric of the file, so that its numbers are ours; those that
 * make no sense have no name and go at the end.
 */
static void read_metrics(struct reader *r)
{
	const struct live_header *h = &r->header;
	size_t count = h->metric_count;
	struct profile *p = r->p;

	if (count > LIVE_METRICS) {
		r->damaged++;
		count = LIVE_METRICS;
	}
	p->columns = calloc(LIVE_METRICS, sizeof(*p->columns));
	if (!p->columns) {
		reader_no_memory(r);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct live_metric *m = &h->metrics[i];
		struct profile_column *c = &p->columns[i];
		char name[sizeof(c->name)];

		fixed_text(name, sizeof(name), m->name, sizeof(m->name));
		if (m->unit <= UNIT_BYTES && m->merge <= MERGE_MIN &&
		    good_name(p, name)) {
			memcpy(c->name, name, sizeof(name));
			c->unit = m->unit;
			c->merge = m->merge;
			c->counting = m->counting;
		} else {
			r->damaged++;
		}
		p->column_count = i + 1;
	}
}

/* Trees */

/* The unified node that a node of the file became; the root for none. */
uint32_t reader_node(struct reader *r, live_ref ref)
{
	if (reader_inside(r, ref, sizeof(struct live_node)) &&
	    r->marks[ref] >= FIRST_NODE)
		return r->marks[ref] - FIRST_NODE;
	r->damaged++;
	return 0;
}

static bool owner_exists(const struct profile *p,
			 const struct profile_node *node)
{
	switch (node->kind) {
	case NODE_CALL:
	case NODE_PC:
	case NODE_REGION:
	case NODE_LOCK:
		return node->owner < p->module_count;
	case NODE_NAMED:
	case NODE_PYTHON:
		return node->owner < p->name_count;
	case NODE_PARTIAL:
		return node->owner < LOSS_COUNT;
	default:
		return node->kind == NODE_ADDRESS;
	}
}

/* The unified child of that key, made when it is new. */
static uint32_t child(struct reader *r, const struct profile_node *node)
{
	struct profile *p = r->p;
	uint64_t key = (uint64_t)node->parent << 32 | node->kind << 28 |
		       node->owner; /* fewer than 2^28: it exists */
	uint32_t index = map_put(&r->children, key, node->offset,
				 (uint32_t)p->node_count);

	if (index == MAP_NONE)
		reader_no_memory(r);
	else if (index == p->node_count &&
		 reader_grow(r, &p->nodes, p->node_count, sizeof(*p->nodes)))
		p->nodes[p->node_count++] = *node;
	return r->err ? 0 : index;
}

/* The line of a node whose offset is that of bytecode, and 2. */
static uint32_t line_of_python(const struct reader *r,
			       const struct profile_node *node)
{
	const struct profile_name *name = &r->p->names[node->owner];
	const char *at = r->data + (size_t)name->lines * LIVE_UNIT;
	struct live_text head = { 0 };

	if (reader_inside(r, name->lines, sizeof(head)))
		memcpy(&head, at, sizeof(head));
	if (!reader_inside(r, name->lines, sizeof(head) + (size_t)head.length))
		head.length = 0;
	return python_line(r->header.python, (const uint8_t *)at + sizeof(head),
			   head.length, name->detail,
			   (int64_t)node->offset - 2);
}

/* The unified node for one of a thread's, below that parent. */
static uint32_t unify_below(struct reader *r, const struct live_node *n,
			    uint32_t parent)
{
	struct profile_node node = { .parent = parent,
				     .kind = n->kind,
				     .owner = n->owner };

	if (n->kind == LIVE_NODE_ADDRESS)
		node.owner = 0;
	if (node_has_offset(n->kind))
		node.offset = n->offset;
	if (owner_exists(r->p, &node)) {
		if (n->kind == LIVE_NODE_PYTHON)
			node.offset = line_of_python(r, &node);
		return child(r, &node);
	}
	r->damaged++;
	return node.parent;
}

enum {
	STEPS_MOST = 8192 /* more than --depth allows */
};

/* From a node to its parent, from a reference to what it is. */
static live_ref step_up(const struct live_node *n)
{
	return n->kind == LIVE_NODE_BELOW ? (live_ref)n->offset : n->parent;
}

/*
 * A node of another thread's, which may not have been read: its path from the
 * last one that was, or from a root, is made now.
 */
static uint32_t unify_elsewhere(struct reader *r, live_ref ref)
{
	live_ref steps[STEPS_MOST];
	uint32_t count = 0, index = 0;
	struct live_node n;

	for (; reader_inside(r, ref, sizeof(n)); ref = step_up(&n)) {
		memcpy(&n, r->data + (size_t)ref * LIVE_UNIT, sizeof(n));
		if (r->marks[ref] >= FIRST_NODE || n.kind == LIVE_NODE_ROOT)
			break;
		if (count == STEPS_MOST)
			break;
		steps[count++] = ref;
	}
	if (reader_inside(r, ref, sizeof(n)) && r->marks[ref] >= FIRST_NODE)
		index = r->marks[ref] - FIRST_NODE;
	else if (!reader_inside(r, ref, sizeof(n)) || count == STEPS_MOST)
		r->damaged++;
	while (count && !r->err) {
		memcpy(&n, r->data + (size_t)steps[--count] * LIVE_UNIT,
		       sizeof(n));
		if (n.kind != LIVE_NODE_BELOW)
			index = unify_below(r, &n, index);
	}
	return index;
}

static uint32_t unify(struct reader *r, const struct live_node *n)
{
	if (n->kind == LIVE_NODE_ROOT)
		return 0;
	if (n->kind == LIVE_NODE_BELOW)
		return unify_elsewhere(r, (live_ref)n->offset);
	return unify_below(r, n, reader_node(r, n->parent));
}

uint32_t reader_named(struct reader *r, uint32_t parent, uint32_t name)
{
	struct profile_node node = { parent, NODE_NAMED, name, 0 };

	if (owner_exists(r->p, &node))
		return child(r, &node);
	r->damaged++;
	return parent;
}

/*
 * From the root on: the path is turned round on its way.  These are copies, of
 * which a damaged file may ask for many: none is made when there are as many
 * nodes as bytes.
 */
uint32_t reader_below(struct reader *r, uint32_t parent, uint32_t path)
{
	uint32_t steps[STEPS_MOST], count = 0;

	for (; path && count < STEPS_MOST; path = r->p->nodes[path].parent)
		steps[count++] = path;
	while (count && !r->err && r->p->node_count < r->size) {
		struct profile_node node = r->p->nodes[steps[--count]];

		node.parent = parent;
		parent = child(r, &node);
	}
	r->damaged += count > 0;
	return parent;
}

uint32_t reader_partial(struct reader *r, uint32_t why)
{
	struct profile_node node = { 0, NODE_PARTIAL, why, 0 };

	if (owner_exists(r->p, &node))
		return child(r, &node);
	r->damaged++;
	return 0;
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

static void read_cells(struct reader *r, uint32_t node, uint32_t thread,
		       live_ref ref)
{
	while (ref && !r->err) {
		struct live_cell cell;
		const void *at = reader_claim(r, ref, sizeof(cell));

		if (!at)
			return;
		memcpy(&cell, at, sizeof(cell));
		if (cell.metric == LIVE_CELL_CALL)
			reader_call(r, node, thread, cell.value);
		else
			reader_value(r, node, thread, &cell);
		ref = cell.next;
	}
}

static bool read_node(struct reader *r, uint32_t thread, uint64_t ref)
{
	struct live_node node;
	const void *at = reader_claim(r, ref, sizeof(node));
	uint32_t index;

	if (!at)
		return false;
	memcpy(&node, at, sizeof(node));
	index = unify(r, &node);
	r->marks[ref] = FIRST_NODE + index;
	read_cells(r, index, thread, node.cells);
	return !r->err;
}

static void read_tree(struct reader *r, uint32_t thread, live_ref ref)
{
	while (ref && !r->err) {
		const uint64_t units = sizeof(struct live_node) / LIVE_UNIT;
		struct live_chunk chunk;
		const void *at = reader_claim(r, ref, sizeof(chunk));
		uint64_t first = (uint64_t)ref + sizeof(chunk) / LIVE_UNIT;

		if (!at)
			return;
		memcpy(&chunk, at, sizeof(chunk));
		for (uint32_t i = 0; i < chunk.count; i++)
			if (!read_node(r, thread, first + i * units))
				break;
		ref = chunk.next;
	}
}

static live_ref take_live_thread(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct profile_thread *to;
	struct live_thread t;

	memcpy(&t, at, sizeof(t));
	if (!reader_grow(r, &p->threads, p->thread_count, sizeof(*to)))
		return 0;
	to = &p->threads[p->thread_count];
	*to = (struct profile_thread){
		.tid = t.tid,
		.clock = t.clock,
		.runs = t.runs,
		.ended = t.state == LIVE_THREAD_ENDED,
		.first_ns = t.first_ns,
		.last_ns = t.last_ns,
#define COLUMN(type, name, ...) .name = t.name,
#define ADDED                   COLUMN
#include "live/thread.def"
#undef COLUMN
#undef ADDED
		.every = t.every,
		.level = t.level,
	};
	fixed_text(to->name, sizeof(to->name), t.name, sizeof(t.name));
	for (size_t i = 0; i < LOSS_COUNT; i++)
		p->losses[i].count += t.losses[i];
	read_tree(r, (uint32_t)p->thread_count, t.nodes);
	reader_mpi(r, (uint32_t)p->thread_count++, &t);
	return t.next;
}

static void read_losses(struct reader *r)
{
	struct profile *p = r->p;

	p->losses = calloc(LOSS_COUNT + 1, sizeof(*p->losses));
	if (!p->losses) {
		reader_no_memory(r);
		return;
	}
	p->loss_count = LOSS_COUNT;
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		snprintf(p->losses[i].name, sizeof(p->losses[i].name), "%s",
			 loss_infos[i].name);
		p->losses[i].count = r->header.losses[i];
	}
}

/* Order */

ORDER_BY(by_value_node, struct profile_value, ASC(node) ?: ASC(thread))

static uint64_t merged(enum merge how, uint64_t a, uint64_t b)
{
	switch (how) {
	case MERGE_MAX:
		return a > b ? a : b;
	case MERGE_MIN:
		return a < b ? a : b;
	default:
		return a + b;
	}
}

/* Sort a column's values; those of one node and thread become one. */
static void order_values(struct profile_column *c)
{
	struct profile_value *last = c->values;

	if (!c->count)
		return;
	qsort(c->values, c->count, sizeof(*c->values), by_value_node);
	for (size_t i = 1; i < c->count; i++) {
		const struct profile_value *v = &c->values[i];

		if (by_value_node(last, v))
			*++last = *v;
		else
			last->value = merged(c->merge, last->value, v->value);
	}
	c->count = (size_t)(last - c->values) + 1;
}

/* Sort the columns' values; without any, only events that were counted stay. */
static void order_columns(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->column_count; i++) {
		if (!p->columns[i].count && !p->columns[i].counting.enabled_ns)
			continue;
		order_values(&p->columns[i]);
		p->columns[kept++] = p->columns[i];
	}
	p->column_count = kept;
}

static void read_live(struct reader *r)
{
	const struct live_header *h = &r->header;
	struct profile *p = r->p;

	if (reader_grow(r, &p->nodes, 0, sizeof(*p->nodes)))
		p->nodes[p->node_count++] = (struct profile_node){ 0 };
	for (size_t i = 0; i < sizeof(*h) / LIVE_UNIT; i++)
		r->marks[i] = TAKEN;
	read_identity(r);
	read_metrics(r);
	read_losses(r);
	reader_walk(r, h->modules, sizeof(struct live_module), take_module);
	reader_walk(r, h->names, sizeof(struct live_name), take_name);
	reader_walk(r, h->comms, sizeof(struct live_comm), take_comm);
	reader_walk(r, h->threads, sizeof(struct live_thread),
		    take_live_thread);
	reader_gpu(r);
	reader_facts(r);
	reader_pcs(r);
	reader_devices(r);
	reader_power(r);
	if (r->err)
		return;
	if (h->end.mono_ns)
		reader_end(r);
	if (p->id.mpi_thread >= p->thread_count)
		p->id.mpi_thread = 0;
	order_columns(p);
	reader_mpi_order(p);
	reader_steps(r);
	if (r->err)
		return;
	reader_device_order(p);
	if (r->damaged)
		p->losses[p->loss_count++] =
			(struct profile_loss){ "damaged", r->damaged };
}

static int check_header(const struct live_header *h, size_t size)
{
	if (size < sizeof(h->magic) || h->magic != LIVE_MAGIC)
		return fail(-EINVAL, "not a live profile");
	if (size < sizeof(*h))
		return fail(-EINVAL,
			    "a live profile, truncated after %zu bytes", size);
	if (h->version > LIVE_VERSION)
		return fail(-EINVAL,
			    "live profile version %u is newer than this copse "
			    "reads (%u)",
			    h->version, LIVE_VERSION);
	if (h->version != LIVE_VERSION || h->header_size != sizeof(*h))
		return fail(-EINVAL,
			    "a live profile of another version of copse");
	return 0;
}

int profile_from_live(struct profile **to, const void *data, size_t size)
{
	struct reader r = { .data = data, .size = size, .text_left = 2 * size };
	int err;

	memcpy(&r.header, data,
	       size < sizeof(r.header) ? size : sizeof(r.header));
	err = check_header(&r.header, size);
	if (err)
		return err;
	r.marks = calloc(size / LIVE_UNIT + 1, sizeof(*r.marks));
	r.p = calloc(1, sizeof(*r.p));
	if (!r.marks || !r.p)
		reader_no_memory(&r);
	else
		read_live(&r);
	if (r.err) {
		profile_free(r.p);
		no_memory();
	} else {
		*to = r.p;
	}
	map_fini(&r.children);
	map_fini(&r.comms);
	map_fini(&r.calls);
	map_fini(&r.peers);
	map_fini(&r.works);
	free(r.marks);
	return r.err;
}
