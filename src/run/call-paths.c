/* SPDX-License-Identifier: BSD-3-Clause */
/* call-paths.c - fold a run's nodes into call paths by function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "run/call-paths.h"

int paths_order(size_t count, uint32_t (*parent)(const void *, size_t),
		const void *tree, uint32_t *position, uint32_t *end)
{
	uint32_t *size = calloc(count + 1, sizeof(*size));
	uint32_t *next = calloc(count + 1, sizeof(*next));

	if (!size || !next) {
		free(size);
		free(next);
		return no_memory();
	}
	for (size_t i = count; i-- > 0;) {
		size[i]++;
		if (i)
			size[parent(tree, i)] += size[i];
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t above = i ? parent(tree, i) : 0;

		position[i] = i ? next[above] : 0;
		if (i)
			next[above] += size[i];
		next[i] = position[i] + 1;
		end[position[i]] = position[i] + size[i];
	}
	free(size);
	free(next);
	return 0;
}

static uint32_t parent_of_node(const void *tree, size_t i)
{
	const struct path *at = tree;

	return at[i].parent;
}

static bool has_values(const struct run *run, uint32_t node)
{
	for (size_t m = 0; m < run->metric_count; m++)
		if (run->metrics[m].first[node] <
		    run->metrics[m].first[node + 1])
			return true;
	return false;
}

static bool is_c_library(const char *path)
{
	const char *name = str_base(path);

	return !strncmp(name, "libc.so.", strlen("libc.so.")) ||
	       !strncmp(name, "libpthread.so.", strlen("libpthread.so.")) ||
	       !strncmp(name, "libc-2.", strlen("libc-2.")) ||
	       !strncmp(name, "libpthread-2.", strlen("libpthread-2."));
}

bool paths_in_c_library(const struct run *run, uint32_t node)
{
	return paths_ask_module(run, node, ASK_C_LIBRARY, is_c_library);
}

/* "read" of "__GI___libc_read64@@GLIBC_2.2.5", and its length. */
static const char *plain_function_name(const char *name, size_t *length)
{
	if (!strncmp(name, "__GI_", strlen("__GI_")))
		name += strlen("__GI_");
	name += strspn(name, "_");
	if (!strncmp(name, "libc_", strlen("libc_")))
		name += strlen("libc_");
	*length = strcspn(name, "@");
	if (*length > 2 && !strncmp(name + *length - 2, "64", 2))
		*length -= 2;
	return name;
}

bool paths_is_c_function(const struct run *run, uint32_t node,
			 const char *const *names, size_t count)
{
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);
	size_t length;

	if (n->kind != RUN_FUNCTION || !paths_in_c_library(run, node))
		return false;
	name = plain_function_name(name, &length);
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length &&
		    !strncmp(names[i], name, length))
			return true;
	return false;
}

bool paths_is_file(const struct run *run, uint32_t node)
{
	static const char *const names[] = {
		"read",   "write",  "pread",    "pwrite", "readv",
		"writev", "preadv", "pwritev",  "fsync",  "fdatasync",
		"open",   "openat", "close",    "sync",   "ftruncate",
		"fread",  "fwrite", "sendfile", "fflush", "posix_fallocate",
	};

	return run->nodes[node].kind == RUN_IO ||
	       paths_is_c_function(run, node, names,
				   sizeof(names) / sizeof(*names));
}

/*
 * Paths begin below the root, or below a phase of the program; a second one
 * begins where work was put into a CUDA graph.
 */
static bool is_top_node(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	return !node || n->kind == RUN_PHASE ||
	       (n->kind == RUN_KERNEL &&
		!strcmp(str_at(&run->strings, n->function), "[captured]"));
}

/* Where the C library is stripped, frames above the program's have no name. */
static bool starts_program_or_thread(const struct run *run, uint32_t node,
				     const bool *starts)
{
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);
	bool first = is_top_node(run, n->parent) || starts[n->parent];

	if (n->kind != RUN_FUNCTION)
		return false;
	if (n->flags & RUN_UNNAMED)
		return first && paths_in_c_library(run, node);
	return !strncmp(name, "__libc_start_", strlen("__libc_start_")) ||
	       !strcmp(name, "start_thread") ||
	       (first && !strcmp(name, "_start"));
}

/* A function of Python is above a thread's begin if the thread works for it. */
static bool ends_start(const struct run *run, uint32_t node)
{
	return is_top_node(run, node) || run->nodes[node].flags & RUN_PYTHON;
}

/*
 * The frames of the C library that start the program or a thread, what is
 * above them, and their lines and loops.  To be freed; NULL when out of memory.
 */
static bool *find_starts(const struct run *run)
{
	bool *starts = calloc(run->node_count + 1, sizeof(*starts));

	for (uint32_t i = 1; starts && i < run->node_count; i++) {
		const struct run_node *node = &run->nodes[i];
		uint32_t n = i;

		if (run_is_part(node))
			starts[i] = starts[node->parent];
		if (!starts_program_or_thread(run, i, starts))
			continue;
		for (; !ends_start(run, n) && !starts[n];
		     n = run->nodes[n].parent)
			starts[n] = true;
	}
	return starts;
}

/* Nodes to paths, in the order of the nodes. */
struct folding {
	const struct run *run;
	const bool *starts;
	struct path *at;
	uint32_t count;
	uint32_t *of;    /* by node: the path that holds its value, … */
	uint32_t *below; /* … and the one that what it calls is below */
	struct map map;
};

