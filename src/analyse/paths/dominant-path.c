/* SPDX-License-Identifier: BSD-3-Clause */
/* dominant-path.c - walk down from the root as long as one callee has most of
 * it. */
#include <stdlib.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "analyse/paths/dominant-path.h"
#include "analyse/paths/own-paths.h"
#include "analyse/paths/paths.h"
#include "base/err.h"

struct dominant_search {
	const struct paths *paths;
	const double *own;
	double *below; /* with what is called */
	uint32_t known;
};

/* What a sentence makes one is one. */
static void fold_own_time(const struct paths *paths, double *own)
{
	for (uint32_t p = 1; p < paths->count; p++) {
		uint32_t said = own[p] > 0 ? paths_said(paths, p) : p;
		double seconds = own[p];

		own[p] = 0;
		own[said] += seconds;
	}
}

static uint32_t descend_dominant(const struct dominant_search *s, double least)
{
	uint32_t at = 0, next = 0;

	do {
		at = next;
		for (uint32_t c = at + 1; c < s->paths->at[at].end;
		     c = s->paths->at[c].end)
			if (s->below[c] >= least &&
			    (next == at || s->below[c] > s->below[next]))
				next = c;
	} while (next != at);
	return at;
}

/* The path with so many seconds; .path 0: none. */
static int find_dominant(struct mainly *to, const struct dominant_search *s,
			 double least)
{
	uint32_t p = descend_dominant(s, least), called;
	bool known = p <= s->known && s->known < s->paths->at[p].end;
	double sum;
	int err;

	*to = (struct mainly){ p, known ? s->own[p] : s->below[p] };
	if (p && s->own[p] < least &&
	    interpreter_owns(s->paths->run, s->paths->at[p].node)) {
		err = interpreter_called(s->paths, p, s->own, &called, &sum);
		if (err)
			return err;
		if (sum >= least)
			*to = (struct mainly){ called, sum };
	}
	if (to->seconds < least)
		to->path = 0;
	return 0;
}

int dominant_in(struct mainly *to, const struct paths *paths, double *own,
		uint32_t known)
{
	return dominant_from(to, paths, own, known, MAINLY);
}

int dominant_from(struct mainly *to, const struct paths *paths, double *own,
		  uint32_t known, double most)
{
	static const double shares[] = { MAINLY, MAINLY_HALF, MAINLY_FAIR };
	struct dominant_search s = { paths, own, NULL, known };
	double *sampled = calloc(paths->count + 1, sizeof(*sampled));
	int err = 0;

	*to = (struct mainly){ 0 };
	s.below = calloc(paths->count + 1, sizeof(*s.below));
	if (!s.below || !sampled) {
		err = no_memory();
		goto out;
	}
	memcpy(sampled, own, paths->count * sizeof(*own));
	fold_own_time(paths, own);
	for (size_t p = paths->count; p-- > 0;) {
		s.below[p] += own[p];
		if (p)
			s.below[paths->at[p].parent] += s.below[p];
	}
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && !err &&
			   !to->path && s.below[0] > 0;
	     i++)
		if (shares[i] <= most)
			err = find_dominant(to, &s, shares[i] * s.below[0]);
	if (to->path)
		to->mostly =
			paths_mostly(paths, to->path, sampled, to->seconds);
out:
	free(sampled);
	free(s.below);
	return err;
}
