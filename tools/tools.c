/* SPDX-License-Identifier: BSD-3-Clause */
/* tools.c - open the library that the commands are in. */
#include "tools/tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "config.h"

#include "base/err.h"
#include "launch/preload.h"

static bool has_limit(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

const struct tools *tools_open(void)
{
	const struct tools *found = NULL;
	char path[PATH_MAX];
	void *library;

	if (preload_find("libcopse-tools.so", path))
		return NULL;
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (library)
		found = dlsym(library, "copse_tools");
	if (!found) {
		fail(-ENOEXEC, "%s%s", dlerror(),
		     has_limit() ? " (ulimit -v may be too small)" : "");
		return NULL;
	}
	if (!strcmp(found->version, PACKAGE_VERSION))
		return found;
	fail(-ENOEXEC, "%s is of version %s, this command of %s", path,
	     found->version, PACKAGE_VERSION);
	return NULL;
}