/*
 * MPI, and functions of C that are called from Python: they may be what calls
 * MPI.
 */
static bool is_call_site(const struct run *run, uint32_t node,
			 enum run_kind kind)
{
	const struct run_node *n = &run->nodes[node];

	return kind == RUN_MPI ||
	       (kind == RUN_FUNCTION && !(n->flags & RUN_PYTHON) &&
		(run->nodes[n->parent].flags & RUN_PYTHON));
}

_Static_assert(RUN_KINDS <= 16, "a kind has 4 bits of a key");

/* The path of a node below another path; MAP_NONE when out of memory. */
static uint32_t put_folded(struct folding *f, uint32_t above, uint32_t node,
			   enum run_kind kind)
{
	const struct run_node *n = &f->run->nodes[node];
	uint64_t line = is_call_site(f->run, node, kind) ? n->line : 0;
	uint32_t p =
		map_put(&f->map, (uint64_t)above << 32 | n->function,
			(uint64_t)n->module << 32 | line << 4 | kind, f->count);

	if (p == MAP_NONE)
		return p;
	if (p == f->count)
		f->at[f->count++] = (struct path){
			.parent = above,
			.node = node,
			.one_line = !is_top_node(f->run, f->at[above].node)
		};
	else if (f->run->nodes[f->at[p].node].line != n->line)
		f->at[p].one_line = false;
	return p;
}

/*
 * Functions that start the program say nothing of it: their callees are beside
 * them, as if it were not there.  Its own value has a path of its own: a sample
 * that happens to fall there moves nobody else.
 */
static void fold_node(struct folding *f, uint32_t node)
{
	const struct run_node *n = &f->run->nodes[node];
	uint32_t above = node ? f->below[n->parent] : 0;

	if (node && f->starts[node]) {
		f->below[node] = above;
		f->of[node] = has_values(f->run, node)
				      ? put_folded(f, above, node, RUN_FUNCTION)
				      : above;
		return;
	}
	if (run_is_part(n) && above)
		f->of[node] = above;
	else
		f->of[node] = put_folded(f, above, node, n->kind);
	f->below[node] = f->of[node];
}

static int fold_paths(struct paths *paths, struct path *at, const bool *starts)
{
	const struct run *run = paths->run;
	struct folding f = { .run = run,
			     .starts = starts,
			     .at = at,
			     .of = paths->of,
			     .below = calloc(run->node_count + 1,
					     sizeof(*f.below)) };
	bool ok = f.below;

	for (uint32_t i = 0; ok && i < run->node_count; i++) {
		fold_node(&f, i);
		ok = f.of[i] != MAP_NONE;
	}
	map_fini(&f.map);
	free(f.below);
	paths->count = f.count;
	return ok ? 0 : no_memory();
}

/* From the order of the nodes to depth first. */
static int sort_call_paths(struct paths *paths, const struct path *at)
{
	uint32_t *position = calloc(paths->count + 1, sizeof(*position));
	uint32_t *end = calloc(paths->count + 1, sizeof(*end));
	int err = -ENOMEM;

	paths->at = calloc(paths->count + 1, sizeof(*paths->at));
	if (!position || !end || !paths->at) {
		no_memory();
		goto out;
	}
	err = paths_order(paths->count, parent_of_node, at, position, end);
	if (err)
		goto out;
	for (size_t i = 0; i < paths->count; i++) {
		struct path *to = &paths->at[position[i]];

		*to = at[i];
		to->parent = position[at[i].parent];
		to->end = end[position[i]];
	}
	for (size_t i = 0; i < paths->run->node_count; i++)
		paths->of[i] = position[paths->of[i]];
out:
	free(position);
	free(end);
	return err;
}

/* The nodes of each path, by counting. */
static int list_nodes(struct paths *paths)
{
	size_t count = paths->run->node_count;
	uint32_t *at = calloc(paths->count + 2, sizeof(*at));

	paths->nodes = calloc(count + 1, sizeof(*paths->nodes));
	paths->first = at;
	if (!paths->nodes || !at)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		at[paths->of[i] + 1]++;
	for (size_t p = 0; p < paths->count; p++)
		at[p + 1] += at[p];
	for (size_t i = count; i-- > 0;)
		paths->nodes[--at[paths->of[i] + 1]] = (uint32_t)i;
	/* Each entry now is the next one's: its path's beginning. */
	for (size_t p = 0; p < paths->count; p++)
		at[p] = at[p + 1];
	at[paths->count] = (uint32_t)count;
	return 0;
}

int paths_init(struct paths *paths, const struct run *run)
{
	struct path *at = calloc(run->node_count + 1, sizeof(*at));
	bool *starts = find_starts(run);
	int err = -ENOMEM;

	*paths = (struct paths){ .run = run };
	paths->of = calloc(run->node_count + 1, sizeof(*paths->of));
	if (!at || !starts || !paths->of)
		no_memory();
	else
		err = fold_paths(paths, at, starts);
	if (!err)
		err = sort_call_paths(paths, at);
	if (!err)
		err = list_nodes(paths);
	free(at);
	free(starts);
	if (err)
		paths_fini(paths);
	return err;
}

void paths_fini(struct paths *paths)
{
	free(paths->at);
	free(paths->of);
	free(paths->nodes);
	free(paths->first);
	*paths = (struct paths){ 0 };
}
