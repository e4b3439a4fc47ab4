/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program-filter.h - which programs are wanted, by shell patterns on their
 * names.
 *
 * A list is patterns separated by commas; an empty one of what to include
 * means everything.
 */
#ifndef BASE_PROGRAM_FILTER_H
#define BASE_PROGRAM_FILTER_H

#include <stdbool.h>

/*
 * A program has two names: the one it was called by and that of its file,
 * which differ where the former is a link (python3) or a script.  A pattern
 * that fits either one fits.
 */
bool program_filter_wants(const char *include, const char *exclude,
			  const char *called, const char *file);

#endif
