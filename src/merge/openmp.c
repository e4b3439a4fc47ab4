/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c - by the names of files, down from the root. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "live/layout.h"
#include "merge/openmp.h"

/* "libgomp.so.1", and "libgomp-a34b3233.so.1.0.0" of Python's packages. */
static const struct {
	const char *name;
	enum openmp_code code;
} libraries[] = {
	{ "libgomp", OPENMP_RUNTIME },   { "libomp", OPENMP_RUNTIME },
	{ "libiomp5", OPENMP_RUNTIME },  { "libc", OPENMP_SYSTEM },
	{ "libpthread", OPENMP_SYSTEM },
};

enum openmp_code openmp_code(const char *path)
{
	const char *file = str_base(path);
	size_t length = strcspn(file, ".-");

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (strlen(libraries[i].name) == length &&
		    !strncmp(file, libraries[i].name, length))
			return strstr(file, ".so") ? libraries[i].code
						   : OPENMP_OTHER;
	return OPENMP_OTHER;
}

uint32_t openmp_frame(enum openmp_code code, uint32_t node, uint32_t of_parent)
{
	if (code == OPENMP_OTHER)
		return 0;
	return code == OPENMP_SYSTEM || of_parent ? of_parent : node;
}

static enum openmp_code openmp_code_of(const struct profile_node *n,
				       const enum openmp_code *of_module)
{
	bool in_module = n->kind == NODE_CALL || n->kind == NODE_PC;
	uint64_t lock =
		n->kind == NODE_LOCK ? LIVE_LOCK_KIND(n->offset) : LOCK_KINDS;

	if (lock == LOCK_CRITICAL || lock == LOCK_OMP_LOCK)
		return OPENMP_RUNTIME;
	return in_module ? of_module[n->owner] : OPENMP_OTHER;
}

/* How a thread began, as far as a node's path tells. */
enum began {
	BY_SYSTEM, /* so far */
	BY_RUNTIME,
	BY_OTHERS
};

struct openmp_node {
	uint32_t frame;
	enum began began;
	bool parallel; /* of a parallel region */
};

static void look_at_openmp_nodes(struct openmp_node *at,
				 const struct profile *p,
				 const enum openmp_code *of_module)
{
	static const enum began begins[] = { [OPENMP_OTHER] = BY_OTHERS,
					     [OPENMP_RUNTIME] = BY_RUNTIME,
					     [OPENMP_SYSTEM] = BY_SYSTEM };

	for (uint32_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];
		const struct openmp_node *above = &at[n->parent];
		bool region = n->kind == NODE_REGION;
		enum openmp_code code = openmp_code_of(n, of_module);

		at[i].parallel = above->parallel || region;
		at[i].frame = region ? i : openmp_frame(code, i, above->frame);
		at[i].began =
			above->began == BY_SYSTEM ? begins[code] : above->began;
	}
}

static void add_openmp_time(struct openmp *to, const struct profile *p,
			    const struct openmp_node *at)
{
	const struct profile_column *c = profile_column(p, "cpu.time");

	for (size_t i = 0; c && i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		const struct openmp_node *node = &at[v->node];
		bool worker = node->parallel && v->thread != p->id.mpi_thread;

		if (node->frame && p->nodes[v->node].kind != NODE_REGION)
			to->waiting_ns += v->value;
		if (node->began == BY_RUNTIME || worker)
			to->workers_ns += v->value;
	}
}

int openmp_times(struct openmp *to, const struct profile *p)
{
	enum openmp_code *codes = calloc(p->module_count + 1, sizeof(*codes));
	struct openmp_node *at = NULL;
	bool any = false;
	int err = codes ? 0 : -ENOMEM;

	*to = (struct openmp){ 0 };
	for (size_t i = 0; i < p->module_count && !err; i++) {
		codes[i] = openmp_code(p->modules[i].path);
		any |= codes[i] == OPENMP_RUNTIME;
	}
	if (any && !err) {
		at = calloc(p->node_count + 1, sizeof(*at));
		err = at ? 0 : -ENOMEM;
	}
	if (at) {
		look_at_openmp_nodes(at, p, codes);
		add_openmp_time(to, p, at);
	}
	free(at);
	free(codes);
	return err ? no_memory() : 0;
}
