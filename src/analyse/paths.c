/* SPDX-License-Identifier: BSD-3-Clause */
/* paths.c - what is said of call paths: values, and words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/interpreter.h"
#include "analyse/paths.h"
#include "analyse/value.h"

void paths_values(const struct paths *paths, const struct run_metric *metric,
		  double *exclusive, double *inclusive)
{
	for (size_t i = 0; exclusive && i < paths->count; i++)
		exclusive[i] = 0;
	for (size_t i = 0; inclusive && i < paths->count; i++)
		inclusive[i] = 0;
	for (size_t i = 0; i < paths->run->node_count; i++) {
		double value = value_node(metric, i);

		if (exclusive)
			exclusive[paths->of[i]] += value;
		if (inclusive)
			inclusive[paths->of[i]] += value;
	}
	for (size_t i = paths->count; inclusive && i-- > 1;)
		inclusive[paths->at[i].parent] += inclusive[i];
}

bool paths_in_mpi(const struct paths *paths, uint32_t path)
{
	for (; path; path = paths->at[path].parent)
		if (paths->run->nodes[paths->at[path].node].kind == RUN_MPI)
			return true;
	return false;
}

/* "read" of "__GI___libc_read64@@GLIBC_2.2.5", and its length. */
static const char *plain_name(const char *name, size_t *length)
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

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	size_t length;

	name = plain_name(name, &length);
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
	const struct run_node *n = &run->nodes[node];

	return n->kind == RUN_FUNCTION && paths_in_c_library(run, node) &&
	       is_one_of(str_at(&run->strings, n->function), names,
			 sizeof(names) / sizeof(*names));
}

/* Of MPI (also PMPI_Wtime, mpi_wtime_), OpenMP and C++. */
static bool is_clock_of_library(const char *name)
{
	static const char mpi[] = "mpi_wtime", omp[] = "omp_get_wtime";

	return !strncasecmp(name, mpi, sizeof(mpi) - 1) ||
	       (*name && !strncasecmp(name + 1, mpi, sizeof(mpi) - 1)) ||
	       !strncmp(name, omp, sizeof(omp) - 1) ||
	       strstr(name, "_clock::now(");
}

bool paths_is_clock(const struct run *run, uint32_t node)
{
	static const char *const names[] = { "clock_gettime", "gettimeofday",
					     "clock", "time", "times" };
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);

	if (n->kind != RUN_FUNCTION)
		return false;
	return !strcmp(str_at(&run->strings, n->module), "[vdso]") ||
	       is_clock_of_library(name) ||
	       (paths_in_c_library(run, node) &&
		is_one_of(name, names, sizeof(names) / sizeof(*names)));
}

const char *paths_function(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);

	if (n->kind == RUN_ROOT || !*name)
		return "(no call path)";
	return name;
}

char *paths_text(const struct paths *paths, uint32_t path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs(paths_function(paths->run, paths->at[path].node), to);
	for (path = paths->at[path].parent; path; path = paths->at[path].parent)
		fprintf(to, " ← %s",
			paths_function(paths->run, paths->at[path].node));
	fclose(to);
	return text;
}

/* The length of a demangled name without its closing argument list. */
static int name_length(const char *name)
{
	const char *end = strrchr(name, ')');
	int open = 0;

	for (const char *p = end; p && p > name; p--) {
		open += *p == ')';
		open -= *p == '(';
		if (!open)
			return (int)(p - name);
	}
	return (int)strlen(name);
}

static bool interpreted(const struct paths *paths, uint32_t path)
{
	return interpreter_owns(paths->run, paths->at[path].node);
}

uint32_t paths_looker(const struct paths *paths, uint32_t path)
{
	uint32_t looker = path;

	for (uint32_t p = path; p; p = paths->at[p].parent)
		if (paths_is_clock(paths->run, paths->at[p].node))
			looker = paths->at[p].parent;
	return looker ? looker : path; /* none is known */
}

uint32_t paths_said(const struct paths *paths, uint32_t path)
{
	uint32_t said = paths_looker(paths, path);

	while (interpreted(paths, said) &&
	       interpreted(paths, paths->at[said].parent))
		said = paths->at[said].parent;
	return said;
}

char *paths_short(const struct paths *paths, uint32_t path, unsigned frames)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *between = "", *name;

	if (!to)
		return NULL;
	while (frames-- && (path || !*between)) {
		name = interpreted(paths, path)
			       ? INTERPRETER
			       : paths_function(paths->run,
						paths->at[path].node);
		fprintf(to, "%s%.*s", between, name_length(name), name);
		between = " ← ";
		while (interpreted(paths, path) &&
		       interpreted(paths, paths->at[path].parent))
			path = paths->at[path].parent;
		path = paths->at[path].parent;
	}
	fclose(to);
	return text;
}

char *paths_place(const struct run *run, uint32_t file, uint32_t line)
{
	const char *name = str_base(str_at(&run->strings, file));

	if (!*name)
		return NULL;
	return line ? str_format("%s:%u", name, line) : strdup(name);
}

void paths_cell(struct report *report, const struct paths *paths, uint32_t path)
{
	char *text = paths_text(paths, path);

	report_text(report, text);
	report->failed |= !text;
	free(text);
}
