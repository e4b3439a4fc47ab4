/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-nodes.c - the nodes of a live profile's trees, united into one tree.
 *
 * Nothing that was measured is left out because of its path: a node that
 * cannot be read is folded into its parent, and counted as damage.
 */
#include <stdio.h>
#include <string.h>

#include "profile/live/live-reader.h"

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

uint32_t reader_node(struct reader *r, live_ref ref)
{
	if (reader_inside(r, ref, sizeof(struct live_node)) &&
	    r->marks[ref] >= FIRST_NODE)
		return r->marks[ref] - FIRST_NODE;
	r->damaged++;
	return 0;
}

/* The unified child of that key, made when it is new. */
static uint32_t unified_child(struct reader *r, const struct profile_node *node)
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
	struct profile_node node = { .parent = parent, .kind = n->kind };

	if (!profile_has_owner(r->p, n->kind, n->owner)) {
		r->damaged++;
		return parent;
	}
	if (node_infos[n->kind].owner)
		node.owner = n->owner;
	if (node_infos[n->kind].offset)
		node.offset = n->offset;
	if (n->kind == LIVE_NODE_PYTHON)
		node.offset = line_of_python(r, &node);
	return unified_child(r, &node);
}

enum {
	STEPS_MOST = 8192 /* more than --depth allows */
};

/* From a node to its parent, from a reference to what it is. */
static live_ref parent_of_live_node(const struct live_node *n)
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

	for (; reader_inside(r, ref, sizeof(n));
	     ref = parent_of_live_node(&n)) {
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

uint32_t reader_unify(struct reader *r, const struct live_node *n)
{
	if (n->kind == LIVE_NODE_ROOT)
		return 0;
	if (n->kind == LIVE_NODE_BELOW)
		return unify_elsewhere(r, (live_ref)n->offset);
	return unify_below(r, n, reader_node(r, n->parent));
}

enum live_name_class reader_class(const struct reader *r, uint32_t node)
{
	const struct profile_node *n = &r->p->nodes[node];

	return n->kind == NODE_NAMED ? r->p->names[n->owner].class
				     : LIVE_NAME_MPI;
}

uint32_t reader_named(struct reader *r, uint32_t parent, uint32_t name)
{
	struct profile_node node = { parent, NODE_NAMED, name, 0 };

	if (profile_has_owner(r->p, node.kind, node.owner))
		return unified_child(r, &node);
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
		parent = unified_child(r, &node);
	}
	r->damaged += count > 0;
	return parent;
}

uint32_t reader_partial(struct reader *r, uint32_t why)
{
	struct profile_node node = { 0, NODE_PARTIAL, why, 0 };

	if (profile_has_owner(r->p, node.kind, node.owner))
		return unified_child(r, &node);
	r->damaged++;
	return 0;
}

static void begin_nodes(struct reader *r)
{
	struct profile *p = r->p;

	if (reader_grow(r, &p->nodes, 0, sizeof(*p->nodes)))
		p->nodes[p->node_count++] = (struct profile_node){ 0 };
	reader_walk(r, r->header.modules, sizeof(struct live_module),
		    take_module);
	reader_walk(r, r->header.names, sizeof(struct live_name), take_name);
}

const struct live_section section_nodes = { .begin = begin_nodes };
