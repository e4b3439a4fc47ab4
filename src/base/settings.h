/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings.h - how to measure; the rows stand in settings.def.
 *
 * Ownership   Strings point to a default, to the environment or to what the
 *             caller passed; nothing is copied or freed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum setting_type {
	SETTING_UINT,
	SETTING_SHARE, /* in millionths; as text in per cent, "0.5%" or "0.5" */
	SETTING_BOOL,
	SETTING_WORD, /* one of those that `arg` has, with | between */
	SETTING_STR
};

typedef uint64_t setting_UINT, setting_SHARE, setting_BOOL;
typedef const char *setting_STR, *setting_WORD;

struct settings {
#define SETTING(name, type, def, arg, help) setting_##type name;
#include "base/settings.def"
};

struct setting_info {
	const char *name, *arg, *help;
	enum setting_type type;
	size_t offset; /* in struct settings */
};

extern const struct setting_info setting_infos[];
extern const size_t setting_count;

/* The defaults. */
void settings_init(struct settings *s);

/* Set one from text: 0; -EINVAL with a reason, and it stays as it was. */
int settings_set(struct settings *s, const struct setting_info *info,
		 const char *text);

/*
 * The defaults, then what the environment's COPSE_NAME variables say.  The
 * first bad value: -EINVAL with a reason; the others are taken.
 */
int settings_from_environment(struct settings *s);

/* One as text that settings_set() takes, in `room`, of 32 bytes, or its own. */
const char *settings_text(const struct settings *s,
			  const struct setting_info *info, char *room);
/* "COPSE_FREQ" for freq; `to` holds 64 bytes. */
void settings_variable(const struct setting_info *info, char *to);
