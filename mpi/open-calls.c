/* SPDX-License-Identifier: BSD-3-Clause */
/* open-calls.c - see open-calls.h. */
#include "mpi/open-calls.h"

static void describe_request(struct live_open_call *open,
			     const struct mpi_request *r)
{
	static const uint32_t directions[LIVE_EVENT_KINDS] = {
		[LIVE_EVENT_SEND] = LIVE_OPEN_SEND,
		[LIVE_EVENT_RECV] = LIVE_OPEN_RECEIVE,
	};
	const struct comm *comm = r->comm_id ? comm_find(r->comm) : NULL;

	if (comm && comm->id != r->comm_id)
		comm = NULL;
	open->comm = comm ? comm->ref : 0;
	open->peer = open_peer(comm, r->rank);
	open->tag = r->tag;
	open->direction = directions[r->kind];
}

void open_call_of_requests(const struct region *region,
			   const struct before *before)
{
	struct live_open_call *open = region->open;
	uint32_t count = 0;

	if (!open)
		return;
	for (int i = before->count - 1; i >= 0; i--) {
		const struct mpi_request *r = before->known[i];

		if (!r || !r->open)
			continue;
		count++;
		if (r->kind == LIVE_EVENT_RECV || count == 1)
			describe_request(open, r);
	}
	open->requests = count;
	if (count)
		return;
	open->comm = 0;
	open->peer = LIVE_OPEN_NONE;
	open->direction = LIVE_OPEN_CALL;
}
