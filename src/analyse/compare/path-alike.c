/* SPDX-License-Identifier: BSD-3-Clause */
/* path-alike.c - walk the union from its root and join children by shape. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/path-union.h"

#define NONE   UINT32_MAX
#define MOST   256 /* children of one path that are looked at */
#define HIDDEN 3   /* inlined functions between a path and its caller */
#define BELOW  64  /* functions that an unnamed one is known by */
#define ALIKE  0.5 /* share of them that two have in common */

/* The tree as lists of children, so that a path can move. */
struct forest {
	struct path_union *u;
	unsigned char *sides;
	uint32_t *child, *last, *next; /* NONE: no more */
	uint32_t *same;                /* what it was joined with, or itself */
	uint32_t *pairs; /* to be joined: from, to, from, to … */
	size_t pair_count;
	uint32_t *stack; /* of the walk */
};

static void append_child(struct forest *f, uint32_t parent, uint32_t p)
{
	f->next[p] = NONE;
	if (f->last[parent] == NONE)
		f->child[parent] = p;
	else
		f->next[f->last[parent]] = p;
	f->last[parent] = p;
	f->u->at[p].parent = parent;
}

static void unlink_from_parent(struct forest *f, uint32_t p)
{
	uint32_t parent = f->u->at[p].parent, before = NONE;

	for (uint32_t c = f->child[parent]; c != p; c = f->next[c])
		before = c;
	if (before == NONE)
		f->child[parent] = f->next[p];
	else
		f->next[before] = f->next[p];
	if (f->last[parent] == p)
		f->last[parent] = before;
}

static uint32_t child_named(const struct forest *f, uint32_t parent,
			    uint32_t name, bool mpi)
{
	uint32_t c = f->child[parent];

	while (c != NONE &&
	       (f->u->at[c].name != name || f->u->at[c].mpi != mpi))
		c = f->next[c];
	return c;
}

/* One pair: `from` is gone, and what it called is called by `to`. */
static void join_pair(struct forest *f, uint32_t from, uint32_t to)
{
	unlink_from_parent(f, from);
	f->same[from] = to;
	f->sides[to] |= f->sides[from];
	while (f->child[from] != NONE) {
		uint32_t c = f->child[from];
		uint32_t twin =
			child_named(f, to, f->u->at[c].name, f->u->at[c].mpi);

		unlink_from_parent(f, c);
		append_child(f, to, c);
		if (twin == NONE)
			continue;
		f->pairs[2 * f->pair_count] = c;
		f->pairs[2 * f->pair_count++ + 1] = twin;
	}
}

/* Each path is joined once at most, so there is room for all pairs. */
static void join_subtrees(struct forest *f, uint32_t from, uint32_t to)
{
	f->pairs[0] = from;
	f->pairs[1] = to;
	f->pair_count = 1;
	while (f->pair_count) {
		f->pair_count--;
		join_pair(f, f->pairs[2 * f->pair_count],
			  f->pairs[2 * f->pair_count + 1]);
	}
}

/* Children of p that one side alone has. */
static size_t children_one_sided(const struct forest *f, uint32_t p,
				 unsigned char side, uint32_t *to)
{
	size_t count = 0;

	for (uint32_t c = f->child[p]; c != NONE && count < MOST;
	     c = f->next[c])
		if (f->sides[c] == side)
			to[count++] = c;
	return count;
}

/* Copies `name` without what stands in <> and (); false: they do not match. */
static bool bare_function(const char *name, char *to, size_t size)
{
	size_t used = 0;
	int open = 0;

	for (; *name && used + 1 < size; name++) {
		if (*name == '(' || *name == '<')
			open++;
		else if ((*name == ')' || *name == '>') && open--)
			continue;
		else if (!open)
			to[used++] = *name;
	}
	to[used] = 0;
	return !*name && !open && used && strchr(to, '>') == NULL;
}

