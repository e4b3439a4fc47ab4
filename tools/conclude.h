/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * conclude.h - the end of a run: where the time went, on stderr, and as a page
 * for a browser.
 */
#pragma once

#include <stdbool.h>

/*
 * Print the summary of the profiles in a directory, and, where the page is
 * wanted and takes less than a second, write it there as CONCLUDE_PAGE.
 * `program`: its open file, or -1.  0, or -errno with a reason; without a page
 * there is a warning.
 */
#define CONCLUDE_PAGE "report.html"
int conclude_print(const char *directory, int program, bool page);
