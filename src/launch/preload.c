/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.c - find the collector and put it into the environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/share-file.h"
#include "base/str.h"
#include "launch/preload.h"

/* The folder of a link, not what it leads to: the adapters are beside it. */
static bool is_in(const char *folder, const char *place, const char *name,
		  char to[PATH_MAX])
{
	char *path = str_format("%s%s", folder, place);
	char *real = path ? realpath(path, NULL) : NULL;
	bool fits =
		real && snprintf(to, PATH_MAX, "%s/%s", real, name) < PATH_MAX;

	free(real);
	free(path);
	return fits && !access(to, R_OK);
}

int preload_find(const char *name, char to[PATH_MAX])
{
	static const char *const places[] = { "", "/../lib/copse" };
	char folder[PATH_MAX];
	int err = install_dir(folder);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_in(folder, places[i], name, to))
			return 0;
	snprintf(to, PATH_MAX, "%s/%s", PKGLIBDIR, name);
	if (!access(to, R_OK))
		return 0;
	return fail(-ENOENT, "%s is neither beside this command nor in %s",
		    name, PKGLIBDIR);
}

#define LIBRARIES "libraries"

/*
 * The folder of the collector's libraries.  LD_PRELOAD ends a name at a blank
 * or a colon: where its name has one, a link in the live directory.
 */
static int preload_folder(const char *live_dir, char to[PATH_MAX])
{
	char *link;
	int err = preload_find("libcopse.so", to);

	if (err)
		return err;
	*strrchr(to, '/') = 0;
	if (!strpbrk(to, " \t:"))
		return 0;
	link = str_format("%s/" LIBRARIES, live_dir);
	if (!link || symlink(to, link))
		err = fail(-errno,
			   "'%s' cannot be preloaded: it holds a space or a "
			   "colon, and no link to it could be made",
			   to);
	else
		snprintf(to, PATH_MAX, "%s", link);
	free(link);
	return err;
}

/*
 * An adapter behind what there is.  Not built: the program is measured, what
 * the adapter is for is not.
 */
static char *add_adapter(char *value, const char *folder, const char *of,
			 const char *which)
{
	char *path = str_format("%s/libcopse-%s%s.so", folder, of, which);
	char *longer = NULL;

	if (value && path && !access(path, R_OK))
		longer = str_format("%s:%s", value, path);
	free(path);
	if (!longer)
		return value;
	free(value);
	return longer;
}

/* The caller frees it; NULL with a reason on failure. */
static char *preload_value(const struct settings *s, const char *live_dir,
			   const char *mpi, bool operators)
{
	static const char *const all[] = { "openmpi", "mpich", "abi" };
	const char *user = getenv("LD_PRELOAD");
	char folder[PATH_MAX], *value, *with_user;

	if (preload_folder(live_dir, folder))
		return NULL;
	value = str_format("%s/libcopse.so", folder);
	for (size_t i = 0; mpi && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(mpi, all[i]) || !strcmp(mpi, PRELOAD_ANY))
			value = add_adapter(value, folder, "mpi-", all[i]);
	if (s->openmp)
		value = add_adapter(value, folder, "openmp", "");
	if (s->locks)
		value = add_adapter(value, folder, "locks", "");
	if (s->io)
		value = add_adapter(value, folder, "io", "");
	if (s->heap)
		value = add_adapter(value, folder, "heap", "");
	if (s->heap && operators)
		value = add_adapter(value, folder, "heap-", "operators");
	with_user = value && user && *user ? str_format("%s:%s", value, user)
					   : NULL;
	if (with_user) {
		free(value);
		value = with_user;
	}
	if (!value)
		no_memory();
	return value;
}

static int set_preload_setting(const struct settings *s,
			       const struct setting_info *info)
{
	char variable[64], room[32];

	settings_variable(info, variable);
	return setenv(variable, settings_text(s, info, room), 1);
}

#define INJECTION "CUDA_INJECTION64_PATH"
#define RANGES    "NVTX_INJECTION64_PATH"
#define ADAPTER   "libcopse-cuda.so"
#define NCCL      "NCCL_PROFILER_PLUGIN"
#define KOKKOS    "KOKKOS_TOOLS_LIBS"

static const char *other_tool(const char *variable)
{
	const char *set = getenv(variable);

	return !set || !*set || !strcmp(str_base(set), ADAPTER) ? NULL : set;
}

const char *preload_other_gpu_tool(void)
{
	return other_tool(INJECTION);
}

/* Kokkos knows one tool: the user's own stays. */
static int set_kokkos(const struct settings *s)
{
	char path[PATH_MAX];

	return s->kokkos && !getenv(KOKKOS) &&
			       !preload_find("libcopse-kokkos.so", path)
		       ? setenv(KOKKOS, path, 1)
		       : 0;
}

/* For the CUDA driver, for NVTX and NCCL.  Not built: GPU work is not measured.
 */
static int set_injections(const struct settings *s)
{
	char path[PATH_MAX];
	int err = 0;

	if (preload_find(ADAPTER, path))
		return 0;
	if (!other_tool(INJECTION))
		err |= s->gpu ? setenv(INJECTION, path, 1)
			      : unsetenv(INJECTION);
	if (!other_tool(RANGES))
		err |= setenv(RANGES, path, 1);
	if (s->gpu && !getenv(NCCL) && !preload_find("libcopse-nccl.so", path))
		err |= setenv(NCCL, path, 1);
	return err;
}

int preload_set(const struct settings *s, const char *live_dir, const char *mpi,
		bool operators)
{
	char *value = preload_value(s, live_dir, mpi, operators);
	int err = 0;

	if (!value)
		return -EINVAL;
	for (size_t i = 0; i < setting_count; i++)
		err |= set_preload_setting(s, &setting_infos[i]);
	err |= setenv("COPSE_LIVE", live_dir, 1);
	err |= setenv("LD_PRELOAD", value, 1);
	err |= set_injections(s);
	err |= set_kokkos(s);
	free(value);
	return err ? fail(-ENOMEM, "out of memory for the environment") : 0;
}
