/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call-paths.h - the call paths of a run by function: lines of one function are
 * one path, as are calls of one function from several lines of its caller.
 * An MPI function stays apart for each line that calls it: a call site, and so
 * does a function of C's that Python calls, since that may call MPI.  The
 * frames above main that start the program are left out; values of their own
 * stand beside main.
 *
 * Ownership   The run must outlive its paths.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

/*
 * Depth first: the paths below path i are i + 1 … end - 1, and path 0 is the
 * root.  A parent comes before its children.
 */
struct path {
	uint32_t parent, end;
	uint32_t node; /* the first of the run's nodes that it stands for */
	bool one_line; /* all of them were called from that node's line */
};

struct paths {
	const struct run *run;
	size_t count;
	struct path *at;
	uint32_t *of;    /* for each node of the run: its path */
	uint32_t *nodes; /* of the run, in the order of their paths: those … */
	uint32_t *first; /* … of path p are nodes[first[p]] to first[p + 1] */
};

/* 0, or -ENOMEM with a reason. */
int paths_init(struct paths *paths, const struct run *run);
void paths_fini(struct paths *paths);

/*
 * The path and its callers, the outermost last, but the root, unless it is the
 * root itself: into to[], which has room for as many as there are paths; their
 * number, at least 1.
 */
static inline size_t paths_chain(const struct paths *paths, uint32_t path,
				 uint32_t *to)
{
	size_t count = 0;

	do
		to[count++] = path;
	while ((path = paths->at[path].parent));
	return count;
}

/* The path that both are at or below. */
static inline uint32_t paths_common(const struct paths *paths, uint32_t a,
				    uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = paths->at[a].parent;
		else
			b = paths->at[b].parent;
	}
	return a;
}

/* What is asked once about each name and each file: numbers for str_ask(). */
enum paths_ask {
	ASK_C_LIBRARY,
	ASK_BEGINS,
	ASK_LIBRARY,
	ASK_TEMPLATE,
	ASK_SHARED_FILE,
	ASK_CUDART,
	ASK_CLOCK,
	ASK_VDSO,
	ASK_INTERPRETER,
	ASK_EXTENSION,
	ASK_PYTHON_LIBRARY,
	ASK_INSTALLED,
	ASK_FORMAT,
	ASK_END
};
_Static_assert(ASK_END <= STR_QUESTIONS, "marks have no room");

static inline bool paths_ask_module(const struct run *run, uint32_t node,
				    enum paths_ask number,
				    bool (*ask)(const char *))
{
	return str_ask(&run->strings, run->nodes[node].module, number, ask);
}

static inline bool paths_ask_name(const struct run *run, uint32_t node,
				  enum paths_ask number,
				  bool (*ask)(const char *))
{
	return str_ask(&run->strings, run->nodes[node].function, number, ask);
}

/* The function is in the C library, which had two files up to glibc 2.33. */
bool paths_in_c_library(const struct run *run, uint32_t node);

/* It is that library's function of one of these names. */
bool paths_is_c_function(const struct run *run, uint32_t node,
			 const char *const *names, size_t count);

/*
 * A function of the C library's that reads or writes files.  Files outside MPI
 * are not measured: what samples say is the time in these.
 */
bool paths_is_file(const struct run *run, uint32_t node);

/*
 * Depth first order of any tree of `count` nodes whose parents come before
 * their children, the root being 0: position[i] is where node i comes, end[p]
 * where the nodes below position p end.  0, or -ENOMEM with a reason.
 */
int paths_order(size_t count, uint32_t (*parent)(const void *, size_t),
		const void *tree, uint32_t *position, uint32_t *end);
