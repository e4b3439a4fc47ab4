/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spelling.h - guesses which known word the user meant: the one that takes the
 * fewest corrections.
 */
#pragma once

enum {
	SPELLING_SIZE = 64
};

struct spelling {
	const char *wrong;
	unsigned int slips;       /* UINT_MAX: none is near */
	char best[SPELLING_SIZE]; /* a copy */
	char hint[SPELLING_SIZE + 32];
};

void spelling_begin(struct spelling *n, const char *wrong);

/*
 * Compare with a known word.  A slip is a letter that is missing, extra or
 * wrong, or two that changed places.  A word is near with one slip in four
 * letters, plus one; so is one that begins a known word.
 */
void spelling_try(struct spelling *n, const char *known);

/* The same, where the user has to type `meant` for what he calls `known`. */
void spelling_try_as(struct spelling *n, const char *known, const char *meant);

/* "; did you mean 'hotspots'?", or ";" when none is near.  It stands between a
   sentence and the list of known words. */
const char *spelling_hint(struct spelling *n);
