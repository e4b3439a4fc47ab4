/* SPDX-License-Identifier: BSD-3-Clause */
/* packages.c - see python-words.h. */
#include "analyse/base/python-words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define FROZEN "<frozen "

/* Where Python's own library ends in the path of a file, or NULL. */
static const char *library_end(const char *file)
{
	const char *at = file;

	while ((at = strstr(at, "/python"))) {
		const char *lib = at;

		at += strlen("/python");
		while (lib > file && isdigit((unsigned char)lib[-1]))
			lib--;
		if (!isdigit((unsigned char)*at) || lib - file < 4 ||
		    strncmp(lib - 4, "/lib", 4) != 0)
			continue;
		at += strspn(at, "0123456789.t");
		return *at == '/' ? at : NULL;
	}
	return NULL;
}

static const char *installed_end(const char *file)
{
	static const char *const folders[] = { "/site-packages/",
					       "/dist-packages/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *at = strstr(file, folders[i]);
		size_t length = strlen(folders[i]);

		if (at)
			return at + length - 1;
		/* Up to 3.9 a file of a relative sys.path is so, too. */
		if (!strncmp(file, folders[i] + 1, length - 1))
			return file + length - 2;
	}
	return NULL;
}

bool package_of(struct package *to, const char *file)
{
	const char *end = installed_end(file);

	*to = (struct package){ .file = file };
	if (!strncmp(file, FROZEN, strlen(FROZEN))) {
		to->is_library = true;
		to->name = file + strlen(FROZEN);
	} else if (end || (end = library_end(file))) {
		to->is_library = !installed_end(file);
		to->name = end + 1;
		if (!strncmp(to->name, "lib-dynload/", strlen("lib-dynload/")))
			to->name += strlen("lib-dynload/");
	} else {
		return false;
	}
	to->length = strcspn(to->name, "/.>");
	to->size = (size_t)(to->name - file) + to->length;
	return to->length;
}

/* By node: it stands for a package. */
struct collapsing {
	struct run *run;
	bool *is_package;
};

/* It becomes a part of the package that it is in. */
static void package_join(struct collapsing *c, struct run_node *n,
			 uint32_t frame)
{
	n->kind = RUN_LINE;
	n->flags = c->run->nodes[frame].flags;
	n->function = c->run->nodes[frame].function;
	n->module = c->run->nodes[frame].module;
	n->file = n->line = 0;
}

static bool name_package(struct strings *strings, const struct package *package,
			 struct run_node *n)
{
	char *name = str_format("[%.*s]", (int)package->length, package->name);

	if (!name)
		return false;
	n->function = str_add(strings, name);
	n->module = str_add_n(strings, package->file, package->size);
	n->flags = RUN_PYTHON;
	free(name);
	return n->function != STR_NONE && n->module != STR_NONE;
}

/* What Python does to import is the package's that asks for it. */
static bool is_import_frame(const struct run *run, const struct run_node *n)
{
	return !strcmp(str_at(&run->strings, n->function), "[import]");
}

static bool collapse_node(struct collapsing *c, uint32_t node)
{
	struct run *run = c->run;
	struct run_node *n = &run->nodes[node];
	uint32_t frame = run_frame(run, n->parent);
	bool is_in = c->is_package[frame];
	struct package package;

	if (run_is_part(n)) {
		if (is_in)
			package_join(c, n, frame);
		return true;
	}
	if (is_in) /* where in the package nobody asks */
		n->file = n->line = 0;
	if (n->kind != RUN_FUNCTION)
		return true;
	if (is_import_frame(run, n)) {
		if (is_in)
			package_join(c, n, frame);
		return true;
	}
	if (!package_of(&package, str_at(&run->strings, n->module)))
		return true;
	c->is_package[node] = true;
	if (!name_package(&run->strings, &package, n))
		return false;
	if (is_in && n->function == run->nodes[frame].function &&
	    n->module == run->nodes[frame].module)
		package_join(c, n, frame);
	return true;
}

int packages_collapse(struct run *run)
{
	struct collapsing c = { run, calloc(run->node_count + 1,
					    sizeof(*c.is_package)) };
	bool ok = c.is_package;

	for (uint32_t i = 1; ok && i < run->node_count; i++)
		ok = collapse_node(&c, i);
	free(c.is_package);
	return ok ? 0 : no_memory();
}
