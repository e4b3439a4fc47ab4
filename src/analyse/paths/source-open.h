/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source-open.h - opens the source file that a profile names, if a page may
 * have its lines.
 *
 * Whoever made the profile chose the name, and may have made the tree that it
 * leads into: so a link could make a page show any file of its reader's.  No
 * link is followed but in front of the tree: in the working directory and in
 * HOME as their user calls them, and those of the system, which root alone can
 * have put there.  (For root they are not distinguished.)
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

/*
 * To read, with the path that it really has.  A relative name is looked for
 * from the working directory, and from each folder that the module is in.
 * -errno with a reason that says it of "it".
 */
int source_open(const char *name, const char *module, char path[PATH_MAX],
		struct stat *st);
