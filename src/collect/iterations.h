/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iterations.h - the window of --iterations: it begins and ends with marks of
 * the program, or with collective calls.
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A phase, or a range, begins; true: iterations_mark_ends() is due with it. */
bool iterations_mark_begins(const char *group, const char *text);
void iterations_mark_ends(void);

/* So many calls were made; at which call this is due next. */
uint64_t iterations_turn(uint64_t calls);
