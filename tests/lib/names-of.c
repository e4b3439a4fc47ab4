/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names-of.c FILE [BUILD-ID] - what the merge calls the addresses (hexadecimal,
 * on stdin, as in the file): a line for each function there, innermost first:
 *
 *   ADDRESS<tab>FUNCTION<tab>FILE:LINE<tab>inlined|named|nameless
 *   ADDRESS<tab>FUNCTION<tab>FILE:LINE-LINE<tab>loop
 *
 * Then, on stderr, what was wrong with the file.  The environment decides on
 * the cache, debuginfod and loops, as for copse.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbol/symbol.h"

static int by_value(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static uint64_t *read_addresses(size_t *count)
{
	uint64_t *at = NULL, address;
	size_t room = 0, kept = 0;

	*count = 0;
	while (scanf("%" SCNx64, &address) == 1) {
		if (*count == room) {
			room = room ? 2 * room : 1024;
			at = realloc(at, room * sizeof(*at));
			if (!at)
				return NULL;
		}
		at[(*count)++] = address;
	}
	if (!at)
		return NULL;
	qsort(at, *count, sizeof(*at), by_value);
	for (size_t i = 0; i < *count; i++)
		if (!kept || at[kept - 1] != at[i])
			at[kept++] = at[i];
	*count = kept;
	return at;
}

static const char *kind_of(const struct symbol_frame *f)
{
	return f->flags & SYMBOL_LOOP      ? "loop"
	       : f->flags & SYMBOL_INLINED ? "inlined"
	       : f->flags & SYMBOL_UNNAMED ? "nameless"
					   : "named";
}

static void print_frame(const struct symbol_module *m, uint64_t address,
			const struct symbol_frame *f)
{
	printf("%#" PRIx64 "\t%s\t%s:%" PRIu32, address,
	       str_at(&m->strings, f->function), str_at(&m->strings, f->file),
	       f->line);
	if (f->flags & SYMBOL_LOOP)
		printf("-%" PRIu32, f->last);
	printf("\t%s\n", kind_of(f));
}

int main(int argc, char **argv)
{
	struct symbol_module m = { .path = argc > 1 ? argv[1] : "",
				   .build_id = argc > 2 ? argv[2] : "" };
	uint64_t *addresses = read_addresses(&m.count);

	m.addresses = addresses;
	if (argc < 2 || !addresses || symbols_find(&m, 1, NULL)) {
		fprintf(stderr, "names-of: %s\n", fail_reason());
		return 1;
	}
	for (size_t i = 0; i < m.count; i++)
		for (uint32_t f = m.first[i]; f < m.first[i + 1]; f++)
			print_frame(&m, m.addresses[i], &m.frames[f]);
	if (m.problem)
		fprintf(stderr, "names-of: %s: %s\n", argv[1], m.problem);
	symbol_module_fini(&m);
	free(addresses);
	return 0;
}
