/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol-readable.c - names of object files as people write them. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

/* What compilers call the code of a parallel region, with its number. */
static const char *const regions[] = { "._omp_fn.", ".omp_outlined" };

/* Where that begins; NULL: nowhere. */
static const char *region_of(const char *name, const char **number)
{
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
		const char *at = strstr(name, regions[i]);

		if (!at || at == name)
			continue;
		*number = at + strcspn(at, "0123456789");
		return at;
	}
	return NULL;
}

bool symbol_is_parallel(const char *name)
{
	const char *number;

	return name && region_of(name, &number);
}

/* "smooth [parallel]" of "smooth._omp_fn.0", and of the next "[parallel 2]". */
static char *region_name(const char *name, const char *at, const char *number)
{
	char *function = strndup(name, (size_t)(at - name));
	char *readable = function ? symbol_readable(function) : NULL;
	unsigned long which = strtoul(number, NULL, 10);
	char *text = NULL;

	if (readable && which)
		text = str_format("%s [parallel %lu]", readable, which + 1);
	else if (readable)
		text = str_format("%s [parallel]", readable);
	free(function);
	free(readable);
	return text;
}

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

/* By libiberty, which some systems have without its header; NULL: none such. */
static char *cxx_name(const char *name)
{
	extern char *cplus_demangle(const char *mangled, int options);
	const int ansi = 1 << 1, automatic = 1 << 8;

	return cplus_demangle(name, ansi | automatic);
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
	const char *suffix, *number, *region = region_of(name, &number);
	char *plain;
	char *readable, *whole;

	if (region)
		return region_name(name, region, number);
	plain = without_version(without_alias(name), &suffix);
	if (!plain)
		return NULL;
	readable = cxx_name(plain);
	if (!readable)
		readable = fortran_name(plain);
	if (!readable && !*suffix)
		return plain;
	whole = str_format("%s%s", readable ? readable : plain, suffix);
	free(readable);
	free(plain);
	return whole;
}
