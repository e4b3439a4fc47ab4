/* SPDX-License-Identifier: BSD-3-Clause */
/* path-union.c - put each run's paths into one tree, and keep who is where. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/path-union.h"
#include "analyse/paths/paths.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"

#define NOTABLE   0.05 /* of a path's change: such callees explain it … */
#define EXPLAINED 0.9  /* … when together they have so much of it */

struct joining {
	struct path_union *u;
	struct map map;       /* (parent, name; inside MPI) to path */
	unsigned char *sides; /* of each path: bit 0 base, bit 1 the others */
	size_t room;
	size_t run; /* which of them is being added */
	size_t base;
};

static bool make_union_room(struct joining *j, size_t more)
{
	struct path_union *u = j->u;
	size_t room = j->room + more;
	void *at = reallocarray(u->at, room, sizeof(*u->at));
	unsigned char *sides;

	if (!at)
		return false;
	u->at = at;
	sides = realloc(j->sides, room);
	if (!sides)
		return false;
	memset(sides + j->room, 0, more);
	j->sides = sides;
	j->room = room;
	return true;
}

/* What compilers add to a part or copy of a function. */
static bool is_clone_word(const char *word, size_t length)
{
	static const char *const words[] = { "constprop", "isra",      "part",
					     "cold",      "lto_priv",  "llvm",
					     "clone",     "localalias" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == length &&
		    !memcmp(word, words[i], length))
			return true;
	return false;
}

/* Where ".constprop.0.isra.1" or " [clone .cold]" begins. */
static size_t plain_length(const char *name)
{
	const char *clone = strstr(name, " [clone ");
	size_t length = clone ? (size_t)(clone - name) : strlen(name);

	for (size_t end = length; end;) {
		size_t dot = end;

		while (dot && name[dot - 1] != '.')
			dot--;
		if (dot < 2)
			break;
		if (is_clone_word(name + dot, end - dot))
			length = dot - 1;
		else if (strspn(name + dot, "0123456789") < end - dot)
			break;
		end = dot - 1;
	}
	return length;
}

/* "libm.so.6" is "libm.so"; the program is "", whatever its file is called. */
static uint32_t library_of_path(struct strings *strings, const char *path)
{
	const char *name = str_base(path), *so = strstr(name, ".so");

	return so ? str_add_n(strings, name, (size_t)(so - name) + 3) : 0;
}

static uint32_t join_path(struct joining *j, uint32_t parent,
			  const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	const char *text = paths_function(run, node);
	struct path_union *u = j->u;
	struct union_path path = {
		.parent = parent,
		.mpi = n->kind == RUN_MPI || (u->count && u->at[parent].mpi),
		.unnamed = n->flags & RUN_UNNAMED,
	};
	uint32_t index;

	if (path.unnamed)
		path.library = library_of_path(
			&u->strings, str_at(&run->strings, n->module));
	path.name = str_add_n(&u->strings, text,
			      path.unnamed ? strlen(text) : plain_length(text));
	if (path.name == STR_NONE || path.library == STR_NONE)
		return MAP_NONE;
	index = map_put(&j->map, (uint64_t)parent << 32 | path.name, path.mpi,
			(uint32_t)u->count);
	if (index == u->count)
		u->at[u->count++] = path;
	if (index != MAP_NONE)
		j->sides[index] |= j->run < j->base ? 1 : 2;
	return index;
}

static int add_run_paths(struct joining *j, const struct run *run)
{
	struct path_union *u = j->u;
	uint32_t *of = calloc(run->node_count + 1, sizeof(*of)), *to = NULL;
	struct paths paths;
	int err = paths_init(&paths, run);

	u->of[j->run] = of;
	if (err)
		return err;
	to = calloc(paths.count + 1, sizeof(*to));
	if (!of || !to || !make_union_room(j, paths.count))
		err = -ENOMEM;
	for (uint32_t p = 0; p < paths.count && !err; p++) {
		to[p] = join_path(j, p ? to[paths.at[p].parent] : 0, run,
				  paths.at[p].node);
		if (to[p] == MAP_NONE)
			err = -ENOMEM;
	}
	for (size_t n = 0; n < run->node_count && !err; n++)
		of[n] = to[paths.of[n]];
	paths_fini(&paths);
	free(to);
	return err;
}

static uint32_t parent_of_path(const void *tree, size_t i)
{
	const struct union_path *at = tree;

	return at[i].parent;
}

static void renumber_paths(struct path_union *u, const struct run *const runs[],
			   const uint32_t *to)
{
	for (size_t r = 0; r < u->run_count; r++)
		for (size_t n = 0; n < runs[r]->node_count; n++)
			u->of[r][n] = to[u->of[r][n]];
}

