/* SPDX-License-Identifier: BSD-3-Clause */
/* install-dir.c - the folder of the running command. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/share-file.h"

int install_dir(char to[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", to, PATH_MAX - 1);
	char *slash;

	if (n < 0)
		return fail(-errno, "cannot read /proc/self/exe: %s",
			    strerror(errno));
	to[n] = 0;
	slash = strrchr(to, '/');
	if (slash)
		*slash = 0;
	return 0;
}
