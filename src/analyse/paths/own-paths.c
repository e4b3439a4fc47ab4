/* SPDX-License-Identifier: BSD-3-Clause */
/* own-paths.c - which functions are the program's own. */
#include <ctype.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "analyse/paths/own-paths.h"
#include "analyse/paths/paths.h"
#include "analyse/base/python-words.h"
#include "base/str.h"

/* Files of libraries, up to a version: "libm.so.6", "libm-2.31.so". */
static const char *const libraries[] = {
	"[vdso]",
	"libamdhip",
	"libatomic",
	"libc",
	"libc++",
	"libc++abi",
	"libcopse",
	"libcopse_collect",
	"libcuda",
	"libcudart",
	"libcupti",
	"libdl",
	"libevent",
	"libevent_core",
	"libevent_pthreads",
	"libfabric",
	"libgcc_s",
	"libgfortran",
	"libgomp",
	"libhsa-runtime",
	"libhwloc",
	"libibverbs",
	"libifcore",
	"libimf",
	"libintlc",
	"libiomp",
	"libirc",
	"libjemalloc",
	"libm",
	"libmimalloc",
	"libmlx",
	"libmpi",
	"libmpi_abi",
	"libmpi_cxx",
	"libmpi_mpifh",
	"libmpi_usempi",
	"libmpi_usempif",
	"libmpich",
	"libmpichcxx",
	"libmpichfort",
	"libmpicxx",
	"libmpifort",
	"libmvec",
	"libnuma",
	"libomp",
	"libopen-pal",
	"libopen-rte",
	"libopen_mpi",
	"libpmix",
	"libpsm",
	"libpthread",
	"libquadmath",
	"librdmacm",
	"librt",
	"libstdc++",
	"libsvml",
	"libtcmalloc",
	"libtcmalloc_minimal",
	"libucm",
	"libucp",
	"libucs",
	"libuct",
};

/* Files of loaders and of plugins, by how they begin. */
static const char *const plugins[] = { "ld-linux-", "libnvidia-", "mca_",
				       "libuct_" };

/* Namespaces of templates that are compiled with the program. */
static const char *const namespaces[] = { "std::", "__gnu_cxx::",
					  "operator new", "operator delete" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool begins_with_one(const char *text, const char *const *with,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(text, with[i], strlen(with[i])))
			return true;
	return false;
}

static bool is_version(const char *rest)
{
	return !*rest || *rest == '.' || isdigit((unsigned char)*rest) ||
	       (*rest == '-' && strlen(rest) > 1 &&
		isxdigit((unsigned char)rest[1]));
}

static bool is_library(const char *module)
{
	const char *base = str_base(module);

	if (begins_with_one(base, plugins, COUNT(plugins)))
		return true;
	for (size_t i = 0; i < COUNT(libraries); i++) {
		size_t size = strlen(libraries[i]);

		if (!strncmp(base, libraries[i], size) &&
		    is_version(base + size))
			return true;
	}
	return false;
}

/* Libraries of file formats, by how they begin. */
static const char *const formats[] = { "libadios", "libhdf5", "libnetcdf",
				       "libpnetcdf" };

static bool is_format(const char *module)
{
	return begins_with_one(str_base(module), formats, COUNT(formats));
}

/* Or a jump to a function elsewhere. */
static bool is_template(const char *name)
{
	return begins_with_one(name, namespaces, COUNT(namespaces)) ||
	       strstr(name, "@plt");
}

bool paths_is_own(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	if (n->kind != RUN_FUNCTION)
		return true;
	if (n->flags & RUN_PYTHON)
		return !python_in_library(run, node);
	return !paths_ask_module(run, node, ASK_LIBRARY, is_library) &&
	       !paths_ask_name(run, node, ASK_TEMPLATE, is_template);
}

static bool is_in_format(const struct paths *paths, uint32_t path)
{
	uint32_t node = paths->at[path].node;

	return path && paths->run->nodes[node].kind == RUN_FUNCTION &&
	       paths_ask_module(paths->run, node, ASK_FORMAT, is_format);
}

bool paths_within_format(const struct paths *paths, uint32_t path)
{
	return is_in_format(paths, path) &&
	       is_in_format(paths, paths->at[path].parent);
}

/* Of what a function of Python calls, a package's work is that function's. */
static uint32_t own_below(const struct paths *paths, uint32_t path,
			  uint32_t caller)
{
	const struct run *run = paths->run;
	uint32_t own = 0;

	for (uint32_t p = path; p != caller; p = paths->at[p].parent) {
		uint32_t node = paths->at[p].node;

		if (run->nodes[node].kind != RUN_FUNCTION)
			return p;
		if (python_owns(run, node))
			continue;
		if (python_has_installed(run, node))
			own = 0;
		else if (!own && !interpreter_owns(run, node) &&
			 paths_is_own(run, node) &&
			 !paths_is_nameless(run, node))
			own = p;
	}
	return own ? own : caller;
}

uint32_t paths_own(const struct paths *paths, uint32_t path)
{
	uint32_t caller = python_caller(paths, path);

	if (caller)
		return own_below(paths, path, caller);
	for (uint32_t p = path; p; p = paths->at[p].parent) {
		if (interpreter_owns(paths->run, paths->at[p].node))
			return path;
		if (paths_is_own(paths->run, paths->at[p].node) &&
		    !paths_is_nameless(paths->run, paths->at[p].node))
			return p;
	}
	return path;
}

/* Of the values at and below a path: what is said to be of `own`. */
static double sum_said_of_own(const struct paths *paths, uint32_t path,
			      uint32_t own, const double *exclusive)
{
	double sum = 0;

	for (uint32_t p = path; p < paths->at[path].end; p++)
		if (exclusive[p] > 0 && paths_own(paths, p) == own)
			sum += exclusive[p];
	return sum;
}

/* The callee in a library that has more than half of `total`; 0: none. */
static uint32_t mostly_below(const struct paths *paths, uint32_t at,
			     uint32_t path, const double *exclusive,
			     double total)
{
	for (uint32_t p = at + 1; p < paths->at[at].end; p = paths->at[p].end)
		if (!paths_is_own(paths->run, paths->at[p].node) &&
		    !paths_is_clock(paths->run, paths->at[p].node) &&
		    2 * sum_said_of_own(paths, p, path, exclusive) > total)
			return p;
	return 0;
}

/* What it calls is inside the C library, or has no name. */
static bool callee_tells_no_more(const struct run *run, uint32_t at,
				 uint32_t below)
{
	const struct run_node *n = &run->nodes[below];

	return run->nodes[at].kind != RUN_FUNCTION || n->kind != RUN_FUNCTION ||
	       paths_in_c_library(run, at) || paths_in_c_library(run, below) ||
	       n->flags & RUN_UNNAMED;
}

uint32_t paths_mostly(const struct paths *paths, uint32_t path,
		      const double *exclusive, double total)
{
	uint32_t at = mostly_below(paths, path, path, exclusive, total), next;

	while (at) {
		next = mostly_below(paths, at, path, exclusive, total);
		if (!next ||
		    callee_tells_no_more(paths->run, paths->at[at].node,
					 paths->at[next].node))
			break;
		at = next;
	}
	return at;
}

bool paths_in_c_or_math(const struct run *run, uint32_t node)
{
	const char *module = str_at(&run->strings, run->nodes[node].module);

	return paths_in_c_library(run, node) ||
	       !strncmp(str_base(module), "libm.so.", strlen("libm.so."));
}
