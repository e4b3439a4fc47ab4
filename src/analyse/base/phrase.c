/* SPDX-License-Identifier: BSD-3-Clause */
/* phrase.c - see phrase.h. */
#include <stdio.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "base/round.h"

const char *phrase_time(char *to, double seconds)
{
	const char *unit = "s";

	if (seconds == 0)
		return strcpy(to, "0 s");
	if (seconds < 1e-3) {
		seconds *= 1e6;
		unit = "µs";
	} else if (seconds < 1) {
		seconds *= 1e3;
		unit = "ms";
	}
	snprintf(to, 32, "%.*f %s",
		 seconds < 10    ? 2
		 : seconds < 100 ? 1
				 : 0,
		 seconds, unit);
	return to;
}

const char *phrase_bytes(char *to, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	snprintf(to, 32, "%.*f %s",
		 !unit || bytes >= 100 ? 0
		 : bytes >= 10         ? 1
				       : 2,
		 bytes, units[unit]);
	return to;
}

const char *phrase_plural(char *to, size_t count, const char *noun)
{
	const char *end = "";

	if (count != 1)
		end = strchr("sh", noun[strlen(noun) - 1]) ? "es" : "s";
	snprintf(to, 32, "%zu %s%s", count, noun, end);
	return to;
}

const char *phrase_many(char *to, double count, const char *noun)
{
	return phrase_plural(to, (size_t)round_to_count(count), noun);
}
