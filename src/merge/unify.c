/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unify.c - the unified tree by address.  A module is one path with one build
 * id, whichever process had it at whatever address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "merge/unify-tree.h"
#include "merge/values.h"

void *grow(void *at, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;

	if (count < *room)
		return at;
	at = reallocarray(at, more, size);
	if (!at)
		fail(-ENOMEM, "out of memory");
	else
		*room = more;
	return at;
}

/* In an array that grows, make sure of room for one more, or leave. */
#define ROOM(array, count, room)                                               \
	({                                                                     \
		void *more_ =                                                  \
			grow((array), (count), &(room), sizeof(*(array)));     \
		if (more_)                                                     \
			(array) = more_;                                       \
		more_ != NULL;                                                 \
	})

static const struct address_node root_node = { .kind = NODE_ROOT };

struct unify *unify_new(const char *directory)
{
	struct unify *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->records = records_new(directory, RECORDS_MEMORY);
	if (!u->records || str_add(&u->strings, "") == STR_NONE ||
	    !ROOM(u->nodes, u->node_count, u->node_room)) {
		unify_free(u);
		return NULL;
	}
	u->nodes[u->node_count++] = root_node;
	return u;
}

void unify_free(struct unify *u)
{
	if (!u)
		return;
	records_free(u->records);
	free(u->metrics);
	free(u->nodes);
	free(u->modules);
	free(u->names);
	map_fini(&u->node_map);
	map_fini(&u->module_map);
	map_fini(&u->name_map);
	strings_fini(&u->strings);
	free(u);
}

static int check_node(const struct profile *p, size_t i)
{
	const struct profile_node *n = &p->nodes[i];
	size_t owners = n->kind == NODE_NAMED     ? p->name_count
			: n->kind == NODE_PARTIAL ? p->loss_count
						  : p->module_count;

	if (n->kind >= NODE_KINDS || (i && n->parent >= i) ||
	    (n->kind == NODE_ROOT) != !i)
		return -1;
	if (n->kind == NODE_ROOT || n->kind == NODE_ADDRESS)
		return 0;
	return n->owner < owners ? 0 : -1;
}

int unify_check(const struct profile *p)
{
	for (size_t i = 0; i < p->node_count; i++)
		if (check_node(p, i))
			return fail(-EINVAL, "damaged: call path %zu", i);
	for (size_t c = 0; c < p->column_count; c++)
		for (size_t i = 0; i < p->columns[c].count; i++)
			if (p->columns[c].values[i].node >= p->node_count)
				return fail(-EINVAL, "damaged: value %zu of %s",
					    i, p->columns[c].name);
	if (p->node_count == 0)
		return fail(-EINVAL, "damaged: no call paths");
	return 0;
}

uint32_t unify_module(struct unify *u, uint32_t path, uint32_t build_id)
{
	uint32_t index;

	if (!ROOM(u->modules, u->module_count, u->module_room))
		return MAP_NONE;
	index = map_put(&u->module_map, path, build_id,
			(uint32_t)u->module_count);
	if (index == u->module_count)
		u->modules[u->module_count++] =
			(struct address_module){ path, build_id };
	return index;
}

static uint32_t find_module(struct unify *u, const struct profile_module *m)
{
	uint32_t path = str_add(&u->strings, m->path);
	uint32_t id = str_add(&u->strings, m->build_id);

	if (path == STR_NONE || id == STR_NONE)
		return MAP_NONE;
	return unify_module(u, path, id);
}

uint32_t unify_name(struct unify *u, const struct address_name *n)
{
	uint32_t index;

	if (!ROOM(u->names, u->name_count, u->name_room))
		return MAP_NONE;
	index = map_put(&u->name_map, n->text,
			(uint64_t)n->class << 32 | n->detail,
			(uint32_t)u->name_count);
	if (index == u->name_count)
		u->names[u->name_count++] = *n;
	return index;
}

