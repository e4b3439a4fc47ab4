/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main-name.c - the name of main() in a stripped program: the C library says
 * which function it is by calling it.
 */
#include <string.h>

#include "base/err.h"
#include "merge/merging.h"

static bool starts_programs(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return !strncmp(name, "__libc_start_main", 17);
}

/*
 * __libc_start_main calls __libc_start_call_main, which calls main; with the
 * C library stripped as well, the second has no name.
 */
static bool calls_main(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);

	if (!strcmp(name, "__libc_start_call_main"))
		return true;
	return n->flags & RUN_UNNAMED && starts_programs(run, n->parent) &&
	       n->module == run->nodes[n->parent].module;
}

static void rename_function(struct run *run, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < run->node_count; i++) {
		struct run_node *n = &run->nodes[i];

		if (n->function == from && n->flags & RUN_UNNAMED) {
			n->function = to;
			n->flags &= (uint16_t)~RUN_UNNAMED;
		}
	}
}

int merge_name_main(struct run *run)
{
	for (size_t i = 1; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		uint32_t name;

		if (n->kind != RUN_FUNCTION || !(n->flags & RUN_UNNAMED) ||
		    n->module == run->nodes[n->parent].module ||
		    !calls_main(run, n->parent))
			continue;
		name = str_add(&run->strings, "main");
		if (name == STR_NONE)
			return no_memory();
		rename_function(run, n->function, name);
	}
	return 0;
}
