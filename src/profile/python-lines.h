/* SPDX-License-Identifier: BSD-3-Clause */
/* python-lines.h - source lines of the bytecode of Python. */
#ifndef PROFILE_PYTHON_LINES_H
#define PROFILE_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The line of the instruction that begins `at` bytes into a function, by its
 * co_linetable, as Python 3.11 and later have it (Objects/locations.md), and
 * by its first line; 0: it has none.  Below 0, where the table ends early or is
 * damaged: the first line.
 */
uint32_t python_line(const uint8_t *table, size_t size, uint32_t first,
		     int64_t at);

#endif
