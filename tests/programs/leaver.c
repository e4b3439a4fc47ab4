/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaver.c WAY - works in afterwards() only once it has become somebody else,
 * has another root, or may not write files that are larger than a page.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "known.h"

enum {
	NOBODY = 65534,
	PAGE = 4096
};

static const struct rlimit small = { PAGE, PAGE };

static int leave(const char *way)
{
	if (!strcmp(way, "setuid"))
		return setuid(NOBODY);
	if (!strcmp(way, "seteuid"))
		return seteuid(NOBODY);
	if (!strcmp(way, "setreuid"))
		return setreuid(NOBODY, NOBODY);
	if (!strcmp(way, "setresuid"))
		return setresuid(NOBODY, NOBODY, NOBODY);
	if (!strcmp(way, "chroot"))
		return chroot("/usr");
	if (!strcmp(way, "setrlimit"))
		return setrlimit(RLIMIT_FSIZE, &small);
	if (!strcmp(way, "prlimit"))
		return prlimit(0, RLIMIT_FSIZE, &small, NULL);
	return (int)syscall(SYS_setrlimit, RLIMIT_FSIZE, &small);
}

static KEPT void afterwards(void)
{
	work_for(0.2);
}

int main(int argc, char **argv)
{
	if (argc < 2 || leave(argv[1])) {
		perror("leaver");
		return 1;
	}
	afterwards();
	return 0;
}
