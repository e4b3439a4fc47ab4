/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * utf8.h - text of unknown origin: decoded, measured, made fit to print.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_BAD UINT32_MAX

/*
 * The next character, and the pointer behind it; 0 at the end.  A byte that
 * belongs to no character is UTF8_BAD and skipped alone.
 */
uint32_t utf8_next(const char **at);

/* Columns that a terminal gives to the text. */
size_t utf8_width(const char *text);

/* The longest beginning of text that is not wider; its bytes. */
size_t utf8_head(const char *text, size_t width);

/* The longest end of text that is not wider. */
const char *utf8_tail(const char *text, size_t width);

/* One that a terminal obeys, of C0 or C1, or UTF8_BAD. */
bool utf8_is_control(uint32_t c);

/*
 * Without control characters and broken characters; without `utf8` also
 * without any that is not ASCII.
 */
void utf8_write(FILE *to, const char *text, bool utf8);

/* The same as a copy.  To be freed, NULL when out of memory. */
char *utf8_clean(const char *text, bool utf8);
