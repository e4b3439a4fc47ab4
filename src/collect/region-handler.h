/* SPDX-License-Identifier: BSD-3-Clause */
/* region-handler.h - regions as the handler sees them; region.h is the callers'
 * side. */
#ifndef COLLECT_REGION_HANDLER_H
#define COLLECT_REGION_HANDLER_H

#include "base/sigsafe.h"
#include "collect/region.h"
#include "collect/thread.h"

/* The innermost region that is still alive at stack pointer sp, or NULL. */
SIGSAFE struct region *known_region(struct thread *t, uintptr_t sp);

/* The region's node, found now when it was not yet; 0 and *why else. */
SIGSAFE live_ref known_node(struct thread *t, struct region *r, int *why);

/* The tick that came while the region was left, t->late, is the region's. */
void known_late(struct thread *t, live_ref node);

#endif