static bool alike_named(const struct forest *f, uint32_t a, uint32_t b)
{
	const struct union_path *x = &f->u->at[a], *y = &f->u->at[b];
	char left[1024], right[1024];

	return !x->unnamed && !y->unnamed && x->mpi == y->mpi &&
	       bare_function(path_union_function(f->u, a), left,
			     sizeof(left)) &&
	       bare_function(path_union_function(f->u, b), right,
			     sizeof(right)) &&
	       !strcmp(left, right);
}

static bool both_unnamed(const struct forest *f, uint32_t a, uint32_t b)
{
	const struct union_path *x = &f->u->at[a], *y = &f->u->at[b];

	return x->unnamed && y->unnamed && x->library == y->library;
}

/* Names of what p calls, and of what that calls, as far as there are any. */
static size_t names_below(const struct forest *f, uint32_t p, uint32_t *names)
{
	uint32_t queue[BELOW];
	size_t count = 0, queued = 0;

	for (size_t at = 0;; p = queue[at++]) {
		for (uint32_t c = f->child[p]; c != NONE; c = f->next[c]) {
			if (queued == BELOW)
				return count;
			queue[queued++] = c;
			if (!f->u->at[c].unnamed)
				names[count++] = f->u->at[c].name;
		}
		if (at == queued)
			return count;
	}
}

static bool alike_below(const struct forest *f, uint32_t a, uint32_t b)
{
	uint32_t x[BELOW], y[BELOW];
	size_t n = names_below(f, a, x), m = names_below(f, b, y), common = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++) {
			if (x[i] != y[k])
				continue;
			common++;
			y[k] = NONE;
			break;
		}
	}
	return common && (double)common >= ALIKE * (double)(n + m - common);
}

typedef bool is_alike(const struct forest *f, uint32_t a, uint32_t b);

static size_t count_alike(const struct forest *f, is_alike *alike, uint32_t p,
			  const uint32_t *at, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += at[i] != NONE && alike(f, p, at[i]);
	return found;
}

/* Joins what is alike, where no third one is. */
static void join_unique(struct forest *f, is_alike *alike, uint32_t *x,
			size_t n, uint32_t *y, size_t m)
{
	for (size_t i = 0; i < n; i++) {
		if (count_alike(f, alike, x[i], y, m) != 1)
			continue;
		for (size_t k = 0; k < m; k++) {
			if (y[k] == NONE || !alike(f, x[i], y[k]))
				continue;
			if (count_alike(f, alike, y[k], x, n) != 1)
				continue;
			join_subtrees(f, y[k], x[i]);
			x[i] = y[k] = NONE;
			break;
		}
	}
}

static bool is_alike_below(const struct forest *f, uint32_t a, uint32_t b)
{
	return a != NONE && b != NONE && both_unnamed(f, a, b) &&
	       alike_below(f, a, b);
}

static bool is_alike_named(const struct forest *f, uint32_t a, uint32_t b)
{
	return a != NONE && b != NONE && alike_named(f, a, b);
}

static unsigned long long unnamed_address(const struct forest *f, uint32_t p)
{
	const char *plus = strrchr(path_union_function(f->u, p), '+');

	return plus ? strtoull(plus + 1, NULL, 16) : 0;
}

/* The unnamed leaves of one library among `at`, by address, to its front. */
static size_t unnamed_leaves(const struct forest *f, uint32_t library,
			     uint32_t *at, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t p = at[i];
		size_t k = found;

		if (p == NONE || f->child[p] != NONE || !f->u->at[p].unnamed ||
		    f->u->at[p].library != library)
			continue;
		at[i] = at[found++];
		for (;
		     k && unnamed_address(f, at[k - 1]) > unnamed_address(f, p);
		     k--)
			at[k] = at[k - 1];
		at[k] = p;
	}
	return found;
}

static void join_leaves(struct forest *f, uint32_t *x, size_t n, uint32_t *y,
			size_t m)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t library;
		size_t have, other;

		if (x[i] == NONE || !f->u->at[x[i]].unnamed)
			continue;
		library = f->u->at[x[i]].library;
		have = unnamed_leaves(f, library, x, n);
		other = unnamed_leaves(f, library, y, m);
		for (size_t k = 0; k < have && have == other; k++)
			join_subtrees(f, y[k], x[k]);
		for (size_t k = 0; k < have; k++)
			x[k] = NONE;
		for (size_t k = 0; k < other; k++)
			y[k] = NONE;
	}
}

