/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * draw.h - small drawings in a line of text: bars, sparklines and strips, in
 * block characters or in ASCII.  All are to be freed; NULL when out of memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A bar of share * width columns. */
char *draw_bar(double share, size_t width, bool utf8);

/*
 * One column per value, from 0 to the largest.  With more values than width a
 * column shows the largest of those that it stands for.
 */
char *draw_spark(const double *values, size_t count, size_t width, bool utf8);

/*
 * A strip: one column per value, from 0, blank, to 1, the darkest; from 1 % on
 * something is seen.  With more values than width as draw_spark().
 */
char *draw_heat(const double *values, size_t count, size_t width, bool utf8);

/*
 * One column per value, an ASCII character.  With more values than width a
 * column shows the one that most of those have which it stands for.
 */
char *draw_letters(const double *values, size_t count, size_t width);
