/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * range.h - spans of time that a program starts and ends, on any thread and in
 * any order, unlike phases, which nest: their number and time are kept, what
 * happens in them is not told apart.
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 * Failure   Nothing fails visibly; what is lost is counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool copse_ranges_wanted(void);

/* What to end it by; 0: it is not measured. */
uint64_t copse_range_start(const char *name);
void copse_range_end(uint64_t id);
