/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c - the one list of exports. */
#include <string.h>

#include "export/export.h"
#include "export/hatchet.h"
#include "export/tables.h"

const struct export exports[] = {
	{ "nodes", "CSV: call tree contexts, with sums over ranks", false,
	  false, tables_nodes },
	{ "ranks", "CSV: processes", false, false, tables_ranks },
	{ "values", "CSV: what each process has in each context", true, true,
	  tables_values },
	{ "hatchet", "JSON for Hatchet's GraphFrame.from_literal", true, false,
	  hatchet_write },
	{ 0 },
};

const struct export *export_find(const char *name)
{
	for (const struct export *e = exports; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}
