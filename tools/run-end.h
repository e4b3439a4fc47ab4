/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-end.h - the end of a run, in a process of its own: profiles are written
 * and summed up there.
 *
 * The exit status is the program's, so `copse run` must survive what some forty
 * libraries do in their constructors when memory is limited (ulimit -v): GnuTLS
 * ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/settings.h"
#include "launch/harvest.h"
#include "launch/program.h"
#include "live/tally.h"

enum aftermath_work {
	AFTERMATH_FINISH,   /* finish_harvest() */
	AFTERMATH_CONCLUDE, /* conclude_print() of its output */
	AFTERMATH_PAGE      /* the same, with a page */
};

struct aftermath {
	struct harvest *harvest; /* borrowed; the rest: zero */
	pid_t pid;
	int pipe;
	bool useless; /* it has no tools, or has ended */
};

/*
 * Have it done, by a process that is started when there is none.  0, or -errno
 * with a reason.
 */
int aftermath_do(struct aftermath *a, enum aftermath_work work);

/* Ends the process. */
void aftermath_end(struct aftermath *a);

/*
 * conclude.c: where the time went, on stderr, and as a page for a browser.
 *
 * Print the summary of the profiles in a directory, and, where the page is
 * wanted and takes less than a second, write it there as CONCLUDE_PAGE.
 * `program`: its open file, or -1.  0, or -errno with a reason; without a page
 * there is a warning.
 */
#define CONCLUDE_PAGE "report.html"
int conclude_print(const char *directory, int program, bool page);

/* no-sample.c: why a run took no sample, as far as its parent can see. */

enum {
	NO_SAMPLE_SIZE = 256
};

struct no_sample {
	const struct settings *settings;
	const struct program *program;
	uint64_t run_ns, cpu_ns; /* of the program and what it started */
	struct live_tally tally; /* of all its processes */
};

/* Why a program that was started cannot be measured; NULL: none was seen. */
const char *no_sample_of_child(const struct live_tally *tally);

/* The reason; in `to`, if there are numbers in it. */
const char *no_sample_why(const struct no_sample *n, char to[NO_SAMPLE_SIZE]);
