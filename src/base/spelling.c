/* SPDX-License-Identifier: BSD-3-Clause */
/* spelling.c - the edit distance of two words, with transpositions. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"

/* Distances of the beginnings of one word from those of the other. */
struct distance_rows {
	unsigned int before[SPELLING_SIZE], last[SPELLING_SIZE],
		next[SPELLING_SIZE];
};

static unsigned int least_edits(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static void fill_row(struct distance_rows *r, const char *a, size_t i,
		     const char *b)
{
	r->next[0] = (unsigned int)i + 1;
	for (size_t j = 0; b[j]; j++) {
		unsigned int here = r->last[j] + (a[i] != b[j]);

		here = least_edits(here,
				   least_edits(r->last[j + 1], r->next[j]) + 1);
		if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
			here = least_edits(here, r->before[j - 1] + 1);
		r->next[j + 1] = here;
	}
}

/* Both are shorter than SPELLING_SIZE. */
static unsigned int edit_distance(const char *a, const char *b)
{
	struct distance_rows r = { 0 };

	for (unsigned int j = 0; j <= strlen(b); j++)
		r.last[j] = j;
	for (size_t i = 0; a[i]; i++) {
		fill_row(&r, a, i, b);
		memcpy(r.before, r.last, sizeof(r.last));
		memcpy(r.last, r.next, sizeof(r.next));
	}
	return r.last[strlen(b)];
}

void spelling_begin(struct spelling *n, const char *wrong)
{
	*n = (struct spelling){ .wrong = wrong, .slips = UINT_MAX };
}

void spelling_try_as(struct spelling *n, const char *known, const char *meant)
{
	size_t length = strlen(n->wrong);
	unsigned int slips;

	if (length < 2 || length >= SPELLING_SIZE ||
	    strlen(known) >= SPELLING_SIZE)
		return;
	slips = edit_distance(n->wrong, known);
	if (slips > 1 && !strncmp(known, n->wrong, length))
		slips = 1;
	if (slips > 1 + length / 4 || slips >= n->slips)
		return;
	n->slips = slips;
	snprintf(n->best, sizeof(n->best), "%s", meant);
}

void spelling_try(struct spelling *n, const char *known)
{
	spelling_try_as(n, known, known);
}

const char *spelling_hint(struct spelling *n)
{
	if (n->slips == UINT_MAX)
		return ";";
	snprintf(n->hint, sizeof(n->hint), "; did you mean '%s'?", n->best);
	return n->hint;
}
