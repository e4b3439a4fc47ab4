/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-process.c - what an MPI adapter says of the process: its event records,
 * communicators and peers. */
#include <string.h>

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/mpi-world-id.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/time.h"

PUBLIC const uint32_t *copse_mpi_event_level(void)
{
	return &wait_events_level;
}

PUBLIC void copse_mpi_event_add(const struct live_event *event)
{
	struct thread *t = thread_use();

	if (!t)
		return;
	wait_events_add(t, event);
	thread_release(t);
}

static live_ref put_text(const char *text)
{
	struct arena *arena = registry_open();
	size_t length = strlen(text);
	live_ref ref =
		arena_pages(arena, sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = arena_at(arena, ref);
	memcpy(to->text, text, length);
	to->length = (uint32_t)length;
	return ref;
}

PUBLIC void copse_mpi_init(int rank, int size, const char *library)
{
	struct thread *t = thread_use();
	struct live_header *header;

	/* What wrappers do outside of regions is their caller's. */
	unwind_hide(__builtin_return_address(0));
	if (!t) {
		if (collector.left_out)
			control_left_out(collector.left_out, rank);
		return;
	}
	header = registry_header();
	header->mpi_init_paused_ns = control_paused_ns();
	header->rank = rank;
	header->size = size;
	header->world_id = world_id(size, header->start_real_ns);
	header->mpi_thread = t->index;
	header->mpi_library = put_text(library);
	ticks_init();
	wait_events_init(size);
	header->mpi_init_ns = time_now(CLOCK_MONOTONIC);
	thread_release(t);
}

PUBLIC void copse_mpi_finalize(void)
{
	struct live_header *header = registry_header();

	if (!header)
		return;
	header->mpi_finalize_ns = time_now(CLOCK_MONOTONIC);
	header->mpi_finalize_paused_ns = control_paused_ns();
}

PUBLIC void copse_mpi_control(bool on)
{
	control_mpi(on);
}

PUBLIC void copse_mpi_abort(int code)
{
	struct live_header *header = registry_header();

	if (header)
		header->mpi_error = (uint32_t)code + 1;
}

PUBLIC void copse_mpi_spawned(uint32_t count)
{
	struct live_header *header = registry_header();

	if (header)
		__atomic_fetch_add(&header->spawned, count, __ATOMIC_RELAXED);
}

PUBLIC struct live_comm *copse_mpi_comm_new(live_ref *ref)
{
	struct thread *t = thread_use();
	struct live_comm *comm = NULL;

	if (!t)
		return NULL;
	*ref = registry_comm();
	if (*ref)
		comm = arena_at(t->tree.arena, *ref);
	thread_release(t);
	return comm;
}

PUBLIC void copse_mpi_comm_name(struct live_comm *comm, const char *name)
{
	struct thread *t = thread_use();

	if (!t)
		return;
	comm->name = put_text(name);
	thread_release(t);
}

PUBLIC struct live_peer *copse_mpi_peer_new(uint32_t rank)
{
	struct thread *t = thread_use();
	struct live_peer *peer = NULL;
	live_ref ref;

	if (!t)
		return NULL;
	ref = region_record(t, sizeof(*peer));
	if (ref) {
		peer = arena_at(t->tree.arena, ref);
		peer->rank = rank;
		peer->next = t->live->peers;
		__atomic_store_n(&t->live->peers, ref, __ATOMIC_RELEASE);
	}
	thread_release(t);
	return peer;
}
