/* SPDX-License-Identifier: BSD-3-Clause */
/* install-dir.h - the folder from which copse runs. */
#pragma once

#include <limits.h>

/*
 * The folder of the running command, without a closing '/'.  In a build tree
 * that is the tree's root.  0, or -errno with a reason.
 */
int install_dir(char to[PATH_MAX]);
