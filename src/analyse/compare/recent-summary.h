/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recent-summary.h - what the ranks of a running job have done in the last
 * seconds, of one host or of several: sums of all, and some ranks and call
 * paths.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyse/compare/recent-looks.h"

enum {
	RECENT_PARTS = 20 /* of the time: by how much of it ranks are in MPI */
};

struct recent_row {
	uint64_t number; /* the rank, or the process */
	double sums[RECENT_SUMS];
	double age;      /* of the call that it is in, seconds; or NO_VALUE */
	uint64_t memory; /* 0: not known */
	double there;    /* of the time, in chosen call paths; or NO_VALUE */
	char *host, *doing;
};

struct recent_path {
	double seconds;
	char *text;
};

struct recent_summary {
	char *command;
	uint32_t world; /* ranks of the whole job; 0: no MPI's */
	bool has_mpi;
	bool one; /* of these, which is chosen */
	size_t hosts, processes;
	double seconds;           /* the longest of all hosts */
	double sums[RECENT_SUMS]; /* of all processes */
	uint32_t in_mpi[RECENT_PARTS];
	double path_seconds; /* of all paths */
	struct recent_row *rows;
	size_t row_count, row_room;
	struct recent_path *paths;
	size_t path_count, path_room;
};

/* What is shown, where that is not all; then other hosts are not asked. */
struct recent_choice {
	bool one; /* this rank or process alone */
	uint64_t rank;
	const char *word; /* call paths that have it; NULL: all */
};

/*
 * Of two looks at a run, with all ranks, and the call paths that have most.
 * Freed by recent_summary_fini(), also after a failure.  0, or -errno with a
 * reason.
 */
int recent_summarise(struct recent_summary *to, const struct run *before,
		     const struct run *now, double seconds,
		     const struct recent_choice *only);

/* The call paths of a summary that has its ranks: recent-paths.c. */
int recent_paths_add(struct recent_summary *to, const struct run *before,
		     const struct run *now, const struct recent_choice *only);

/* One more, whose text is taken.  False: no memory. */
bool recent_path_add(struct recent_summary *to, double seconds, char *text);

/* Add another host's, which is empty then.  0, or -ENOMEM. */
int recent_summary_add(struct recent_summary *to, struct recent_summary *from);

/* The ranks that are waited for first, and the paths that have most. */
void recent_summary_sort(struct recent_summary *s);

void recent_summary_fini(struct recent_summary *s);

/* So much of the time, 0 to 1, half of the ranks are in MPI at least. */
double recent_half_in_mpi(const struct recent_summary *s);

/*
 * As lines of text for another host: sums, the first ten ranks and six paths;
 * it is sorted.  Some 2 kB.
 */
void recent_summary_write(FILE *to, const struct recent_summary *s);

/* What that wrote.  0; -EINVAL: it is something else; or -ENOMEM. */
int recent_summary_read(struct recent_summary *to, FILE *from);
