/* SPDX-License-Identifier: BSD-3-Clause */
/* host-look.h - what the ranks of a run do on this host, seen twice. */
#pragma once

#include <stdbool.h>

struct live_run;
struct run;

/*
 * A run of what there is now; to be freed.  As a part, it does not say which
 * ranks are on other hosts.  0; -ENODATA with a reason: no
 * process has done anything yet; or -errno with a reason.
 */
int host_run(struct run **to, struct live_run *live, bool part);

/*
 * Add that to `to` (run-join.h), `between` seconds after the first look.  Until
 * then copies of the live profiles are in $TMPDIR.  0, or -errno with a reason.
 */
int host_look(struct run *to, struct live_run *live, double between);