static uint32_t find_name(struct unify *u, const struct profile_name *n)
{
	struct address_name name = { str_add(&u->strings, n->text), n->class,
				     n->detail };

	return name.text == STR_NONE ? MAP_NONE : unify_name(u, &name);
}

uint32_t unify_node(struct unify *u, const struct address_node *node)
{
	uint64_t key = (uint64_t)node->parent << 32 |
		       (uint64_t)node->kind << 28 | node->owner;
	uint32_t index;

	if (!ROOM(u->nodes, u->node_count, u->node_room))
		return MAP_NONE;
	index = map_put(&u->node_map, key, node->offset,
			(uint32_t)u->node_count);
	if (index == u->node_count)
		u->nodes[u->node_count++] = *node;
	return index;
}

struct translation { /* of one profile's indices into ours */
	uint32_t *nodes, *modules, *names, *losses;
	uint8_t *valued; /* of its nodes: those with values */
};

static void translation_fini(struct translation *t)
{
	free(t->nodes);
	free(t->modules);
	free(t->names);
	free(t->losses);
	free(t->valued);
}

static int translate_owners(struct unify *u, const struct profile *p,
			    struct translation *t)
{
	t->modules = calloc(p->module_count + 1, sizeof(*t->modules));
	t->names = calloc(p->name_count + 1, sizeof(*t->names));
	t->losses = calloc(p->loss_count + 1, sizeof(*t->losses));
	if (!t->modules || !t->names || !t->losses)
		return -ENOMEM;
	for (size_t i = 0; i < p->module_count; i++) {
		t->modules[i] = find_module(u, &p->modules[i]);
		if (t->modules[i] >= OWNERS)
			return -ENOMEM;
	}
	for (size_t i = 0; i < p->name_count; i++) {
		t->names[i] = find_name(u, &p->names[i]);
		if (t->names[i] >= OWNERS)
			return -ENOMEM;
	}
	for (size_t i = 0; i < p->loss_count; i++) {
		t->losses[i] = str_add(&u->strings, p->losses[i].name);
		if (t->losses[i] >= OWNERS)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t translate_owner(const struct translation *t,
				const struct profile_node *n)
{
	switch (n->kind) {
	case NODE_CALL:
	case NODE_PC:
		return t->modules[n->owner];
	case NODE_NAMED:
		return t->names[n->owner];
	case NODE_PARTIAL:
		return t->losses[n->owner];
	default:
		return 0;
	}
}

static bool same_node(const struct address_node *a,
		      const struct address_node *b)
{
	return a->parent == b->parent && a->kind == b->kind &&
	       a->owner == b->owner && a->offset == b->offset;
}

/*
 * Ranks of one program have much the same tree in much the same order: what
 * came next in the last profile that had this node, or the one behind that, is
 * it in four of five cases, and need not be looked up.
 */
static uint32_t find_next(struct unify *u, uint32_t last,
			  const struct address_node *node)
{
	uint32_t next = u->nodes[last].next;

	if (!same_node(&u->nodes[next], node)) {
		next = u->nodes[next].next;
		if (!same_node(&u->nodes[next], node))
			next = unify_node(u, node);
		if (next == MAP_NONE)
			return next;
		u->nodes[last].next = next;
	}
	u->nodes[next].valued |= node->valued;
	return next;
}

static int find_valued(const struct profile *p, struct translation *t)
{
	t->valued = calloc(p->node_count, sizeof(*t->valued));
	if (!t->valued)
		return -ENOMEM;
	for (size_t c = 0; c < p->column_count; c++)
		for (size_t i = 0; i < p->columns[c].count; i++)
			t->valued[p->columns[c].values[i].node] = 1;
	return 0;
}

static int translate_nodes(struct unify *u, const struct profile *p,
			   struct translation *t)
{
	t->nodes = calloc(p->node_count, sizeof(*t->nodes));
	if (!t->nodes || find_valued(p, t))
		return -ENOMEM;
	u->nodes[0].valued |= t->valued[0];
	for (size_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];
		struct address_node to = { .parent = t->nodes[n->parent],
					   .kind = (uint16_t)n->kind,
					   .valued = t->valued[i],
					   .owner = translate_owner(t, n) };

		if (n->kind <= NODE_ADDRESS)
			to.offset = n->offset;
		t->nodes[i] = find_next(u, t->nodes[i - 1], &to);
		if (t->nodes[i] == MAP_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void add_counting(struct counting *to, const struct counting *from)
{
	if (from->period > to->period)
		to->period = from->period;
	to->user_only |= from->user_only;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
}

struct address_metric *unify_metric(struct unify *u, const char name[56],
				    enum unit unit, enum merge merge,
				    const struct counting *counting)
{
	struct address_metric *m;
	size_t i = 0;

	while (i < u->metric_count && strcmp(u->metrics[i].name, name) != 0)
		i++;
	if (!ROOM(u->metrics, u->metric_count, u->metric_room))
		return NULL;
	m = &u->metrics[i];
	if (i == u->metric_count) {
		*m = (struct address_metric){ .unit = unit,
					      .merge = merge,
					      .number = (uint32_t)i };
		memcpy(m->name, name, sizeof(m->name));
		u->metric_count++;
	}
	add_counting(&m->counting, counting);
	return m;
}

uint64_t merge_values(enum merge merge, uint64_t a, uint64_t b)
{
	switch (merge) {
	case MERGE_MAX:
		return a > b ? a : b;
	case MERGE_MIN:
		return a < b ? a : b;
	default:
		return a + b;
	}
}

static int find_metrics(struct unify *u, const struct profile *p,
			uint32_t *metrics)
{
	for (size_t i = 0; i < p->column_count; i++) {
		const struct profile_column *c = &p->columns[i];
		const struct address_metric *m = unify_metric(
			u, c->name, c->unit, c->merge, &c->counting);

		if (!m)
			return -ENOMEM;
		metrics[i] = m->number;
	}
	return 0;
}

/* Which of the run's metrics each is; NULL: out of memory. */
static uint32_t *metric_of(const struct unify *u, const struct run *run)
{
	uint32_t *is = calloc(u->metric_count + 1, sizeof(*is));

	for (size_t i = 0; is && i < u->metric_count; i++)
		for (uint32_t k = 0; k < run->metric_count; k++)
			if (!strcmp(u->metrics[i].name, run->metrics[k].name))
				is[u->metrics[i].number] = k;
	return is;
}

int unify_give_records(struct unify *u, struct run *run, const uint32_t *became,
		       const uint32_t *order, size_t processes)
{
	struct run_source_names names = { .became = became,
					  .order = order,
					  .metric_of = metric_of(u, run),
					  .nodes = u->node_count,
					  .processes = processes,
					  .metrics = u->metric_count };

	if (names.metric_of)
		run->source = run_source_new(run->metric_count, &names);
	free((void *)names.metric_of);
	if (!run->source)
		return fail(-ENOMEM, "out of memory");
	run->source->records = u->records;
	u->records = NULL;
	return 0;
}

size_t unify_size(const struct unify *u)
{
	return u->node_count;
}

struct records *unify_records(const struct unify *u)
{
	return u->records;
}

void unify_added_fini(struct unify_added *added)
{
	free(added->nodes);
	free(added->metrics);
	*added = (struct unify_added){ 0 };
}

int unify_add(struct unify *u, const struct profile *p,
	      struct unify_added *added)
{
	struct translation t = { 0 };
	int err;

	added->metrics = calloc(p->column_count + 1, sizeof(*added->metrics));
	err = added->metrics ? translate_owners(u, p, &t) : -ENOMEM;
	if (!err)
		err = translate_nodes(u, p, &t);
	if (!err)
		err = find_metrics(u, p, added->metrics);
	added->nodes = t.nodes;
	t.nodes = NULL;
	translation_fini(&t);
	return err ? fail(err, "out of memory") : 0;
}
