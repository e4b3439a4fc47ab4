/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - sentences on what ranks did in the end, when the job stood still. */
#pragma once

#include "analyse/base/report.h"
#include "run/call-paths.h"

/*
 * Whom most ranks waited for, if the run ended while they did for long.  0, or
 * -ENOMEM with a reason.
 */
int ends_findings(struct report *report, const struct paths *paths);

/* A sample so old: the process did not compute any more. */
#define ENDS_RECENTLY_NS 1000000000u

/* "MPI_Recv ← get ← main (get.c:12)", of a context; to be freed. */
char *ends_where(const struct paths *paths, uint32_t node);

/*
 * " at address 0x10 in update ← main (a.c:5)", of a process that wrote down
 * what it died of; ", last sampled 6 ms before in update ← main (a.c:2)", of
 * another that had a core until its end; or "".  To be freed; NULL: no memory.
 */
char *ends_last_place(const struct paths *paths, size_t process);

/* Of a run that goes on and was looked at twice. */
enum ends_state {
	ENDS_MOVES,   /* ranks complete calls, or are stopped, or none waits */
	ENDS_OUTSIDE, /* none does, but some are outside MPI: it may be slow */
	ENDS_STUCK    /* all that have not ended are in MPI */
};

struct ends_judgement {
	enum ends_state state;
	uint64_t age_ns; /* since when the one that waits longest does */
};

/* 0, or -ENOMEM with a reason. */
int ends_judge(struct ends_judgement *to, const struct run *run);
