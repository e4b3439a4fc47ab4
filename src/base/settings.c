/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - the rows of settings.def, as text and as values. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/settings.h"
#include "base/str.h"

/* How a default of a BOOL is written in the table. */
enum {
	off,
	on
};

/* The default of a SHARE is written in per cent. */
#define VALUE_UINT(def)  (def)
#define VALUE_BOOL(def)  (def)
#define VALUE_STR(def)   (def)
#define VALUE_WORD(def)  (def)
#define VALUE_SHARE(def) ((def)*UINT64_C(10000))

static const struct settings defaults = {
#define SETTING(name, type, def, arg, help) .name = VALUE_##type(def),
#include "base/settings.def"
};

const struct setting_info setting_infos[] = {
#define SETTING(name, type, def, arg, help)                                    \
	{ #name, arg, help, SETTING_##type, offsetof(struct settings, name) },
#include "base/settings.def"
};
const size_t setting_count = sizeof(setting_infos) / sizeof(setting_infos[0]);

void settings_init(struct settings *s)
{
	*s = defaults;
}

static const struct setting_range {
	size_t offset;
	uint64_t least, most;
} ranges[] = {
#define RANGE(name, least, most)                                               \
	{ offsetof(struct settings, name), least, most },
#include "base/settings.def"
};

/* "from-start" for from_start: the option; `to` holds 64 bytes. */
static void settings_option(const struct setting_info *info, char *to)
{
	snprintf(to, 64, "%s", info->name);
	for (; *to; to++)
		if (*to == '_')
			*to = '-';
}

/* `name` is what the user wrote: --freq, or COPSE_FREQ. */
static int set_uint(uint64_t *to, const struct setting_info *info,
		    const char *name, const char *text)
{
	uint64_t value;

	if (!str_to_uint(text, &value))
		return fail(-EINVAL, "%s wants a number, not '%s'", name, text);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct setting_range *r = &ranges[i];

		if (r->offset == info->offset &&
		    (value < r->least || value > r->most))
			return fail(-EINVAL,
				    "%s wants %" PRIu64 " to %" PRIu64
				    ", not %s",
				    name, r->least, r->most, text);
	}
	*to = value;
	return 0;
}

static int set_bool(uint64_t *to, const char *name, const char *text)
{
	static const char *const words[] = {
		"off", "on", "0", "1", "no", "yes"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			*to = i % 2;
			return 0;
		}
	return fail(-EINVAL, "%s wants on or off, not '%s'", name, text);
}

static int set_share(uint64_t *to, const char *name, const char *text)
{
	if (str_to_share(text, to))
		return 0;
	return fail(-EINVAL, "%s wants 0 to 100 per cent, not '%s'", name,
		    text);
}

static int set_word(const char **to, const struct setting_info *info,
		    const char *name, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = info->arg; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (length && !strncmp(at, text, length) &&
		    (!at[length] || at[length] == '|')) {
			*to = text;
			return 0;
		}
	}
	return fail(-EINVAL, "%s wants one of %s, not '%s'", name, info->arg,
		    text);
}

static int set_by_name(struct settings *s, const struct setting_info *info,
		       const char *name, const char *text)
{
	void *member = (char *)s + info->offset;

	switch (info->type) {
	case SETTING_UINT:
		return set_uint(member, info, name, text);
	case SETTING_BOOL:
		return set_bool(member, name, text);
	case SETTING_WORD:
		return set_word(member, info, name, text);
	case SETTING_STR:
		*(const char **)member = text;
		return 0;
	case SETTING_SHARE:
		return set_share(member, name, text);
	}
	return 0;
}

int settings_set(struct settings *s, const struct setting_info *info,
		 const char *text)
{
	char name[66] = "--";

	settings_option(info, name + 2);
	return set_by_name(s, info, name, text);
}

const char *settings_text(const struct settings *s,
			  const struct setting_info *info, char *room)
{
	const void *member = (const char *)s + info->offset;
	const uint64_t *value = member;

	if (info->type == SETTING_STR || info->type == SETTING_WORD)
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
		err = text ? set_by_name(s, &setting_infos[i], variable, text)
			   : 0;
		if (!first)
			first = err;
	}
	return first;
}
