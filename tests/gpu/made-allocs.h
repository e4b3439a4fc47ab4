/* SPDX-License-Identifier: BSD-3-Clause */
/* made-allocs.h - see made-allocs.c. */
#ifndef TESTS_GPU_MADE_ALLOCS_H
#define TESTS_GPU_MADE_ALLOCS_H

void allocs(void);
void allocs_leak(void);
void allocs_late(void);
void allocs_once(void);
void allocs_reset(void);
void allocs_shapes(void);

#endif
