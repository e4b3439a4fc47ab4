/* SPDX-License-Identifier: BSD-3-Clause */
/* conclude.h - the end of a run: where the time went, on stderr. */
#ifndef TOOLS_CONCLUDE_H
#define TOOLS_CONCLUDE_H

/* Print the summary of the profiles in a directory; 0, or -errno, reason. */
int conclude_print(const char *directory);

#endif
