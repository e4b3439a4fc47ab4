/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-origin.h - tells signals sent to this process alone from signals sent
 * to its process group: a process that does nothing but take the signals of the
 * group and tell which came.
 *
 * A launcher signals the group, so the program has such a signal already; one
 * that was sent to `copse run` alone must be passed on.
 */
#ifndef LAUNCH_SIGNAL_ORIGIN_H
#define LAUNCH_SIGNAL_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	ORIGIN_SIGNALS = 65
};

struct signal_origin { /* all zero: none */
	pid_t pid;
	int pipe;                         /* one byte for each signal it got */
	uint64_t seen_ns[ORIGIN_SIGNALS]; /* last report not yet asked for */
};

/*
 * Start one.  All signals must be blocked.  Without one (-errno with a reason)
 * every signal counts as sent to this process alone: better twice than never.
 */
int signal_origin_start(struct signal_origin *s);
void signal_origin_stop(struct signal_origin *s);

/* Whether the signal that this process just took came to the whole group. */
bool signal_origin_is_group(struct signal_origin *s, int signo);

#endif
