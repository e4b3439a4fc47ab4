/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-count.c - see thread-count.h. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "merge/thread-count.h"

#define HELPERS 4 /* without a sample, beside MPI: as many are its own */

/*
 * As files begin that MPI's own threads run in: its libraries, and those of the
 * system that they call, down to the kernel's, which reads the clock.
 */
static const char *const files[] = {
	"libmpi",     "libopen-",   "libpmix",  "libevent",  "mca_",
	"libuc",      "libpsm",     "libprrte", "libfabric", "libhwloc",
	"libpmi",     "libibverbs", "libc.so",  "libc-2",    "ld-linux",
	"libpthread", "[vdso]",     "linux-vd", "libz.so",   "libgcc_s",
	"librdmacm",  "libnl-",     "libnuma",  "librt",
};

static bool is_mpi_path(const char *path)
{
	const char *name = str_base(path);

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(name, files[i], strlen(files[i])))
			return true;
	return false;
}

bool thread_starts_in(const char *path)
{
	return is_mpi_path(path) ||
	       !strncmp(str_base(path), "libstdc++", strlen("libstdc++"));
}

/* Of each node, whether its path has a frame of somebody else. */
static void find_paths(const struct profile *p, const bool *of_mpi,
		       bool *others)
{
	for (size_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];
		bool code = n->kind == NODE_CALL || n->kind == NODE_PC;

		others[i] = others[n->parent] || n->kind == NODE_ADDRESS ||
			    n->kind == NODE_NAMED || n->kind == NODE_PYTHON ||
			    (code && !of_mpi[n->owner]);
	}
}

/* Of each thread, whether it has values, and such paths. */
static void find_threads(const struct profile *p, const bool *others,
			 bool *seen, bool *works)
{
	for (size_t c = 0; c < p->column_count; c++)
		for (size_t i = 0; i < p->columns[c].count; i++) {
			const struct profile_value *v =
				&p->columns[c].values[i];

			seen[v->thread] = true;
			works[v->thread] |= others[v->node];
		}
}

bool *threads_counted(const struct profile *p)
{
	bool *of_mpi = calloc(p->module_count + 1, sizeof(*of_mpi));
	bool *others = calloc(p->node_count + 1, sizeof(*others));
	bool *seen = calloc(p->thread_count + 1, sizeof(*seen));
	bool *works = calloc(p->thread_count + 1, sizeof(*works));
	bool room = of_mpi && others && seen && works;

	for (size_t i = 0; room && i < p->module_count; i++)
		of_mpi[i] = is_mpi_path(p->modules[i].path);
	if (room) {
		find_paths(p, of_mpi, others);
		find_threads(p, others, seen, works);
	}
	for (size_t i = 0; room && i < p->thread_count; i++)
		works[i] |= !seen[i] &&
			    (!p->id.mpi_init_ns || i == p->id.mpi_thread);
	free(of_mpi);
	free(others);
	free(seen);
	if (room)
		return works;
	free(works);
	return NULL;
}

uint32_t thread_count(const struct profile *p)
{
	bool *counted = threads_counted(p);
	bool helpers = p->id.mpi_init_ns && p->id.threads_unseen <= HELPERS;
	uint32_t count = helpers ? 0 : p->id.threads_unseen;

	for (size_t i = 0; i < p->thread_count; i++)
		if (!counted || counted[i])
			count += p->threads[i].runs ? p->threads[i].runs : 1;
	free(counted);
	return count;
}
