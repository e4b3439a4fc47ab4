/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aftermath.h - the end of a run, in a process of its own: profiles are written
 * and summed up there.
 *
 * The exit status is the program's, so `copse run` must survive what some forty
 * libraries do in their constructors when memory is limited (ulimit -v): GnuTLS
 * ends the process.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "launch/harvest.h"

enum aftermath_work {
	AFTERMATH_FINISH,   /* finish.h, with the harvest */
	AFTERMATH_CONCLUDE, /* conclude.h, of the harvest's output */
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
