/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - the rows of settings.def, as text and as values. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/settings.h"
#include "base/str.h"

static const struct settings defaults = {
#define SETTING(name, type, def, arg, help) .name = (def),
#include "base/settings.def"
#undef SETTING
};

const struct setting_info setting_infos[] = {
#define SETTING(name, type, def, arg, help)                                    \
	{ #name, arg, help, SETTING_##type, offsetof(struct settings, name),   \
	  #def },
#include "base/settings.def"
#undef SETTING
};
const size_t setting_count = sizeof(setting_infos) / sizeof(setting_infos[0]);

void settings_init(struct settings *s)
{
	*s = defaults;
}

int settings_set(struct settings *s, const struct setting_info *info,
		 const char *text)
{
	void *member = (char *)s + info->offset;

	if (info->type == SETTING_STR)
		*(const char **)member = text;
	else if (info->type == SETTING_SHARE && !str_to_share(text, member))
		return fail(-EINVAL, "%s wants 0 to 100 per cent, not '%s'",
			    info->name, text);
	else if (info->type == SETTING_UINT && !str_to_uint(text, member))
		return fail(-EINVAL, "%s wants a number, not '%s'", info->name,
			    text);
	return 0;
}

const char *settings_text(const struct settings *s,
			  const struct setting_info *info, char *room)
{
	const void *member = (const char *)s + info->offset;
	const uint64_t *value = member;

	if (info->type == SETTING_STR)
		return *(const char *const *)member;
	if (info->type == SETTING_SHARE)
		snprintf(room, 32, "%" PRIu64 ".%04" PRIu64 "%%",
			 *value / 10000, *value % 10000);
	else
		snprintf(room, 32, "%" PRIu64, *value);
	return room;
}

void settings_variable(const struct setting_info *info, char *to)
{
	snprintf(to, 64, "COPSE_%s", info->name);
	for (; *to; to++)
		*to = (char)toupper((unsigned char)*to);
}

int settings_from_environment(struct settings *s)
{
	int first = 0;

	settings_init(s);
	for (size_t i = 0; i < setting_count; i++) {
		char variable[64];
		const char *text;
		int err;

		settings_variable(&setting_infos[i], variable);
		text = getenv(variable);
		err = text ? settings_set(s, &setting_infos[i], text) : 0;
		if (!first)
			first = err;
	}
	return first;
}
