/* SPDX-License-Identifier: BSD-3-Clause */
/* analysis.c - the list of analyses; its words stand in local.mk. */
#include <stddef.h>
#include <string.h>

#include "analyse/analysis.h"

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "analyse/analyses.inc"
#undef ANALYSIS

const struct analysis *const analyses[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analyse/analyses.inc"
#undef ANALYSIS
	NULL
};

const struct analysis *analysis_find(const char *name)
{
	for (size_t i = 0; analyses[i]; i++)
		if (!strcmp(analyses[i]->name, name))
			return analyses[i];
	return NULL;
}
