/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.c - decode UTF-8 strictly: no overlong forms, no surrogates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "format/utf8.h"

/* Bytes of the character that begins with this byte; 0: none does. */
static unsigned int length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

uint32_t utf8_next(const char **at)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)*at;
	unsigned int length = length_of(*p);
	uint32_t c = length > 1 ? *p & (0x7fu >> length) : *p;

	if (!*p)
		return 0;
	(*at)++;
	if (!length)
		return UTF8_BAD;
	for (unsigned int i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UTF8_BAD;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return UTF8_BAD;
	*at += length - 1;
	return c;
}

/* Outside a UTF-8 locale wcwidth() knows ASCII only. */
static size_t character_columns(uint32_t c)
{
	int width = c == UTF8_BAD ? 1 : wcwidth((wchar_t)c);

	return width < 0 ? 1 : (size_t)width;
}

size_t utf8_width(const char *text)
{
	size_t width = 0;
	uint32_t c;

	while ((c = utf8_next(&text)))
		width += character_columns(c);
	return width;
}

size_t utf8_head(const char *text, size_t width)
{
	const char *at = text, *end = text;
	size_t used = 0;
	uint32_t c;

	while ((c = utf8_next(&at))) {
		used += character_columns(c);
		if (used > width)
			break;
		end = at;
	}
	return (size_t)(end - text);
}

const char *utf8_tail(const char *text, size_t width)
{
	size_t all = utf8_width(text);

	while (all > width) {
		uint32_t c = utf8_next(&text);

		if (!c)
			break;
		all -= character_columns(c);
	}
	return text;
}

/* What stands for the few signs that reports use. */
static const char *ascii_sign(uint32_t c)
{
	switch (c) {
	case 0x2190: /* leftwards arrow */
		return "<-";
	case 0x203a: /* single right-pointing angle quotation mark */
		return ">";
	case 0x2192: /* rightwards arrow */
		return "->";
	case 0x2013: /* en dash */
	case 0xb7:   /* middle dot */
		return "-";
	case 0x2022: /* bullet */
		return "*";
	case 0xb1: /* plus-minus sign */
		return "+-";
	case 0xd7: /* multiplication sign */
		return "x";
	case 0xb5: /* micro sign */
		return "u";
	case 0x2026: /* ellipsis */
		return "..";
	default:
		return "?";
	}
}

bool utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == UTF8_BAD;
}

void utf8_write(FILE *to, const char *text, bool utf8)
{
	const char *from = text;
	uint32_t c;

	for (; (c = utf8_next(&text)); from = text) {
		if (utf8_is_control(c))
			fputc('?', to);
		else if (c < 0x80 || utf8)
			fwrite(from, 1, (size_t)(text - from), to);
		else
			fputs(ascii_sign(c), to);
	}
}

char *utf8_clean(const char *text, bool utf8)
{
	char *clean = NULL;
	size_t size;
	FILE *to = open_memstream(&clean, &size);

	if (!to)
		return NULL;
	utf8_write(to, text, utf8);
	fclose(to);
	return clean;
}
