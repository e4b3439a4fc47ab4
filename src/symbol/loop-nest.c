/* SPDX-License-Identifier: BSD-3-Clause */
/* loop-nest.c - the search of Wei and others, with a stack of its own. */
#include <stdlib.h>

#include "base/err.h"
#include "symbol/loop-code.h"

struct nest_search {
	const struct loop_graph *graph;
	uint32_t *inside;
	bool *is_header;
	uint32_t *depth; /* on the path from the root, from 1; 0: not on it */
	bool *seen;
	uint32_t *path, *next; /* blocks on the path, their next edges */
};

/* Block b is in the loop of header h; both may be in others already. */
static void put_block_in_loop(struct nest_search *s, uint32_t b, uint32_t h)
{
	if (b == h || h == LOOP_NONE)
		return;
	while (s->inside[b] != LOOP_NONE) {
		uint32_t around = s->inside[b];

		if (around == h)
			return;
		if (s->depth[around] < s->depth[h]) {
			s->inside[b] = h;
			b = h;
			h = around;
		} else {
			b = around;
		}
	}
	s->inside[b] = h;
}

/* An edge from b, which is on the path, to a block that was met before. */
static void follow_edge_to_known(struct nest_search *s, uint32_t b, uint32_t to)
{
	uint32_t h;

	if (s->depth[to]) {
		s->is_header[to] = true;
		put_block_in_loop(s, b, to);
		return;
	}
	/* Into a loop that is left behind: the next one around it, on the
	   path, has b in it. */
	for (h = s->inside[to]; h != LOOP_NONE && !s->depth[h];)
		h = s->inside[h];
	put_block_in_loop(s, b, h);
}

static void push_block(struct nest_search *s, uint32_t b, uint32_t *length)
{
	s->seen[b] = true;
	s->path[*length] = b;
	s->next[*length] = s->graph->first[b];
	s->depth[b] = ++*length;
}

static void search_from(struct nest_search *s, uint32_t root)
{
	uint32_t length = 0;

	push_block(s, root, &length);
	while (length) {
		uint32_t b = s->path[length - 1], to;

		if (s->next[length - 1] < s->graph->first[b + 1]) {
			to = s->graph->to[s->next[length - 1]++];
			if (s->seen[to])
				follow_edge_to_known(s, b, to);
			else
				push_block(s, to, &length);
			continue;
		}
		s->depth[b] = 0;
		length--;
		if (length)
			put_block_in_loop(s, s->path[length - 1], s->inside[b]);
	}
}

int loop_nest_find(const struct loop_graph *graph, uint32_t *inside,
		   bool *is_header)
{
	size_t count = graph->count;
	uint32_t *words = calloc(3 * count + 1, sizeof(*words));
	struct nest_search s = { graph, inside, is_header, words, NULL };

	s.seen = calloc(count + 1, sizeof(*s.seen));
	if (!words || !s.seen) {
		free(words);
		free(s.seen);
		return no_memory();
	}
	s.path = words + count;
	s.next = words + 2 * count;
	for (uint32_t b = 0; b < count; b++) {
		inside[b] = LOOP_NONE;
		is_header[b] = false;
	}
	for (uint32_t b = 0; b < count; b++)
		if (!s.seen[b])
			search_from(&s, b);
	free(words);
	free(s.seen);
	return 0;
}
