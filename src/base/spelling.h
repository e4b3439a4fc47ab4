/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spelling.h - the word that was meant: of those that are known, the one that
 * takes the fewest slips of the pen.
 */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

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
 * One that is known.  A slip is a letter too many, too few or another, or two
 * that changed places; one in four letters, and one more, may be.  What only
 * begins a known word is near as well.
 */
void spelling_try(struct spelling *n, const char *known);

/* "; did you mean 'hotspots'?", or ";" when none is near: the rest of a
   sentence, before what lists them. */
const char *spelling_hint(struct spelling *n);

#endif
