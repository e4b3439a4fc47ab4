/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c - reading small files, and writing answers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/probe.h"

#define WRITE(field)                                                           \
	do {                                                                   \
		va_list args_;                                                 \
                                                                               \
		va_start(args_, fmt);                                          \
		vsnprintf(to->field, sizeof(to->field), fmt, args_);           \
		va_end(args_);                                                 \
	} while (0)

void probe_found(struct finding *to, enum finding_state state, const char *fmt,
		 ...)
{
	to->state = state;
	WRITE(found);
}

void probe_instead(struct finding *to, const char *fmt, ...)
{
	WRITE(instead);
}

void probe_mend(struct finding *to, const char *fmt, ...)
{
	WRITE(mend);
}

void probe_line(const char *path, char *to, size_t size)
{
	FILE *from = fopen(path, "re");

	*to = 0;
	if (!from)
		return;
	if (!fgets(to, (int)size, from))
		*to = 0;
	to[strcspn(to, "\n")] = 0;
	fclose(from);
}

long probe_number(const char *path, long none)
{
	char line[64], *end;
	long value;

	probe_line(path, line, sizeof(line));
	value = strtol(line, &end, 10);
	return end == line ? none : value;
}

unsigned long long probe_status(const char *key, int base)
{
	unsigned long long value = 0;
	FILE *from = fopen("/proc/self/status", "re");
	size_t length = strlen(key);
	char line[256];

	if (!from)
		return 0;
	while (fgets(line, sizeof(line), from))
		if (!strncmp(line, key, length)) {
			value = strtoull(line + length, NULL, base);
			break;
		}
	fclose(from);
	return value;
}

bool probe_capable(int capability)
{
	return probe_status("CapEff:", 16) >> capability & 1;
}
