/* SPDX-License-Identifier: BSD-3-Clause */
/* made-allocs.h - see made-allocs.c. */
#pragma once

void allocs(void);
void allocs_leak(void);
void allocs_late(void);
void allocs_once(void);
void allocs_reset(void);
void allocs_shapes(void);
