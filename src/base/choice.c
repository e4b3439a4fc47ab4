/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c - lists of shell patterns. */
#include <fnmatch.h>
#include <string.h>

#include "base/choice.h"
#include "base/str.h"

enum {
	LONGEST = 256 /* longer patterns than file names fit nothing */
};

static bool fits(const char *pattern, size_t length, const char *name)
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
		if (fits(list, length, called) || fits(list, length, file))
			return true;
	}
	return false;
}

bool choice_wants(const char *include, const char *exclude, const char *called,
		  const char *file)
{
	if (*include && !list_fits(include, called, file))
		return false;
	return !list_fits(exclude, called, file);
}
