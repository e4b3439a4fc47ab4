/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unify.c - the unified tree by address.  A module is one path with one build
 * id, whichever process had it at whatever address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "merge/unify-tree.h"
#include "run/values.h"

static const struct address_node root_node = { .kind = NODE_ROOT };

/* Who adds does not wait for those that come later to look. */
static void init_lock(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t how;

	pthread_rwlockattr_init(&how);
	pthread_rwlockattr_setkind_np(
		&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(lock, &how);
	pthread_rwlockattr_destroy(&how);
}

struct unify *unify_new(const char *directory)
{
	struct unify *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	init_lock(&u->lock);
	u->records = records_new(directory, RECORDS_MEMORY);
	if (!u->records || str_add(&u->strings, "") == STR_NONE ||
	    !ARRAY_GROW(u->nodes, u->node_count, u->node_room)) {
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
	pthread_rwlock_destroy(&u->lock);
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

	if ((i && n->parent >= i) || (n->kind == NODE_ROOT) != !i)
		return -1;
	return profile_has_owner(p, n->kind, n->owner) ? 0 : -1;
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

static uint32_t unify_module(struct unify *u, uint32_t path, uint32_t build_id)
{
	uint32_t index;

	if (!ARRAY_GROW(u->modules, u->module_count, u->module_room))
		return MAP_NONE;
	index = map_put(&u->module_map, path, build_id,
			(uint32_t)u->module_count);
	if (index == u->module_count)
		u->modules[u->module_count++] =
			(struct address_module){ path, build_id };
	return index;
}

static uint32_t text_of_unified(struct unify *u, const char *text, bool add)
{
	return add ? str_add(&u->strings, text) : str_find(&u->strings, text);
}

static uint32_t find_module(struct unify *u, const struct profile_module *m,
			    bool add)
{
	uint32_t path = text_of_unified(u, m->path, add);
	uint32_t id = text_of_unified(u, m->build_id, add);

	if (path == STR_NONE || id == STR_NONE)
		return MAP_NONE;
	return add ? unify_module(u, path, id)
		   : map_get(&u->module_map, path, id);
}

static uint64_t name_key(const struct address_name *n)
{
	return (uint64_t)n->class << 32 | n->detail;
}

static uint32_t unify_name(struct unify *u, const struct address_name *n)
{
	uint32_t index;

	if (!ARRAY_GROW(u->names, u->name_count, u->name_room))
		return MAP_NONE;
	index = map_put(&u->name_map, (uint64_t)n->file << 32 | n->text,
			name_key(n), (uint32_t)u->name_count);
	if (index == u->name_count)
		u->names[u->name_count++] = *n;
	return index;
}

static uint32_t find_unified_name(struct unify *u, const struct profile_name *n,
				  bool add)
{
	struct address_name name = { .text = text_of_unified(u, n->text, add),
				     .file = text_of_unified(
					     u, n->file ? n->file : "", add),
				     .class = n->class,
				     .detail = n->detail };

	if (name.text == STR_NONE || name.file == STR_NONE)
		return MAP_NONE;
	return add ? unify_name(u, &name)
		   : map_get(&u->name_map,
			     (uint64_t)name.file << 32 | name.text,
			     name_key(&name));
}

_Static_assert(NODE_KINDS <= 16, "a kind has 4 bits of a key");

static uint64_t node_key(const struct address_node *node)
{
	return (uint64_t)node->parent << 32 | (uint64_t)node->kind << 28 |
	       node->owner;
}

static uint32_t unify_node(struct unify *u, const struct address_node *node)
{
	uint32_t index;

	if (!ARRAY_GROW(u->nodes, u->node_count, u->node_room))
		return MAP_NONE;
	index = map_put(&u->node_map, node_key(node), node->offset,
			(uint32_t)u->node_count);
	if (index == u->node_count)
		u->nodes[u->node_count++] = *node;
	return index;
}

struct translation { /* of one profile's indices into ours */
	uint32_t *modules, *names, *losses;
	struct unify_added *to;
	bool add; /* what is not there; else it becomes MAP_NONE */
};

static void translation_fini(struct translation *t)
{
	free(t->modules);
	free(t->names);
	free(t->losses);
}

static int room_for_owners(const struct profile *p, struct translation *t)
{
	t->modules = calloc(p->module_count + 1, sizeof(*t->modules));
	t->names = calloc(p->name_count + 1, sizeof(*t->names));
	t->losses = calloc(p->loss_count + 1, sizeof(*t->losses));
	return t->modules && t->names && t->losses ? 0 : -ENOMEM;
}

/* False: one is not there, or there is no memory for it. */
static bool translate_owners(struct unify *u, const struct profile *p,
			     struct translation *t)
{
	bool all = true;

	for (size_t i = 0; i < p->module_count; i++) {
		t->modules[i] = find_module(u, &p->modules[i], t->add);
		all &= t->modules[i] < OWNERS;
	}
	for (size_t i = 0; i < p->name_count; i++) {
		t->names[i] = find_unified_name(u, &p->names[i], t->add);
		all &= t->names[i] < OWNERS;
	}
	for (size_t i = 0; i < p->loss_count; i++) {
		t->losses[i] = text_of_unified(u, p->losses[i].name, t->add);
		all &= t->losses[i] < OWNERS;
	}
	return all;
}

static uint32_t translate_owner(const struct translation *t,
				const struct profile_node *n)
{
	switch (node_infos[n->kind].owner) {
	case OWNER_MODULE:
		return t->modules[n->owner];
	case OWNER_NAME:
		return t->names[n->owner];
	case OWNER_LOSS:
		return t->losses[n->owner];
	default:
		return 0;
	}
}

/* By value: in registers, since this is what most of a merge's nodes take. */
struct node_id {
	uint64_t key, offset;
};

static inline bool is_node(const struct address_node *a, struct node_id id)
{
	return node_key(a) == id.key && a->offset == id.offset;
}

static uint32_t find_node(struct unify *u, struct node_id id, bool add)
{
	struct address_node node = { .parent = (uint32_t)(id.key >> 32),
				     .kind = id.key >> 28 & 15,
				     .owner = id.key % OWNERS,
				     .offset = id.offset };

	return add ? unify_node(u, &node)
		   : map_get(&u->node_map, id.key, id.offset);
}

/* Several threads look at a time, and each may leave what it has seen. */
#define SEEN(member)      __atomic_load_n(&(member), __ATOMIC_RELAXED)
#define LEAVE(member, is) __atomic_store_n(&(member), (is), __ATOMIC_RELAXED)

static inline uint16_t tag_of(struct node_id id)
{
	return (uint16_t)((id.key * 0x9e3779b97f4a7c15u ^
			   id.offset * 0xbf58476d1ce4e5b9u) >>
			  48);
}

static void leave_next(struct address_node *last, uint32_t is, uint16_t tag)
{
	LEAVE(last->other, SEEN(last->next));
	LEAVE(last->other_tag, SEEN(last->next_tag));
	LEAVE(last->next, is);
	LEAVE(last->next_tag, tag);
}

/*
 * Ranks of one program have much the same tree in much the same order: what
 * came next in one of the last profiles that had this node, is it in most
 * cases, and need not be looked up.  Nodes are all over the memory: those that
 * are not it are not looked at.
 */
static uint32_t find_unified_next(struct unify *u, uint32_t last,
				  struct node_id id, bool add)
{
	struct address_node *from = &u->nodes[last];
	uint16_t tag = tag_of(id);
	uint32_t is = MAP_NONE;

	if (SEEN(from->next_tag) == tag) {
		is = SEEN(from->next);
		if (is_node(&u->nodes[is], id))
			return is;
	}
	if (SEEN(from->other_tag) == tag)
		is = SEEN(from->other);
	if (is == MAP_NONE || !is_node(&u->nodes[is], id))
		is = find_node(u, id, add);
	if (is != MAP_NONE) /* adding may have moved them */
		leave_next(&u->nodes[last], is, tag);
	return is;
}

/* What it is, or MAP_NONE; *last is the one before it that was found. */
static uint32_t translate_node(struct unify *u, const struct profile *p,
			       const struct translation *t, size_t i,
			       uint32_t *last)
{
	const struct profile_node *n = &p->nodes[i];
	uint32_t parent = t->to->nodes[n->parent];
	uint32_t owner = translate_owner(t, n), is;
	struct node_id id = {
		.key = (uint64_t)parent << 32 | (uint64_t)n->kind << 28 | owner,
		.offset = node_infos[n->kind].offset ? n->offset : 0,
	};

	if (parent == MAP_NONE || owner >= OWNERS)
		return MAP_NONE;
	is = find_unified_next(u, *last, id, t->add);
	if (is != MAP_NONE)
		*last = is;
	return is;
}

enum {
	LOOK_AT_ONCE = 1024 /* nodes: who adds need not wait for long */
};

/* False: one is not there. */
static bool look_for_nodes(struct unify *u, const struct profile *p,
			   const struct translation *t)
{
	uint32_t last = 0;
	bool all = true;

	pthread_rwlock_rdlock(&u->lock);
	for (size_t i = 1; i < p->node_count; i++) {
		if (i % LOOK_AT_ONCE == 0) {
			pthread_rwlock_unlock(&u->lock);
			pthread_rwlock_rdlock(&u->lock);
		}
		t->to->nodes[i] = translate_node(u, p, t, i, &last);
		all &= t->to->nodes[i] != MAP_NONE;
	}
	pthread_rwlock_unlock(&u->lock);
	return all;
}

int unify_look(struct unify *u, const struct profile *p,
	       struct unify_added *added)
{
	struct translation t = { .to = added };
	int err;

	added->nodes = calloc(p->node_count + 1, sizeof(*added->nodes));
	added->metrics = calloc(p->column_count + 1, sizeof(*added->metrics));
	err = added->nodes && added->metrics ? room_for_owners(p, &t) : -ENOMEM;
	if (!err) {
		pthread_rwlock_rdlock(&u->lock);
		added->complete = translate_owners(u, p, &t);
		pthread_rwlock_unlock(&u->lock);
		added->complete &= look_for_nodes(u, p, &t);
	}
	translation_fini(&t);
	return err ? no_memory() : 0;
}

static void add_counting(struct counting *to, const struct counting *from)
{
	if (from->period > to->period)
		to->period = from->period;
	to->user_only |= from->user_only;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
}

/* The metric of that name, with one more counting; NULL: out of memory. */
static const struct address_metric *unify_metric(struct unify *u,
						 const struct profile_column *c)
{
	struct address_metric *m;
	size_t i = 0;

	while (i < u->metric_count && strcmp(u->metrics[i].name, c->name) != 0)
		i++;
	if (!ARRAY_GROW(u->metrics, u->metric_count, u->metric_room))
		return NULL;
	m = &u->metrics[i];
	if (i == u->metric_count) {
		*m = (struct address_metric){ .unit = c->unit,
					      .merge = c->merge,
					      .number = (uint32_t)i };
		memcpy(m->name, c->name, sizeof(m->name));
		u->metric_count++;
	}
	add_counting(&m->counting, &c->counting);
	return m;
}

static int unify_metrics(struct unify *u, const struct profile *p,
			 uint32_t *metrics)
{
	for (size_t i = 0; i < p->column_count; i++) {
		const struct address_metric *m =
			unify_metric(u, &p->columns[i]);

		if (!m)
			return -ENOMEM;
		metrics[i] = m->number;
	}
	return 0;
}

/* Which of the run's metrics each is; NULL: out of memory. */
static uint32_t *unified_metric(const struct unify *u, const struct run *run)
{
	uint32_t *is = calloc(u->metric_count + 1, sizeof(*is));

	for (size_t i = 0; is && i < u->metric_count; i++)
		for (uint32_t k = 0; k < run->metric_count; k++)
			if (!strcmp(u->metrics[i].name, run->metrics[k].name))
				is[u->metrics[i].number] = k;
	return is;
}

int unify_give_records(struct unify *u, struct run *run, const uint32_t *became,
		       const uint32_t *order)
{
	struct run_source_names names = { .became = became,
					  .order = order,
					  .metric_of = unified_metric(u, run),
					  .nodes = u->node_count,
					  .processes = run->rank_count,
					  .metrics = u->metric_count };

	if (names.metric_of)
		run->source = run_source_new(run->metric_count, &names);
	free((void *)names.metric_of);
	if (!run->source)
		return no_memory();
	run->source->records = u->records;
	u->records = NULL;
	return 0;
}

size_t unify_size(const struct unify *u)
{
	return u->node_count;
}

static void mark_valued(struct address_node *node)
{
	if (!__atomic_load_n(&node->valued, __ATOMIC_RELAXED))
		__atomic_store_n(&node->valued, 1, __ATOMIC_RELAXED);
}

/* Of the profile's nodes, of which most have values of several metrics. */
static void find_valued(const struct profile *p, uint8_t *valued)
{
	for (size_t c = 0; c < p->column_count; c++)
		for (size_t i = 0; i < p->columns[c].count; i++)
			valued[p->columns[c].values[i].node] = 1;
}

static int mark_all_valued(struct unify *u, const struct profile *p,
			   const uint32_t *nodes)
{
	uint8_t *valued = calloc(p->node_count + 1, sizeof(*valued));

	if (!valued)
		return no_memory();
	find_valued(p, valued);
	pthread_rwlock_rdlock(&u->lock);
	for (size_t i = 0; i < p->node_count; i++)
		if (valued[i])
			mark_valued(&u->nodes[nodes[i]]);
	pthread_rwlock_unlock(&u->lock);
	free(valued);
	return 0;
}

int unify_add_values(struct unify *u, const struct profile *p,
		     const struct unify_added *added, uint32_t process)
{
	int err = mark_all_valued(u, p, added->nodes);

	return err ? err
		   : records_add(u->records, process, p, added->nodes,
				 added->metrics);
}

void unify_added_fini(struct unify_added *added)
{
	free(added->nodes);
	free(added->metrics);
	*added = (struct unify_added){ 0 };
}

/* Those that were not found. */
static int add_nodes(struct unify *u, const struct profile *p,
		     const struct translation *t)
{
	uint32_t *nodes = t->to->nodes, last = 0;

	for (size_t i = 1; i < p->node_count; i++) {
		if (nodes[i] == MAP_NONE)
			nodes[i] = translate_node(u, p, t, i, &last);
		if (nodes[i] == MAP_NONE)
			return -ENOMEM;
		last = nodes[i];
	}
	return 0;
}

static int add_tree(struct unify *u, const struct profile *p,
		    struct unify_added *added)
{
	struct translation t = { .to = added, .add = true };
	int err = room_for_owners(p, &t);

	if (!err && !translate_owners(u, p, &t))
		err = -ENOMEM;
	if (!err)
		err = add_nodes(u, p, &t);
	translation_fini(&t);
	return err;
}

int unify_add(struct unify *u, const struct profile *p,
	      struct unify_added *added)
{
	int err = 0;

	pthread_rwlock_wrlock(&u->lock);
	if (!added->complete)
		err = add_tree(u, p, added);
	if (!err)
		err = unify_metrics(u, p, added->metrics);
	pthread_rwlock_unlock(&u->lock);
	return err ? no_memory() : 0;
}
