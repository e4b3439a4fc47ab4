/* SPDX-License-Identifier: BSD-3-Clause */
/* made-ranges.h - see made-ranges.c. */
#pragma once

/* In a range "outer", twice in "inner" inside of it, in "wide", in none. */
void ranges(void (*work)(void));

/* Three of five are measured, two of them in part; prints for how long. */
void ranges_paused(void);
