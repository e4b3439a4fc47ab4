/* SPDX-License-Identifier: BSD-3-Clause */
/* epochs.c - epochs are counted by partner, and kept as messages. */
#include "mpi/epochs.h"

#include <stdlib.h>

#include "mpi/messages.h"
#include "mpi/libmpi.h"
#include "mpi/mpi-events.h"
#include "mpi/windows.h"

/* What waits for what; together with the epoch's number. */
enum way {
	POST_TO_START,
	POST_TO_COMPLETE,
	COMPLETE_TO_WAIT,
	WAYS
};

static bool are_ranks_known(const struct epoch *e)
{
	for (int i = 0; i < e->count; i++)
		if (e->ranks[i] < 0)
			return false;
	return true;
}

/* All of `members`: false, out of memory, or not in the window. */
static bool open_epoch(struct epoch *e, MPI_Group members, MPI_Win win,
		       int size)
{
	MPI_Group all;
	bool ok;
	int *own;

	pmpi.Group_size(members, &e->count);
	own = calloc((size_t)e->count + 1, sizeof(*own));
	if (!e->numbers)
		e->numbers = calloc((size_t)size, sizeof(*e->numbers));
	if (!e->ranks)
		e->ranks = calloc((size_t)size, sizeof(*e->ranks));
	ok = own && e->numbers && e->ranks && e->count <= size &&
	     pmpi.Win_get_group(win, &all) == MPI_SUCCESS;
	if (ok) {
		for (int i = 0; i < e->count; i++)
			own[i] = i;
		pmpi.Group_translate_ranks(members, e->count, own, all,
					   e->ranks);
		pmpi.Group_free(&all);
		ok = are_ranks_known(e);
	}
	free(own);
	if (!ok)
		e->count = 0;
	for (int i = 0; i < e->count; i++)
		e->numbers[e->ranks[i]]++;
	return ok;
}

/* The own end of each of an epoch's messages. */
static void keep_epoch(const struct region *region, const struct window *w,
		       const struct epoch *e, enum way way,
		       enum live_event_kind kind)
{
	for (int i = 0; i < e->count; i++) {
		int rank = e->ranks[i];
		struct live_event event;

		if (rank != w->as.rank &&
		    message_number_pair(&event, &w->as, rank, kind,
					e->numbers[rank] * (uint64_t)WAYS + way,
					e->numbers[rank]))
			event_keep(&event, region);
	}
}

void epoch_posted(const struct region *region, MPI_Group origins, MPI_Win win)
{
	struct window *w = window_find(handle_key(win));

	if (!w || !open_epoch(&w->exposure, origins, win, w->as.size))
		return;
	keep_epoch(region, w, &w->exposure, POST_TO_START, LIVE_EVENT_SEND);
	keep_epoch(region, w, &w->exposure, POST_TO_COMPLETE, LIVE_EVENT_SEND);
}

void epoch_started(const struct region *region, MPI_Group targets, MPI_Win win)
{
	struct window *w = window_find(handle_key(win));

	if (w && open_epoch(&w->access, targets, win, w->as.size))
		keep_epoch(region, w, &w->access, POST_TO_START,
			   LIVE_EVENT_RECV);
}

void epoch_completed(const struct region *region, MPI_Win win)
{
	struct window *w = window_find(handle_key(win));

	if (!w)
		return;
	keep_epoch(region, w, &w->access, POST_TO_COMPLETE, LIVE_EVENT_RECV);
	keep_epoch(region, w, &w->access, COMPLETE_TO_WAIT, LIVE_EVENT_SEND);
	w->access.count = 0;
}

void epoch_waited(const struct region *region, MPI_Win win)
{
	struct window *w = window_find(handle_key(win));

	if (!w)
		return;
	keep_epoch(region, w, &w->exposure, COMPLETE_TO_WAIT, LIVE_EVENT_RECV);
	w->exposure.count = 0;
}
