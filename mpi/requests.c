/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests.c - a table of open addressing, whose holes are closed when a
 * request goes, so that it stays short; records lie side by side.
 */
#include "mpi/requests.h"

#include <stdlib.h>

#include "mpi/handles.h"
#include "mpi/messages.h"
#include "mpi/libmpi.h"

#include MPI_LIBRARY

enum {
	SLOTS = 32768,
	RECORDS = SLOTS / 4 * 3
};

static struct {
	uintptr_t key; /* 0: free */
	uint32_t record;
} slots[SLOTS];

static struct mpi_request records[RECORDS];
static uint32_t free_records[RECORDS], free_count, used_count;

static uint32_t home_slot(uintptr_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 49);
}

static uint32_t request_slot(uintptr_t key)
{
	uint32_t at = home_slot(key);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) % SLOTS;
	return at;
}

static struct mpi_request *find_request(MPI_Request handle)
{
	uint32_t at = request_slot(handle_key(handle));

	return slots[at].key ? &records[slots[at].record] : NULL;
}

/* As little as it takes: this is most of what an MPI_Isend costs. */
void request_reset(struct mpi_request *r)
{
	r->held = 0;
	r->replaced = false;
	r->has_part = r->open = r->cancelled = r->any = r->persistent = false;
	r->kind = LIVE_PART_SEND;
	r->rank = MPI_PROC_NULL;
	r->partner = NULL;
	r->call = NULL;
	r->comm_id = 0;
	r->moves = (struct region_values){ 0 };
}

/* Whoever stands behind the hole because of it moves into it. */
static void close_hole(uint32_t hole)
{
	for (uint32_t at = (hole + 1) % SLOTS; slots[at].key;
	     at = (at + 1) % SLOTS) {
		uint32_t home = home_slot(slots[at].key);

		if ((at - home) % SLOTS < (at - hole) % SLOTS)
			continue;
		slots[hole] = slots[at];
		hole = at;
	}
	slots[hole].key = 0;
}

static void free_record(uint32_t record)
{
	free_records[free_count++] = record;
}

static void forget_request(MPI_Request handle)
{
	uint32_t at = request_slot(handle_key(handle));
	struct mpi_request *r = &records[slots[at].record];

	if (!slots[at].key)
		return;
	if (r->held)
		r->replaced = true;
	else
		free_record(slots[at].record);
	close_hole(at);
}

static struct mpi_request *insert_request(MPI_Request handle)
{
	uint32_t at = request_slot(handle_key(handle));

	if (slots[at].key && records[slots[at].record].held) {
		forget_request(handle);
		at = request_slot(handle_key(handle));
	}
	if (!slots[at].key) {
		if (!free_count && used_count == RECORDS)
			return NULL;
		slots[at].key = handle_key(handle);
		slots[at].record =
			free_count ? free_records[--free_count] : used_count++;
	}
	request_reset(&records[slots[at].record]);
	return &records[slots[at].record];
}

struct mpi_request *request_find(MPI_Request handle)
{
	struct mpi_request *r;

	messages_lock();
	r = find_request(handle);
	messages_unlock();
	return r;
}

struct mpi_request *request_new(MPI_Request handle)
{
	struct mpi_request *r;

	messages_lock();
	r = insert_request(handle);
	messages_unlock();
	return r;
}

void requests_forked(void)
{
	for (uint32_t i = 0; i < used_count; i++)
		if (records[i].open)
			records[i].open = false;
}

void request_forget(MPI_Request handle)
{
	messages_lock();
	forget_request(handle);
	messages_unlock();
}

void request_done(MPI_Request handle, const struct mpi_request *r)
{
	messages_lock();
	if (!r->replaced)
		forget_request(handle);
	messages_unlock();
}

struct region_values *request_keep(MPI_Request handle)
{
	static struct region_values nowhere;
	struct mpi_request *r = request_new(handle);

	if (!r)
		return &nowhere;
	r->persistent = true;
	return &r->moves;
}

struct region_values request_sum(int count, const MPI_Request list[])
{
	struct region_values sum = { 0 };

	for (int i = 0; i < count; i++) {
		const struct mpi_request *r = request_find(list[i]);

		if (!r)
			continue;
		sum.sent += r->moves.sent;
		sum.received += r->moves.received;
	}
	return sum;
}

static bool wants_statuses(const struct before *before)
{
	bool wants = false;

	for (int i = 0; i < before->count; i++) {
		const struct mpi_request *r = before->known[i];

		if (!r)
			continue;
		if (r->persistent && statuses_hide_errors())
			return false;
		wants = wants || r->kind == LIVE_PART_RECV || r->cancelled;
	}
	return wants;
}

static bool make_request_room(struct before *before, size_t n)
{
	before->requests = before->here;
	before->known = before->known_here;
	if (n <= sizeof(before->here) / sizeof(*before->here))
		return true;
	before->known = malloc(
		n * (sizeof(*before->known) + sizeof(*before->requests)));
	before->requests = (MPI_Request *)(before->known + n);
	return before->known;
}

/* None, or that of MPI's own which all get that are complete at once. */
static bool is_nobodys(MPI_Request request)
{
	return request == pmpi.no_request || request_is_complete(request);
}

static void hold_all(struct before *before, const MPI_Request requests[])
{
	messages_lock();
	for (int i = 0; i < before->count; i++) {
		struct mpi_request *r = is_nobodys(requests[i])
						? NULL
						: find_request(requests[i]);

		if (r)
			r->held++;
		before->requests[i] = requests[i];
		before->known[i] = r;
	}
	messages_unlock();
}

static void let_go_all(const struct before *before)
{
	messages_lock();
	for (int i = 0; i < before->count; i++) {
		struct mpi_request *r = before->known[i];

		if (r && !--r->held && r->replaced)
			free_record((uint32_t)(r - records));
	}
	messages_unlock();
}

void before_take(struct before *before, const struct region *region, int count,
		 const MPI_Request requests[], MPI_Status **statuses)
{
	size_t n = count > 0 && requests && !region->nested ? (size_t)count : 0;

	before->statuses = NULL;
	before->count = make_request_room(before, n) ? (int)n : 0;
	if (!before->count)
		return;
	hold_all(before, requests);
	if (!statuses || *statuses != MPI_STATUSES_IGNORE ||
	    !wants_statuses(before))
		return;
	if (before->known == before->known_here)
		before->statuses = before->statuses_here;
	else
		before->statuses = malloc(n * sizeof(**statuses));
	if (before->statuses)
		*statuses = before->statuses;
}

void before_end(struct before *before, bool success,
		const MPI_Request requests[])
{
	for (int i = 0; !success && i < before->count; i++)
		if (requests[i] == pmpi.no_request && before->known[i])
			request_done(before->requests[i], before->known[i]);
	let_go_all(before);
	if (before->known == before->known_here)
		return;
	free(before->known);
	free(before->statuses);
}
