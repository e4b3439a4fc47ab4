/* SPDX-License-Identifier: BSD-3-Clause */
/* loaded.c - see loaded.h. */
#include "collect/loaded.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"
#include "collect/transparency/dlsym.h"

/* The next library of a kind, in the order in which they were loaded. */
struct search {
	bool (*is_wanted)(const char *file);
	size_t skip; /* so many of them */
	char path[PATH_MAX];
};

static int is_searched(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	struct search *s = data;

	(void)size;
	if (!slash || !s->is_wanted(slash + 1) || s->skip--)
		return 0;
	snprintf(s->path, sizeof(s->path), "%s", info->dlpi_name);
	return 1;
}

static void *look_up_in(const char *path, bool keep, const char *symbol)
{
	void *first = dlsym(RTLD_DEFAULT, symbol);
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *found = handle ? copse_dlsym_find(handle, symbol) : NULL;

	if (found == first)
		found = NULL;
	if (handle && !(found && keep))
		dlclose(handle);
	dlerror(); /* the program shall not see our failures */
	return found;
}

PUBLIC void *copse_loaded(bool (*are)(const char *file), bool keep,
			  const char *symbol)
{
	void *found = NULL;

	for (size_t n = 0; !found; n++) {
		struct search s = { .is_wanted = are, .skip = n };

		if (!dl_iterate_phdr(is_searched, &s))
			break;
		found = look_up_in(s.path, keep, symbol);
	}
	return found;
}

void *loaded_beside(const void *code, const char *symbol)
{
	struct link_map *map = NULL;
	Dl_info info;

	/* The program itself has no name, and the scope that all see. */
	if (!dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
	    !*map->l_name)
		return NULL;
	return look_up_in(map->l_name, false, symbol);
}
