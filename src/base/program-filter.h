/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program-filter.h - which programs are measured, by shell patterns for their
 * names.
 *
 * A list is patterns separated by commas.  An empty `include` means all.
 */
#pragma once

#include <stdbool.h>

/*
 * A program has two names: the one it was called by, and that of its file.
 * They differ for a link (python3) or a script.  A pattern may match either.
 */
bool program_filter_wants(const char *include, const char *exclude,
			  const char *called, const char *file);
