/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol-readable.c - names of object files as people write them. */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "merge/symbol.h"

/* Cuts what the linker's versions add: "memcpy@@GLIBC_2.14". */
static char *without_version(const char *name, const char **suffix)
{
	const char *at = *name == '@' ? NULL : strchr(name, '@');

	*suffix = at && !strcmp(at, "@plt") ? "@plt" : "";
	return at ? strndup(name, (size_t)(at - name)) : strdup(name);
}

/* glibc's own alias for calls inside it. */
static const char *without_alias(const char *name)
{
	return strncmp(name, "__GI_", 5) != 0 || !name[5] ? name : name + 5;
}

/* "__mesh_MOD_smooth" becomes "mesh::smooth"; NULL: not of that form. */
static char *fortran_name(const char *name)
{
	const char *middle =
		strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_");

	if (!middle || middle <= name + 2)
		return NULL;
	return str_format("%.*s::%s", (int)(middle - name - 2), name + 2,
			  middle + 5);
}

char *symbol_readable(const char *name)
{
	const char *suffix;
	char *plain = without_version(without_alias(name), &suffix);
	char *readable, *whole;

	if (!plain)
		return NULL;
	readable = cplus_demangle(plain, DMGL_ANSI | DMGL_AUTO);
	if (!readable)
		readable = fortran_name(plain);
	if (!readable && !*suffix)
		return plain;
	whole = str_format("%s%s", readable ? readable : plain, suffix);
	free(readable);
	free(plain);
	return whole;
}
