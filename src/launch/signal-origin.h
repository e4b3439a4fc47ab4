/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-origin.h - whether a signal was sent to this process alone or to its
 * process group.  A helper process of the same group reports each signal that
 * it gets, too.
 *
 * A launcher signals the group, so the program gets that signal itself.  A
 * signal to `copse run` alone must be passed on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	ORIGIN_SIGNALS = 65
};

struct signal_origin { /* all zero: none */
	pid_t pid;
	int pipe;                         /* one byte for each signal it got */
	uint64_t seen_ns[ORIGIN_SIGNALS]; /* the last unused report of each */
};

/*
 * Start the helper.  All signals must be blocked.  After a failure (-errno with
 * a reason) every signal counts as sent to this process alone: the program then
 * gets some twice, but misses none.
 */
int signal_origin_start(struct signal_origin *s);
void signal_origin_stop(struct signal_origin *s);

/* Whether the signal that this process just took was sent to its group. */
bool signal_origin_is_group(struct signal_origin *s, int signo);
