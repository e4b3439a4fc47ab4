/* SPDX-License-Identifier: BSD-3-Clause */
/* wrap.c - break lines between words. */
#include <string.h>

#include "tools/help.h"

void wrap_text(FILE *to, const char *text, size_t indent, size_t width)
{
	size_t at = indent;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (at + word > width && at > indent) {
			at = indent;
			fprintf(to, "\n%*s", (int)at, "");
		}
		at += (size_t)fprintf(to, "%.*s", (int)word, text);
		text += word;
		if (*text == ' ') {
			at++;
			text++;
			if (*text && at + strcspn(text, " ") <= width)
				fputc(' ', to);
		}
	}
	fputc('\n', to);
}
