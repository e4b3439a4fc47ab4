/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-choice.h - some processes of a run: those that a user names, or those
 * that show most.
 *
 * Ownership   A choice owns its rows, which say nothing of the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

struct rank_pick {
	uint32_t process; /* index into run->ranks */
	const char *why;  /* "waited most"; NULL: it was named */
	size_t like;      /* typical of so many; 0: of none */
};

struct rank_choice { /* all zero: nothing chosen */
	struct rank_pick *at;
	size_t count, room;
	bool all; /* every process of the run */
};

void rank_choice_fini(struct rank_choice *choice);

/*
 * "all", or "0-3,17": of a run without MPI, pids.  0; -EINVAL with a reason:
 * no such list, or the run has no such process; -ENOMEM.
 */
int rank_choice_named(struct rank_choice *choice, const struct run *run,
		      const char *list);

/*
 * All where there are no more than `most`, else so many members: those whom
 * others waited for and who waited for these, as findings say; the extremes;
 * and one that is typical of each group.  A group is members that follow one
 * another by their time in MPI, without MPI by CPU time, with no gap of more
 * than an eighth of the range.  0, or -ENOMEM with a reason.
 */
int rank_choice_telling(struct rank_choice *choice, const struct run *run,
			size_t most);

/*
 * "rank 0 (others waited for it), 3 (typical of 41)"; to be freed, NULL when
 * out of memory.
 */
char *rank_choice_text(const struct rank_choice *choice, const struct run *run);
