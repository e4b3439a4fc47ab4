/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tools.h - what needs more than the C library: all commands but run, and the
 * end of a run.  It is libcopse-tools.so, which `copse` opens when it is
 * needed, so that little stays beside each rank while a program runs.
 */
#pragma once

#include <stdbool.h>

struct harvest;

struct tools {
	const char *version; /* the first member, whatever follows */
	/* A command, by its name in argv[1]; its exit status. */
	int (*dispatch)(int argc, char **argv);
	/* harvest.h and run-end.h: 0, or -errno, and why. */
	int (*finish)(struct harvest *h);
	int (*conclude)(const char *directory, int program, bool page);
	const char *(*reason)(void);
};

/* The library, which stays open; NULL with a reason. */
const struct tools *tools_open(void);

/*
 * stack.c: room for the command itself under a small limit on the stack: that
 * of `ulimit -s` is for the program, which keeps it.
 */

/*
 * What body(argc, argv) returns.  Where the limit is low, it runs on a stack of
 * its own, and threads get larger ones; -errno, with a reason, where there is
 * no memory for that.
 */
int stack_run(int (*body)(int argc, char **argv), int argc, char **argv);
