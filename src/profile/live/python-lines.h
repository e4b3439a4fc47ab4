/* SPDX-License-Identifier: BSD-3-Clause */
/* python-lines.h - source lines of the bytecode of Python. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The line of the instruction that begins `at` bytes into a function, by its
 * first line and its table, as that version of Python has it: co_linetable from
 * 3.11 on (Objects/locations.md) and of 3.10 (Objects/lnotab_notes.txt), before
 * that co_lnotab; 0: it has none.  Below 0, where the table ends early or is
 * damaged: the first line.
 */
uint32_t python_line(uint32_t version, const uint8_t *table, size_t size,
		     uint32_t first, int64_t at);