/* Of that name below p, through functions that one side alone has. */
static uint32_t find_hidden(const struct forest *f, uint32_t p, uint32_t lost,
			    unsigned char side, unsigned depth)
{
	uint32_t found = NONE;

	for (uint32_t c = f->child[p]; c != NONE && found == NONE;
	     c = f->next[c]) {
		if (f->sides[c] != side)
			continue;
		found = child_named(f, c, f->u->at[lost].name,
				    f->u->at[lost].mpi);
		if (found != NONE && f->sides[found] != side)
			found = NONE;
		if (found == NONE && depth > 1)
			found = find_hidden(f, c, lost, side, depth - 1);
	}
	return found;
}

static void join_inlined(struct forest *f, uint32_t p, const uint32_t *at,
			 size_t count, unsigned char other)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t deep = NONE;

		if (at[i] != NONE && !f->u->at[at[i]].unnamed)
			deep = find_hidden(f, p, at[i], other, HIDDEN);
		if (deep != NONE)
			join_subtrees(f, at[i], deep);
	}
}

static void join_children(struct forest *f, uint32_t p)
{
	uint32_t x[MOST], y[MOST];
	size_t n = children_one_sided(f, p, 1, x),
	       m = children_one_sided(f, p, 2, y);

	if (n && m) {
		join_unique(f, is_alike_named, x, n, y, m);
		join_unique(f, is_alike_below, x, n, y, m);
		join_leaves(f, x, n, y, m);
	}
	n = children_one_sided(f, p, 1, x);
	join_inlined(f, p, x, n, 2);
	m = children_one_sided(f, p, 2, y);
	join_inlined(f, p, y, m, 1);
}

static void reverse_paths(uint32_t *at, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t p = at[i];

		at[i] = at[count - 1 - i];
		at[count - 1 - i] = p;
	}
}

/* Settles each path before what is below it, and lists them in that order. */
static size_t walk_forest(struct forest *f, uint32_t *order)
{
	size_t depth = 0, count = 0;

	f->stack[depth++] = 0;
	while (depth) {
		uint32_t p = f->stack[--depth];
		size_t first = depth;

		order[count++] = p;
		join_children(f, p);
		for (uint32_t c = f->child[p]; c != NONE; c = f->next[c])
			f->stack[depth++] = c;
		reverse_paths(f->stack + first, depth - first);
	}
	return count;
}

/* Parents come before their children; to[] follows what was joined. */
static int rebuild_union(struct forest *f, const uint32_t *order, size_t count,
			 uint32_t *to)
{
	struct path_union *u = f->u;
	struct union_path *at = calloc(count + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		to[order[i]] = (uint32_t)i;
		at[i] = u->at[order[i]];
		at[i].parent = to[at[i].parent];
	}
	for (uint32_t p = 0; p < u->count; p++) {
		uint32_t s = p;

		while (f->same[s] != s)
			s = f->same[s];
		to[p] = to[s];
	}
	free(u->at);
	u->at = at;
	u->count = count;
	return 0;
}

int path_alike(struct path_union *u, unsigned char *sides, uint32_t *to)
{
	size_t n = u->count;
	struct forest f = { .u = u, .sides = sides };
	uint32_t *all = calloc(8 * n + 8, sizeof(*all)), *order;
	int err;

	if (!all)
		return -ENOMEM;
	f.child = all;
	f.last = f.child + n;
	f.next = f.last + n;
	f.same = f.next + n;
	f.stack = f.same + n;
	order = f.stack + n;
	f.pairs = order + n;
	for (uint32_t p = 0; p < n; p++) {
		f.child[p] = f.last[p] = f.next[p] = NONE;
		f.same[p] = p;
	}
	for (uint32_t p = 1; p < n; p++)
		append_child(&f, u->at[p].parent, p);
	err = rebuild_union(&f, order, walk_forest(&f, order), to);
	free(all);
	return err;
}
