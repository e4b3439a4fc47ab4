/* SPDX-License-Identifier: BSD-3-Clause */
/* unify-pack.c - a unified tree is written down, and added to another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/run-blob.h"
#include "merge/unify-tree.h"

struct packed_metric {
	char name[56];
	uint32_t unit, merge;
	struct counting counting;
};

int pack_error(const struct blob *from)
{
	return from->exhausted
		       ? fail(-EPROTO, "another process of this merge wrote "
				       "what is not to be read")
		       : no_memory();
}

void unify_valued(const struct unify *u, bool *nodes)
{
	for (uint32_t i = 0; i < u->node_count; i++)
		nodes[i] |= u->nodes[i].valued;
}

int unify_pack(const struct unify *u, struct blob *to)
{
	uint64_t metrics = u->metric_count;

	blob_put_strings(to, &u->strings);
	blob_put(to, u->modules, u->module_count, sizeof(*u->modules));
	blob_put(to, u->names, u->name_count, sizeof(*u->names));
	blob_put(to, u->nodes, u->node_count, sizeof(*u->nodes));
	blob_put(to, &metrics, 1, sizeof(metrics));
	for (size_t i = 0; i < u->metric_count; i++) {
		const struct address_metric *m = &u->metrics[i];
		struct packed_metric packed = { .unit = m->unit,
						.merge = m->merge,
						.counting = m->counting };

		memcpy(packed.name, m->name, sizeof(packed.name));
		blob_put(to, &packed, 1, sizeof(packed));
	}
	return blob_error(to);
}

struct absorbing { /* what the other's indices became */
	struct unify *u;
	struct blob *from;
	uint32_t *strings, *modules, *names, *nodes;
};

static int absorb_modules(struct absorbing *a)
{
	size_t count;
	const struct address_module *at =
		blob_get(a->from, &count, sizeof(*at));

	a->modules = calloc(count + 1, sizeof(*a->modules));
	if (!at || !a->modules)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		a->modules[i] = unify_module(a->u, a->strings[at[i].path],
					     a->strings[at[i].build_id]);
		if (a->modules[i] >= OWNERS)
			return -ENOMEM;
	}
	return 0;
}

static int absorb_names(struct absorbing *a)
{
	size_t count;
	const struct address_name *at = blob_get(a->from, &count, sizeof(*at));

	a->names = calloc(count + 1, sizeof(*a->names));
	if (!at || !a->names)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct address_name name = at[i];

		name.text = a->strings[name.text];
		name.file = a->strings[name.file];
		a->names[i] = unify_name(a->u, &name);
		if (a->names[i] >= OWNERS)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t owner(const struct absorbing *a,
		      const struct address_node *node)
{
	switch (node->kind) {
	case NODE_CALL:
	case NODE_PC:
	case NODE_REGION:
	case NODE_LOCK:
		return a->modules[node->owner];
	case NODE_NAMED:
	case NODE_PYTHON:
		return a->names[node->owner];
	case NODE_PARTIAL:
		return a->strings[node->owner];
	default:
		return node->owner;
	}
}

static int absorb_nodes(struct absorbing *a, size_t *count)
{
	const struct address_node *at = blob_get(a->from, count, sizeof(*at));

	a->nodes = calloc(*count + 1, sizeof(*a->nodes));
	if (!at || !a->nodes)
		return -ENOMEM;
	if (*count)
		a->u->nodes[0].valued |= at[0].valued;
	for (size_t i = 1; i < *count; i++) {
		struct address_node node = at[i];

		node.parent = a->nodes[node.parent];
		node.owner = owner(a, &node);
		node.next = node.other = 0;
		node.next_tag = node.other_tag = 0;
		a->nodes[i] = unify_node(a->u, &node);
		if (a->nodes[i] == MAP_NONE)
			return -ENOMEM;
		a->u->nodes[a->nodes[i]].valued |= node.valued;
	}
	return 0;
}

static int absorb_metrics(struct absorbing *a)
{
	uint64_t count = 0;

	if (!blob_get_one(a->from, &count, sizeof(count)))
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		struct packed_metric m;

		if (!blob_get_one(a->from, &m, sizeof(m)) ||
		    !unify_metric(a->u, m.name, m.unit, m.merge, &m.counting))
			return -ENOMEM;
	}
	return 0;
}

int unify_absorb(struct unify *u, struct blob *from, uint32_t **nodes,
		 size_t *count)
{
	struct absorbing a = { .u = u, .from = from };
	int err;

	a.strings = blob_get_strings(from, &u->strings);
	err = a.strings ? absorb_modules(&a) : -ENOMEM;
	if (!err)
		err = absorb_names(&a);
	if (!err)
		err = absorb_nodes(&a, count);
	if (!err)
		err = absorb_metrics(&a);
	if (!err) {
		*nodes = a.nodes;
		a.nodes = NULL;
	}
	free(a.strings);
	free(a.modules);
	free(a.names);
	free(a.nodes);
	return err ? pack_error(from) : 0;
}
