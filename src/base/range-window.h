/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * range-window.h - "NAME:K-L", "NAME:K..L" or "NAME:K": which times a range of
 * a program is open, the first being 1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range_window {
	const char *name; /* in the text, of that length */
	size_t length;
	uint64_t first, last;
};

/* False: it is no such text. */
bool range_window_parse(struct range_window *to, const char *text);

bool range_window_names(const struct range_window *window, const char *name);
