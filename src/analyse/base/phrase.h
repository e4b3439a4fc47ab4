/* SPDX-License-Identifier: BSD-3-Clause */
/* phrase.h - times, sizes and numbers of things, as sentences have them. */
#pragma once

#include <stddef.h>

/* "2.10 s", "31.0 ms", "12.0 µs"; `to` holds 32 bytes, and is returned. */
const char *phrase_time(char *to, double seconds);

/* "512 B", "2.50 GiB"; `to` holds 32 bytes, and is returned. */
const char *phrase_bytes(char *to, double bytes);

/* "4 ranks", "1 rank"; `to` holds 32 bytes, and is returned. */
const char *phrase_plural(char *to, size_t count, const char *noun);

/* The same of a sum, whatever a foreign file has made of it. */
const char *phrase_many(char *to, double count, const char *noun);

/* What the largest part of a whole is called: it is the most from half on. */
static inline const char *phrase_most(double share)
{
	return share >= 0.5 ? "most" : "the largest part";
}

static inline const char *phrase_most_begins(double share)
{
	return share >= 0.5 ? "Most" : "The largest part";
}
