/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * out.h - stdout and stderr as people read them: a terminal obeys what it is
 * given, and profiles are full of names that others chose.
 */
#pragma once

#include <stdio.h>

#include "format/format.h"

/*
 * From now on stdout and stderr write '?' for control characters, but for ends
 * of lines and tabs, and for what is no character; where they cannot, they are
 * as before.
 */
void out_begin(void);

/*
 * The stream below, for what is clean and has colours, and the one to flush:
 * it has the buffer.
 */
FILE *out_below(FILE *to);

/* stdout for data: below, or on a terminal as people read it. */
FILE *out_data(void);

/* page.c: what a stream that a report goes to can show. */

enum {
	PAGE_LEAST = 40 /* columns: below, a table's numbers have no room */
};

/*
 * Width, colour (NO_COLOR and TERM=dumb are honoured) and characters by what
 * `to` is and by the locale, which is set here.
 */
void page_init(struct format_style *page, FILE *to);