/* Depth first, as it came from the first run and then what others add. */
static int sort_union(struct path_union *u, const struct run *const runs[])
{
	size_t n = u->count;
	uint32_t *position = calloc(n + 1, sizeof(*position));
	uint32_t *end = calloc(n + 1, sizeof(*end));
	struct union_path *at = calloc(n + 1, sizeof(*at));
	int err = position && end && at ? 0 : -ENOMEM;

	if (!err)
		err = paths_order(n, parent_of_path, u->at, position, end);
	for (size_t i = 0; i < n && !err; i++) {
		uint32_t p = position[i];

		at[p] = u->at[i];
		at[p].parent = position[u->at[i].parent];
		at[p].end = end[p];
	}
	if (!err) {
		renumber_paths(u, runs, position);
		free(u->at);
		u->at = at;
	} else {
		free(at);
	}
	free(position);
	free(end);
	return err;
}

static int join_alike(struct joining *j, const struct run *const runs[])
{
	uint32_t *to = calloc(j->u->count + 1, sizeof(*to));
	int err = to ? path_alike(j->u, j->sides, to) : -ENOMEM;

	if (!err)
		renumber_paths(j->u, runs, to);
	free(to);
	return err;
}

int path_union_init(struct path_union *u, const struct run *const runs[],
		    size_t base)
{
	struct joining j = { .u = u, .base = base };
	int err = 0;

	*u = (struct path_union){ 0 };
	while (runs[u->run_count])
		u->run_count++;
	u->of = calloc(u->run_count + 1, sizeof(*u->of));
	if (!u->of)
		err = -ENOMEM;
	for (; j.run < u->run_count && !err; j.run++)
		err = add_run_paths(&j, runs[j.run]);
	if (!err && base && base < u->run_count)
		err = join_alike(&j, runs);
	map_fini(&j.map);
	free(j.sides);
	if (!err)
		err = sort_union(u, runs);
	if (err)
		path_union_fini(u);
	return err ? no_memory() : 0;
}

void path_union_fini(struct path_union *u)
{
	for (size_t r = 0; u->of && r < u->run_count; r++)
		free(u->of[r]);
	free(u->of);
	free(u->at);
	strings_fini(&u->strings);
	*u = (struct path_union){ 0 };
}

void path_union_values(const struct path_union *u, size_t r,
		       const struct run *run, const char *metric,
		       const char *mpi, double *exclusive)
{
	const struct run_metric *m = run_metric(run, metric);
	const struct run_metric *in_mpi = mpi ? run_metric(run, mpi) : NULL;

	for (size_t p = 0; p < u->count; p++)
		exclusive[p] = 0;
	for (size_t n = 0; n < run->node_count; n++) {
		uint32_t path = u->of[r][n];
		const struct run_metric *of =
			in_mpi && u->at[path].mpi ? in_mpi : m;

		if (of)
			exclusive[path] += value_node(of, n);
	}
}

void path_union_add_up(const struct path_union *u, double *values)
{
	for (size_t i = u->count; i-- > 1;)
		values[u->at[i].parent] += values[i];
}

bool *path_union_explained(const struct path_union *u, const double *change)
{
	bool *explained = calloc(u->count + 1, sizeof(*explained));
	double *callees = calloc(u->count + 1, sizeof(*callees));

	if (!explained || !callees) {
		no_memory();
		free(explained);
		free(callees);
		return NULL;
	}
	for (size_t p = 1; p < u->count; p++) {
		uint32_t caller = u->at[p].parent;

		if (change[p] * change[caller] > 0 &&
		    fabs(change[p]) >= NOTABLE * fabs(change[caller]))
			callees[caller] += change[p];
	}
	for (size_t p = 0; p < u->count; p++)
		explained[p] = callees[p] * change[p] > 0 &&
			       fabs(callees[p]) >= EXPLAINED * fabs(change[p]);
	free(callees);
	return explained;
}

const char *path_union_function(const struct path_union *u, uint32_t path)
{
	return str_at(&u->strings, u->at[path].name);
}

char *path_union_text(const struct path_union *u, uint32_t path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs(path_union_function(u, path), to);
	for (path = u->at[path].parent; path; path = u->at[path].parent)
		fprintf(to, " ← %s", path_union_function(u, path));
	fclose(to);
	return text;
}

char *path_union_stack(const struct path_union *u, uint32_t path)
{
	size_t at = 0;
	char *text;

	for (uint32_t p = path; p; p = u->at[p].parent)
		at += strlen(path_union_function(u, p)) + 1;
	text = calloc(at + 1, 1);
	for (uint32_t p = path; text && p; p = u->at[p].parent) {
		const char *name = path_union_function(u, p);
		size_t length = strlen(name);

		at -= length + 1;
		memcpy(text + at, name, length);
		text[at + length] = p == path ? 0 : ';';
	}
	return text;
}
