/* SPDX-License-Identifier: BSD-3-Clause */
/* interpreter.c - see interpreter.h. */
#include "analyse/base/interpreter.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/comparison.h"
#include "base/str.h"

/* As files of it begin: python3, python3.11, libpython3.11.so.1.0. */
static const char *const files[] = { "python", "libpython" };

static bool is_interpreter_file(const char *module)
{
	const char *slash = strrchr(module, '/');
	const char *name = slash ? slash + 1 : module;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		size_t size = strlen(files[i]);
		const char *rest = name + size;

		if (!strncmp(name, files[i], size) &&
		    (!*rest || *rest == '.' || (*rest >= '0' && *rest <= '9')))
			return true;
	}
	return false;
}

bool interpreter_owns(const struct run *run, uint32_t node)
{
	return paths_ask_module(run, node, ASK_INTERPRETER,
				is_interpreter_file);
}

static bool is_extension(const char *module)
{
	const char *base = str_base(module);

	return strstr(base, ".cpython-") || strstr(base, ".abi3.so");
}

bool interpreter_is_unnamed(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	return n->kind == RUN_FUNCTION && (n->flags & RUN_UNNAMED) &&
	       paths_ask_module(run, node, ASK_EXTENSION, is_extension);
}

/* Of its file's path, what is below the folder that packages are in. */
static const char *within_packages(const char *module)
{
	static const char *const folders[] = { "/site-packages/",
					       "/dist-packages/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *at = strstr(module, folders[i]);

		if (at)
			return at + strlen(folders[i]);
	}
	return str_base(module);
}

char *interpreter_module(const struct run *run, uint32_t node)
{
	const char *module = str_at(&run->strings, run->nodes[node].module);
	const char *from = within_packages(module), *base = str_base(from);
	char *name = strndup(from, (size_t)(base - from) + strcspn(base, "."));
	char *inner = name ? strstr(name, "/_") : NULL;

	if (inner)
		*inner = 0;
	for (char *at = name; at && *at; at++)
		if (*at == '/')
			*at = '.';
	if (name && !strcmp(name, "numpy.core")) /* "numpy._core" from 2.0 on */
		name[strlen("numpy")] = 0;
	return name;
}

static uint32_t script_function_of(const struct paths *paths, uint32_t path)
{
	return paths->run->nodes[paths->at[path].node].function;
}

struct called {
	uint32_t function, path;
	double sum;
};

ORDER_BY(by_script_function, struct called, ASC(function) ?: ASC(path))

static double sum_below(const struct paths *paths, uint32_t path,
			const double *exclusive)
{
	double sum = 0;

	for (uint32_t i = path; i < paths->at[path].end; i++)
		sum += exclusive[i];
	return sum;
}

/* What has no module is part of what it stands below, but for known calls. */
static bool is_called(const struct paths *paths, uint32_t path)
{
	const struct run_node *n = &paths->run->nodes[paths->at[path].node];

	if (n->kind == RUN_MPI || n->kind == RUN_GPU_CALL)
		return true;
	return *str_at(&paths->run->strings, n->module) &&
	       !interpreter_owns(paths->run, paths->at[path].node);
}

static size_t find_called_script(const struct paths *paths, uint32_t path,
				 const double *exclusive, struct called *to)
{
	uint32_t end = paths->at[path].end, i = path;
	size_t count = 0;

	while (i < end) {
		if (!is_called(paths, i)) {
			i++;
			continue;
		}
		to[count++] = (struct called){ script_function_of(paths, i), i,
					       sum_below(paths, i, exclusive) };
		i = paths->at[i].end;
	}
	return count;
}

/* Sorted by function: the one with the most in all. */
static void find_most(const struct called *called, size_t count, uint32_t *path,
		      double *most)
{
	for (size_t i = 0, next; i < count; i = next) {
		double sum = 0;

		for (next = i; next < count &&
			       called[next].function == called[i].function;
		     next++)
			sum += called[next].sum;
		if (sum > *most) {
			*most = sum;
			*path = called[i].path;
		}
	}
}

int interpreter_called(const struct paths *paths, uint32_t path,
		       const double *exclusive, uint32_t *called, double *sum)
{
	struct called *all = calloc(paths->count + 1, sizeof(*all));
	size_t count;

	*called = 0;
	*sum = 0;
	if (!all)
		return no_memory();
	count = find_called_script(paths, path, exclusive, all);
	qsort(all, count, sizeof(*all), by_script_function);
	find_most(all, count, called, sum);
	free(all);
	return 0;
}
