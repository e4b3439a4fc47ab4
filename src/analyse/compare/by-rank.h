/* SPDX-License-Identifier: BSD-3-Clause */
/* by-rank.h - two sides of runs, rank by rank: who got slower? */
#pragma once

#include "analyse/compare/compare.h"

/*
 * Inclusive values of some paths, means of a side: those of path number `row`
 * are at[(row + 1) * ranks + rank].
 */
struct by_rank {
	size_t ranks; /* 0: the runs have different numbers of them, or one */
	double *base, *now;
};

/* Of paths[0 … rows - 1].  0, or -errno with a reason. */
int by_rank_init(struct by_rank *b, const struct sides *s, const char *metric,
		 const uint32_t *paths, size_t rows);
void by_rank_fini(struct by_rank *b);

/* What a rank has more of now. */
double by_rank_change(const struct by_rank *b, size_t row, size_t rank);

/* The rank whose value of a row changed most, as the sum over ranks did. */
size_t by_rank_most(const struct by_rank *b, size_t row, double change);

/* Rows to be asked for at once, so that memory is bounded. */
size_t by_rank_rows(const struct sides *s);
