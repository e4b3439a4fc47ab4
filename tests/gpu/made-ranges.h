/* SPDX-License-Identifier: BSD-3-Clause */
/* made-ranges.h - see made-ranges.c. */
#pragma once

/* In a range "outer", twice in "inner" inside of it, in "wide", in none. */
void ranges(void (*work)(void));

/*
 * So many times "Train step N", whose begins and ends are printed, then "layer
 * N" and "conv2d".
 */
void ranges_steps(int count);

/* So many ranges in one, faster than there is room for; each tenth has work. */
void ranges_many(int count);

/* Three of five are measured, two of them in part; prints for how long. */
void ranges_paused(void);
