/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol-module.c - what symbols_find() works on and by. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

struct symbol_options symbol_options = { .fetch_seconds = UINT_MAX,
					 .program = -1 };

bool symbol_loops(void)
{
	const char *text = getenv("COPSE_LOOPS");

	if (symbol_options.loops != SYMBOL_LOOPS_DEFAULT)
		return symbol_options.loops == SYMBOL_LOOPS_ON;
	return !text || strcmp(text, "off") != 0;
}

void symbol_module_fini(struct symbol_module *module)
{
	free(module->first);
	free(module->frames);
	strings_fini(&module->strings);
	free(module->problem);
	*module = (struct symbol_module){ 0 };
}
