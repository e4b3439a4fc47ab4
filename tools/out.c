/* SPDX-License-Identifier: BSD-3-Clause */
/* out.c - streams that let no control character through. */
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "format/utf8.h"
#include "tools/out.h"

/*
 * Mutable: one for each stream of the process.  `begun` is a character whose
 * end has not come.
 */
static struct out {
	FILE *above, *below;
	bool at_once;
	char begun[5];
	size_t size;
} outs[2];

static bool shows_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static void close_out(struct out *o)
{
	if (!o->size)
		return;
	o->begun[o->size] = 0;
	o->size = 0;
	utf8_write(o->below, o->begun, *o->begun > 0 || shows_utf8());
}

static void put_char(struct out *o, char c)
{
	bool goes_on = ((unsigned char)c & 0xc0) == 0x80;

	if (!goes_on || o->size + 1 == sizeof(o->begun))
		close_out(o);
	if (c == '\n' || c == '\t') {
		fputc(c, o->below);
		return;
	}
	o->begun[o->size++] = c;
	if (c > 0)
		close_out(o);
}

static ssize_t write_out(void *to, const char *text, size_t size)
{
	struct out *o = to;

	for (size_t i = 0; i < size; i++)
		put_char(o, text[i]);
	if (o->at_once)
		fflush(o->below);
	return ferror(o->below) ? 0 : (ssize_t)size;
}

/* What is below has the buffer. */
static FILE *open_out(struct out *o, FILE *below)
{
	const cookie_io_functions_t functions = { .write = write_out };

	o->below = below;
	o->above = fopencookie(o, "w", functions);
	if (!o->above)
		return below;
	setvbuf(o->above, NULL, _IONBF, 0);
	return o->above;
}

void out_begin(void)
{
	stdout = open_out(&outs[0], stdout);
	/* Of many ranks: each sentence in one piece. */
	setvbuf(stderr, NULL, _IOFBF, 0);
	outs[1].at_once = true;
	stderr = open_out(&outs[1], stderr);
}

FILE *out_below(FILE *to)
{
	for (size_t i = 0; i < 2; i++)
		if (outs[i].above == to)
			return outs[i].below;
	return to;
}

FILE *out_data(void)
{
	return isatty(STDOUT_FILENO) ? stdout : out_below(stdout);
}
