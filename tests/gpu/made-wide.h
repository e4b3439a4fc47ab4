/* SPDX-License-Identifier: BSD-3-Clause */
/* made-wide.h - many deep call paths; prints what CPU time a call takes. */
#pragma once

void wide(long steps);
