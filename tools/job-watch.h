/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job-watch.h - looks at a running job again and again, on this host and
 * through the parents on others.  Each look copies the live profiles and merges
 * the copies; what came between two looks is of interest.
 */
#pragma once

#include <stdbool.h>

#include "analyse/compare/recent-summary.h"
#include "launch/inquiry.h"

struct run;

struct job_watch {
	const char *word; /* which run; NULL: the newest */
	double delay;     /* between looks, seconds */
	double patience;  /* so long it may take to begin, seconds */
	bool alone;       /* other hosts are not asked */
	struct recent_choice only;
	char *name;               /* its directory; NULL: not known yet */
	struct run *before, *now; /* on this host; NULL: nothing runs here */
	double before_s, now_s;
	struct inquiry others;
	double begun_s;
};

/* Of CLOCK_MONOTONIC. */
double job_watch_clock(void);

/*
 * Look until there is something to see, for `delay` or `patience` at most; then
 * once more each time.  0; -ENOENT or -ENODATA with a reason: it is over, or
 * never was; or -errno with a reason.
 */
int job_watch_first(struct job_watch *w);
int job_watch_look(struct job_watch *w);

/*
 * What came between the last two looks, of all hosts that answer; what is
 * chosen, of this one.
 */
int job_watch_summary(struct recent_summary *to, const struct job_watch *w);

/* Ranks or call paths: then other hosts are left out. */
bool job_watch_chooses(const struct job_watch *w);

/* Hosts have not answered yet, but may. */
bool job_watch_expects(const struct job_watch *w);

/* The hosts that should have answered by now; to be freed; NULL: none. */
char *job_watch_silent(const struct job_watch *w);

/*
 * For a copse top on another host: write what this host's ranks do into
 * `folder` again and again, until nobody asks there or the run ends here.
 * Looking takes a twentieth of a core at most.
 */
int job_watch_answer(struct job_watch *w, const char *folder);

void job_watch_fini(struct job_watch *w);
