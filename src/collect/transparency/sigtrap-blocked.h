/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigtrap-blocked.h - the program's own SIGTRAP while the program has it
 * blocked.
 *
 * It is not blocked in truth, since timer signals have to get through: one that
 * the program sends to itself is kept until it unblocks the signal or waits for
 * it. One is kept for the process, as of any signal that does not queue.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

/* Does the calling thread block it, as far as the program knows? */
SIGSAFE bool sigtrap_blocked(void);

/*
 * Around the start of a thread: it begins with the signal blocked in truth when
 * its creator blocks it, or what comes before sigtrap_started() would not be
 * kept. sigtrap_before_start() returns the mask for sigtrap_after_start().
 */
uint64_t sigtrap_before_start(void);
void sigtrap_after_start(uint64_t mask);
void sigtrap_started(void);

/* Will it, when it changes its mask like this? */
bool sigtrap_will_block(int how, const sigset_t *set);

/*
 * After it has: `old` says what was.  Unblocked, a kept signal is delivered at
 * once.
 */
void sigtrap_follow_mask(bool wish, sigset_t *old);

/* In the handler: keeps one that came; false: the thread does not block it. */
SIGSAFE bool sigtrap_keep(const siginfo_t *info);
