/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests.c - a table of open addressing, whose holes are closed when a
 * request goes, so that it stays short; records lie side by side.  It is
 * mapped for the first request: most processes have none.
 */
#include "mpi/requests.h"

#include <stdlib.h>

#include "base/sys.h"
#include "mpi/handles.h"
#include "mpi/messages.h"
#include "mpi/libmpi.h"

#include MPI_LIBRARY

enum {
	SLOTS = 32768,
	RECORDS = SLOTS / 4 * 3
};

static struct {
	struct {
		uintptr_t key; /* 0: free */
		uint32_t record;
	} slots[SLOTS];
	struct mpi_request records[RECORDS];
	uint32_t free[RECORDS];
} * table;
static uint32_t free_count, used_count;

static uint32_t home_slot(uintptr_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 49);
}

static uint32_t request_slot(uintptr_t key)
{
	uint32_t at = home_slot(key);

	while (table->slots[at].key && table->slots[at].key != key)
		at = (at + 1) % SLOTS;
	return at;
}

/* Of a slot that is taken. */
static struct mpi_request *record_of(uint32_t slot)
{
	return &table->records[table->slots[slot].record];
}

/* Of a request that is known; SLOTS: it is not. */
static uint32_t known_slot(MPI_Request handle)
{
	uint32_t at = table ? request_slot(handle_key(handle)) : SLOTS;

	return at < SLOTS && table->slots[at].key ? at : SLOTS;
}

static struct mpi_request *find_request(MPI_Request handle)
{
	uint32_t at = known_slot(handle);

	return at < SLOTS ? record_of(at) : NULL;
}

/* As little as it takes: this is most of what an MPI_Isend costs. */
void request_reset(struct mpi_request *r)
{
	r->held = 0;
	r->replaced = false;
	r->has_event = r->open = r->cancelled = r->any = r->persistent = false;
	r->kind = LIVE_EVENT_SEND;
	r->rank = MPI_PROC_NULL;
	r->partner = NULL;
	r->call = NULL;
	r->comm_id = 0;
	r->moves = (struct region_values){ 0 };
}

/* Whoever stands behind the hole because of it moves into it. */
static void close_hole(uint32_t hole)
{
	for (uint32_t at = (hole + 1) % SLOTS; table->slots[at].key;
	     at = (at + 1) % SLOTS) {
		uint32_t home = home_slot(table->slots[at].key);

		if ((at - home) % SLOTS < (at - hole) % SLOTS)
			continue;
		table->slots[hole] = table->slots[at];
		hole = at;
	}
	table->slots[hole].key = 0;
}

static void free_record(uint32_t record)
{
	table->free[free_count++] = record;
}

static void forget_request(MPI_Request handle)
{
	uint32_t at = known_slot(handle);

	if (at == SLOTS)
		return;
	if (record_of(at)->held)
		record_of(at)->replaced = true;
	else
		free_record(table->slots[at].record);
	close_hole(at);
}

/* NULL: there is no room. */
static struct mpi_request *insert_request(MPI_Request handle)
{
	struct mpi_request *r;
	uint32_t at;

	if (!table && !(table = sys_memory(sizeof(*table))))
		return NULL;
	at = request_slot(handle_key(handle));
	if (table->slots[at].key && record_of(at)->held) {
		forget_request(handle);
		at = request_slot(handle_key(handle));
	}
	if (!table->slots[at].key) {
		if (!free_count && used_count == RECORDS)
			return NULL;
		table->slots[at].key = handle_key(handle);
		table->slots[at].record =
			free_count ? table->free[--free_count] : used_count++;
	}
	r = record_of(at);
	request_reset(r);
	return r;
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
		if (table->records[i].open)
			table->records[i].open = false;
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
		if (r->persistent && mpi_statuses_hide_errors())
			return false;
		wants = wants || r->kind == LIVE_EVENT_RECV || r->cancelled;
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
	return request == pmpi.no_request || mpi_request_is_complete(request);
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
			free_record((uint32_t)(r - table->records));
	}
	messages_unlock();
}

void requests_take(struct before *before, const struct region *region,
		   int count, const MPI_Request requests[],
		   MPI_Status **statuses)
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

void requests_end(struct before *before, bool success,
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
