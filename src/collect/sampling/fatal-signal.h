/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fatal-signal.h - where a process is when it dies of a fault or of abort().
 *
 * Where the program has the default action for SIGSEGV, SIGBUS, SIGFPE, SIGILL
 * or SIGABRT, a handler of ours is installed, which the program is not shown.
 * It writes the path down and has the process die of the same signal.
 * doc/decisions/crashes.md
 *
 * Signals   May be called in handlers, as sigaction() may.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* For each of them, once. */
void fatal_signals_init(void);

/* After the program has set an action for a signal, one of these or not. */
void fatal_signal_follow(int signum);

/* Such a handler is ours: the program has the default action. */
bool fatal_signal_hides(const void *handler);

/* The action that the program has, in place of ours; of others, itself. */
void fatal_signal_show(int signum, struct sigaction *action);
