/* SPDX-License-Identifier: BSD-3-Clause */
/* quote.c - what has to be escaped, in CSV, JSON and XML. */
#include <stdlib.h>
#include <string.h>

#include "format/quote.h"
#include "format/utf8.h"

void quote_csv(FILE *to, const char *text)
{
	if (!text || !text[strcspn(text, ",\"\r\n")]) {
		fputs(text ? text : "", to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

void quote_json(FILE *to, const char *text)
{
	const char *from = text;
	uint32_t c;

	if (!text) {
		fputs("null", to);
		return;
	}
	fputc('"', to);
	for (; (c = utf8_next(&text)); from = text) {
		if (c == UTF8_BAD)
			fputs("\\ufffd", to);
		else if (c == '"' || c == '\\')
			fprintf(to, "\\%c", (char)c);
		else if (utf8_is_control(c))
			fprintf(to, "\\u%04x", c);
		else
			fwrite(from, 1, (size_t)(text - from), to);
	}
	fputc('"', to);
}

void quote_xml(FILE *to, const char *text)
{
	char *clean = utf8_clean(text ? text : "", true);

	for (const char *c = clean; c && *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fputc(*c, to);
		}
	}
	free(clean);
}
