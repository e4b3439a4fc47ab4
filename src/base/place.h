/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - where the running command is, and with it what it brings. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <limits.h>

/*
 * The folder of the running command, without a closing '/'; in a build tree
 * the tree's.  0; -errno with a reason.
 */
int place_own_folder(char to[PATH_MAX]);

#endif
