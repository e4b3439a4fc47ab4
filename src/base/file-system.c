/* SPDX-License-Identifier: BSD-3-Clause */
/* file-system.c - see file-system.h. */
#include "base/file-system.h"

#include <stddef.h>

static const struct known_system {
	uint32_t type;
	const char *name;
	bool shared;
} systems[] = {
#define SYSTEM(type, name, shared) { type, name, shared },
#include "base/file-systems.def"
#undef SYSTEM
};

static const struct known_system *find_system(uint32_t type)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (systems[i].type == type)
			return &systems[i];
	return NULL;
}

const char *file_system_name(uint32_t type)
{
	const struct known_system *s = find_system(type);

	return s ? s->name : NULL;
}

bool file_system_is_shared(uint32_t type)
{
	const struct known_system *s = find_system(type);

	return s && s->shared;
}
