/* SPDX-License-Identifier: BSD-3-Clause */
/* program-filter.c - lists of shell patterns. */
#include <fnmatch.h>
#include <string.h>

#include "base/program-filter.h"
#include "base/str.h"

enum {
	LONGEST = 256 /* longer patterns than file names fit nothing */
};

static bool fits_pattern(const char *pattern, size_t length, const char *name)
{
	char copy[LONGEST];

	if (!length || length >= sizeof(copy))
		return false;
	memcpy(copy, pattern, length);
	copy[length] = 0;
	return !fnmatch(copy, str_base(name), 0);
}

static bool list_fits(const char *list, const char *called, const char *file)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (fits_pattern(list, length, called) ||
		    fits_pattern(list, length, file))
			return true;
	}
	return false;
}

bool program_filter_wants(const char *include, const char *exclude,
			  const char *called, const char *file)
{
	if (*include && !list_fits(include, called, file))
		return false;
	return !list_fits(exclude, called, file);
}
