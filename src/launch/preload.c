/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.c - find the collector and put it into the environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/place.h"
#include "base/str.h"
#include "launch/preload.h"

int preload_find(const char *name, char to[PATH_MAX])
{
	static const char *const places[] = { "/.libs", "/../lib/copse" };
	char folder[PATH_MAX];
	int err = place_own_folder(folder);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = str_format("%s%s/%s", folder, places[i], name);
		char *found = path ? realpath(path, to) : NULL;

		free(path);
		if (found && !access(found, R_OK))
			return 0;
	}
	snprintf(to, PATH_MAX, "%s/%s", PKGLIBDIR, name);
	if (!access(to, R_OK))
		return 0;
	return fail(-ENOENT, "%s is neither beside this command nor in %s",
		    name, PKGLIBDIR);
}

/* LD_PRELOAD ends a name at a space or a colon. */
static int check_name(const char *path)
{
	return strpbrk(path, " \t:") ? fail(-EINVAL,
					    "the path '%s' cannot be "
					    "preloaded: it holds a space or "
					    "a colon",
					    path)
				     : 0;
}

char *preload_value(const char *mpi)
{
	const char *user = getenv("LD_PRELOAD");
	char core[PATH_MAX], adapter[PATH_MAX] = "";
	char *value;

	if (preload_find("libcopse.so", core) || check_name(core))
		return NULL;
	if (mpi) {
		char *name = str_format("libcopse-mpi-%s.so", mpi);

		/* Not built: the program is measured, its MPI calls are not. */
		if (!name || preload_find(name, adapter) || check_name(adapter))
			*adapter = 0;
		free(name);
	}
	value = str_format("%s%s%s%s%s", core, *adapter ? ":" : "", adapter,
			   user && *user ? ":" : "", user ? user : "");
	if (!value)
		fail(-ENOMEM, "out of memory");
	return value;
}

static int set_setting(const struct settings *s,
		       const struct setting_info *info)
{
	char variable[64], room[32];

	settings_variable(info, variable);
	return setenv(variable, settings_text(s, info, room), 1);
}

int preload_set(const struct settings *s, const char *live_dir,
		const char *preload)
{
	int err = 0;

	for (size_t i = 0; i < setting_count; i++)
		err |= set_setting(s, &setting_infos[i]);
	err |= setenv("COPSE_LIVE", live_dir, 1);
	err |= setenv("LD_PRELOAD", preload, 1);
	return err ? fail(-ENOMEM, "out of memory for the environment") : 0;
}
