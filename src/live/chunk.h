/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk.h - lists of equal records in a live profile that only grow, a chunk
 * at a time: the writer.
 *
 * Threads   One writer for each list.
 * Signals   All may run in a handler; not re-entrant: the caller guards.
 */
#pragma once

#include <stdbool.h>

#include "live/arena.h"

struct chunk_list {     /* all zero: empty */
	live_ref chunk; /* the one that is being filled */
	uint32_t room;  /* records that still fit into it */
};

/*
 * Room for one more record, or 0 when memory is used up; chunk_commit() makes
 * it visible.  `head` is where the profile keeps the first chunk.
 */
SIGSAFE live_ref chunk_take(struct arena *arena, struct chunk_list *list,
			    live_ref *head, uint32_t record);
SIGSAFE void chunk_commit(struct arena *arena, struct chunk_list *list);

/* Where in a list a record stands; all zero: at its first one. */
struct chunk_cursor {
	live_ref chunk;
	uint32_t at;
};

/*
 * The record under the cursor, in the next chunk where that one has no more,
 * and in a new chunk behind the last; 0 when memory is used up.  chunk_wrote()
 * says that it is written, and goes on to the next one.  Such a list is not for
 * chunk_take().
 */
SIGSAFE live_ref chunk_seek(struct arena *arena, struct chunk_cursor *cursor,
			    live_ref *head, uint32_t record);
SIGSAFE void chunk_wrote(struct arena *arena, struct chunk_cursor *cursor);

/*
 * Keep only the records that keep() says, in their order: how many are left.
 * A copy of the profile made meanwhile has a list that cannot be used.
 */
SIGSAFE uint32_t chunk_filter(struct arena *arena, struct chunk_list *list,
			      live_ref head, uint32_t record,
			      bool (*keep)(const void *record, void *context),
			      void *context);
