/* SPDX-License-Identifier: BSD-3-Clause */
/* install-dir.h - where the running command is, and with it what it brings. */
#ifndef BASE_INSTALL_DIR_H
#define BASE_INSTALL_DIR_H

#include <limits.h>

/*
 * The folder of the running command, without a closing '/'; in a build tree
 * the tree's.  0; -errno with a reason.
 */
int install_dir(char to[PATH_MAX]);

#endif
