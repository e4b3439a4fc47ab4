/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - ask the terminal, the environment and the locale. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/out.h"

/* Where there is no terminal to ask, long lines do no harm. */
#define PIPE_WIDTH 100
#define PIPE_NAMES 48

void page_init(struct format_style *page, FILE *to)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;

	*page = (struct format_style){ .width = PIPE_WIDTH,
				       .names = PIPE_NAMES };
	setlocale(LC_CTYPE, "");
	page->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	to = out_below(to);
	if (!isatty(fileno(to)))
		return;
	page->names = 0;
	page->colour =
		(!no_color || !*no_color) && term && strcmp(term, "dumb") != 0;
	if (!ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col)
		page->width = size.ws_col;
	if (page->width < PAGE_LEAST)
		page->width = PAGE_LEAST;
}
