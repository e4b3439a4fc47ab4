/* SPDX-License-Identifier: BSD-3-Clause */
/* exporter.c - the list of exporters; its words stand in local.mk. */
#include <stddef.h>
#include <string.h>

#include "present/exporter.h"

#define EXPORTER(name) extern const struct exporter exporter_##name;
#include "present/exporters.inc"
#undef EXPORTER

const struct exporter *const exporters[] = {
#define EXPORTER(name) &exporter_##name,
#include "present/exporters.inc"
#undef EXPORTER
	NULL
};

const struct exporter *exporter_find(const char *name)
{
	for (size_t i = 0; exporters[i]; i++)
		if (!strcmp(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}
