/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-join.h - what ranks did in the end, of parts of one run: each host has
 * merged its own.
 */
#pragma once

#include "run/run.h"

/*
 * Add to `to`, which is all zero at first, what `from` has of its processes,
 * their last calls, communicators and problems, with the call paths of these
 * calls; nothing else.  0, or -ENOMEM with a reason.
 */
int run_join_ends(struct run *to, const struct run *from);
