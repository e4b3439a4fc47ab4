/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unify-tree.h - the unified tree by address, between unify.c that grows it
 * and symbolize.c that turns it into the run's tree.
 */
#pragma once

#include <pthread.h>

#include "base/map.h"
#include "merge/unify.h"
#include "run/records.h"

#define OWNERS (1u << 28) /* what fits beside the kind in a key */

struct address_node { /* a parent comes before its children */
	uint32_t parent;
	uint16_t kind;   /* enum node_kind */
	uint16_t valued; /* some process has a value here */
	uint32_t owner;  /* of modules or names; partial: string */
	/* Nodes that came next in profiles, the last one first, 0: none; and
	   by what one sees that it is not they. */
	uint32_t next, other;
	uint16_t next_tag, other_tag;
	uint64_t offset;
};

struct address_module {
	uint32_t path, build_id; /* strings */
};

struct address_name {
	uint32_t text, file; /* strings */
	uint32_t class, detail;
};

struct address_metric {
	char name[56];
	enum unit unit;
	enum merge merge;
	struct counting counting;
	uint32_t number; /* in records */
};

struct unify {
	pthread_rwlock_t lock; /* of those that look, and who adds */
	struct strings strings;
	struct address_node *nodes;
	struct address_module *modules;
	struct address_name *names;
	struct address_metric *metrics;
	size_t node_count, node_room, module_count, module_room, name_count,
		name_room, metric_count, metric_room;
	struct map node_map, module_map, name_map;
	struct records *records;
};

/*
 * unify.c: the records become the source of the run, which has its ranks and
 * metrics: became[] is the run's node for each of the tree's, order[] its rank
 * for each process.  0, or -ENOMEM with a reason.
 */
int unify_give_records(struct unify *u, struct run *run, const uint32_t *became,
		       const uint32_t *order);
