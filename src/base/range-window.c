/* SPDX-License-Identifier: BSD-3-Clause */
/* range-window.c - see range-window.h. */
#include "base/range-window.h"

#include <string.h>

/* The number that the text begins with; *text is what follows.  0: none. */
static uint64_t take_ordinal(const char **text)
{
	uint64_t value = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value < UINT32_MAX
				? 10 * value + (uint64_t)(**text - '0')
				: UINT32_MAX;
	return value;
}

bool range_window_parse(struct range_window *to, const char *text)
{
	const char *at = strrchr(text, ':');

	if (!at || at == text)
		return false;
	to->name = text;
	to->length = (size_t)(at - text);
	at++;
	to->first = take_ordinal(&at);
	to->last = to->first;
	if (*at == '-' || (at[0] == '.' && at[1] == '.')) {
		at += *at == '-' ? 1 : 2;
		to->last = take_ordinal(&at);
	}
	return !*at && to->first && to->first <= to->last;
}

bool range_window_names(const struct range_window *window, const char *name)
{
	return !strncmp(window->name, name, window->length) &&
	       !name[window->length];
}
