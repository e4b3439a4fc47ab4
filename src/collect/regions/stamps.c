/* SPDX-License-Identifier: BSD-3-Clause */
/* stamps.c - arrays that grow fourfold, and are halved when they are full. */
#include "base/sys.h"
#include "collect/regions/region-handler.h"
#include "collect/regions/stamps.h"
#include "collect/thread.h"

enum {
	STAMPS_FIRST = 3, /* 64 bytes: most contexts are called once */
	STAMPS_FEW = 15,  /* 256 bytes */
	STAMPS_SMALL = 63 /* 1024 bytes; larger ones are whole pages */
};

/* Larger arrays leave room for contexts that are called later. */
static uint32_t most_stamps(uint32_t room)
{
	if (room <= STAMPS_FEW)
		return STAMPS_MOST;
	if (room <= STAMPS_SMALL)
		return STAMPS_MOST / 8 * 7;
	return room < LIVE_STAMPS ? STAMPS_MOST / 4 * 3 : STAMPS_MOST / 2;
}

static live_ref new_stamps(struct thread *t, uint32_t room)
{
	uint64_t size =
		sizeof(struct live_stamps) + room * sizeof(struct live_stamp);
	struct live_stamps *s;
	live_ref ref;

	if (t->stamps + room > most_stamps(room))
		return 0;
	ref = room <= STAMPS_SMALL ? region_record(t, size)
				   : arena_pages(t->tree.arena, size);
	if (!ref)
		return 0;
	t->stamps += room;
	s = arena_at(t->tree.arena, ref);
	s->room = room;
	s->stride = 1;
	return ref;
}

/* Drops every second stamp after the first ones, which show calls in a step. */
static void halve_stamps(struct live_stamps *s)
{
	/* A handler of the program that jumps out would leave it half done. */
	uint64_t mask = sys_mask(SYS_MASK_ALL);
	uint32_t kept = live_stamps_head(s->room);

	__atomic_fetch_add(&s->moving, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	for (uint32_t i = kept; i < s->count; i += 2)
		s->at[kept++] = s->at[i];
	s->count = kept;
	s->stride *= 2;
	__atomic_fetch_add(&s->moving, 1, __ATOMIC_SEQ_CST);
	sys_mask(mask);
}

/* The old array stays in the file: a third of the new one's size. */
static struct live_stamps *grow_stamps(struct thread *t, struct live_call *call,
				       struct live_stamps *s)
{
	uint32_t room = s ? 4 * s->room + 3 : STAMPS_FIRST;
	live_ref ref = room <= LIVE_STAMPS ? new_stamps(t, room) : 0;
	struct live_stamps *to;

	if (!ref) {
		if (s && s->count > live_stamps_head(s->room))
			halve_stamps(s);
		return s && s->count < s->room ? s : NULL;
	}
	to = arena_at(t->tree.arena, ref);
	for (uint32_t i = 0; s && i < s->count; i++)
		to->at[i] = s->at[i];
	to->count = s ? s->count : 0;
	__atomic_store_n(&call->stamps, ref, __ATOMIC_RELEASE);
	return to;
}

void stamps_add(struct thread *t, struct live_call *call, uint64_t ns,
		uint64_t mpi_ns)
{
	struct live_stamps *s =
		call->stamps ? arena_at(t->tree.arena, call->stamps) : NULL;

	if (!s || s->count == s->room)
		s = grow_stamps(t, call, s);
	if (!s) {
		call->until_stamp = UINT64_MAX;
		return;
	}
	s->at[s->count] = (struct live_stamp){ ns, mpi_ns };
	__atomic_store_n(&s->count, s->count + 1, __ATOMIC_RELEASE);
	/* With a stride of 1 all calls are due. */
	call->until_stamp = s->stride - 1;
}
