/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-causes.h - the causes of waiting by call path: who waited where, for
 * which rank, and where that was meanwhile.
 *
 * Ownership   The paths must outlive it.
 */
#pragma once

#include "analyse/paths/paths.h"

/* One kind of waiting at one call path, for one rank. */
struct blame {
	uint32_t kind;         /* enum wait_kind */
	uint32_t victim;       /* path */
	uint32_t culprit;      /* index into run->ranks, or WAIT_OTHERS */
	double seconds, error; /* 95 of 100 times within; clocks counted */
	double clock;          /* of error: clocks that differ, at most */
	double indirect, early;
	uint64_t instances;
	size_t first_row, rows;       /* the largest first */
	size_t helpers;               /* rows behind these, of helpers */
	size_t first_victim, victims; /* by rank */
};

struct blame_row {               /* a part of it: while the culprit was there */
	uint32_t blame, context; /* path */
	bool unsampled;          /* no sample says so */
	bool helpers; /* CPU time of its threads without MPI: no part of it */
	double seconds, error;
	uint64_t samples;
};

struct blame_victim {
	uint32_t blame, rank; /* index into run->ranks */
	double seconds;
};

struct blames {
	const struct paths *paths;
	struct blame *at; /* the largest first */
	struct blame_row *rows;
	struct blame_victim *victims;
	size_t count, row_count, victim_count;
	double run_seconds; /* of all ranks: what shares are of */
	double seconds;     /* waited in all */
};

/* 0, or -ENOMEM with a reason. */
int wait_blames_init(struct blames *blames, const struct paths *paths);
void wait_blames_fini(struct blames *blames);

/* Of each enum wait_kind, as programs and as readers know it. */
extern const struct wait_name {
	const char *name, *title;
} wait_names[];

/*
 * "0–62": the ranks that waited most in these blames, together `share` of it;
 * *victims is how many there are.  To be freed; NULL when out of memory.
 */
char *wait_blames_victims(const struct blames *blames,
			  const struct blame *const *of, size_t count,
			  double share, size_t *victims);
