/* SPDX-License-Identifier: BSD-3-Clause */
/* made-wide.h - many deep call paths; prints what CPU time a call takes. */
#ifndef TESTS_GPU_MADE_WIDE_H
#define TESTS_GPU_MADE_WIDE_H

void wide(long steps);

#endif
