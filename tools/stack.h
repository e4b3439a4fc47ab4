/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stack.h - room for the command itself under a small limit on the stack: that
 * of `ulimit -s` is for the program, which keeps it.
 */
#pragma once

/*
 * What body(argc, argv) returns.  Where the limit is low, it runs on a stack of
 * its own, and threads get larger ones; -errno, with a reason, where there is
 * no memory for that.
 */
int stack_run(int (*body)(int argc, char **argv), int argc, char **argv);
