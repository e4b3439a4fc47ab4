/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - what a stream that a report goes to can show. */
#pragma once

#include <stdio.h>

#include "format/format.h"

enum {
	PAGE_LEAST = 40 /* columns: below, a table's numbers have no room */
};

/*
 * Width, colour (NO_COLOR and TERM=dumb are honoured) and characters by what
 * `to` is and by the locale, which is set here.
 */
void page_init(struct format_style *page, FILE *to);
