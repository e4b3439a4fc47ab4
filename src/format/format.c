/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - the list of formats; its words stand in local.mk. */
#include <stddef.h>
#include <string.h>

#include "format/format.h"

#define FORMAT(name) extern const struct format format_##name;
#include "format/formats.inc"
#undef FORMAT

const struct format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "format/formats.inc"
#undef FORMAT
	NULL
};

const struct format *format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
