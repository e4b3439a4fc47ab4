/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-alike.h - call paths that two builds of a program name differently.
 *
 * Looked at is only what one build has and the other has not, below a caller
 * that both have.  Such paths are joined when
 *  - their names are equal but for arguments and template arguments, and no
 *    other path there has such a name;
 *  - both have no name and are in the same library (or the program), and what
 *    they call has mostly the same names; of those that call nothing, as many
 *    on each side, the first is the first by address, and so on;
 *  - one is called by a function between, which the other build has not: it
 *    was inlined, and no debug information says so.
 * It is a guess, and a careful one: functions with different names stay apart.
 */
#pragma once

#include "analyse/compare/path-union.h"

/*
 * Joins paths of `u`, whose parents come before them.  sides[path]: 1 base,
 * 2 the others, 3 both.  to[path] is the path's new number.  0 or -ENOMEM.
 */
int path_alike(struct path_union *u, unsigned char *sides, uint32_t *to);
