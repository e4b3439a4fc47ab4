/* SPDX-License-Identifier: BSD-3-Clause */
/* wrap.h - sentences in a column of their own. */
#ifndef TOOLS_WRAP_H
#define TOOLS_WRAP_H

#include <stddef.h>
#include <stdio.h>

/*
 * The text in lines of `width` columns at most, and a newline.  The cursor is
 * at column `indent`, where further lines begin, too.
 */
void wrap_text(FILE *to, const char *text, size_t indent, size_t width);

#endif
