/* SPDX-License-Identifier: BSD-3-Clause */
/* chunk.c - chunks of doubling size, each with the number of its records. */
#include "live/chunk.h"

enum {
	FIRST_CHUNK = 4096,
	LAST_CHUNK = 65536,
};

/* A new chunk, twice as large as the last, linked behind it; or 0. */
SIGSAFE static live_ref add_chunk(struct arena *arena, live_ref behind,
				  live_ref *head)
{
	struct live_chunk *last = behind ? arena_at(arena, behind) : NULL;
	uint32_t size = FIRST_CHUNK;
	struct live_chunk *chunk;
	live_ref ref;

	if (last && last->size < LAST_CHUNK)
		size = 2 * last->size;
	else if (last)
		size = LAST_CHUNK;
	ref = arena_pages(arena, size);
	if (!ref)
		return 0;
	chunk = arena_at(arena, ref);
	chunk->size = size;
	__atomic_store_n(last ? &last->next : head, ref, __ATOMIC_RELEASE);
	return ref;
}

SIGSAFE static uint32_t records_held(const struct live_chunk *chunk,
				     uint32_t record)
{
	return (chunk->size - (uint32_t)sizeof(*chunk)) / record;
}

SIGSAFE static live_ref record_at(live_ref chunk, uint32_t i, uint32_t record)
{
	return chunk +
	       (live_ref)((sizeof(struct live_chunk) + (uint64_t)i * record) /
			  LIVE_UNIT);
}

/* The next chunk of those that are there, or a new one. */
SIGSAFE static bool advance_in_list(struct arena *arena,
				    struct chunk_list *list, live_ref *head,
				    uint32_t record)
{
	const struct live_chunk *chunk =
		list->chunk ? arena_at(arena, list->chunk) : NULL;
	live_ref next = chunk ? chunk->next : 0;

	if (!next)
		next = add_chunk(arena, list->chunk, head);
	if (!next)
		return false;
	list->chunk = next;
	list->room = records_held(arena_at(arena, list->chunk), record);
	return true;
}

SIGSAFE live_ref chunk_take(struct arena *arena, struct chunk_list *list,
			    live_ref *head, uint32_t record)
{
	const struct live_chunk *chunk;

	if (!list->room && !advance_in_list(arena, list, head, record))
		return 0;
	chunk = arena_at(arena, list->chunk);
	return record_at(list->chunk, chunk->count, record);
}

SIGSAFE void chunk_commit(struct arena *arena, struct chunk_list *list)
{
	struct live_chunk *chunk = arena_at(arena, list->chunk);

	/* In this order: a longjmp may be the end of it between the two. */
	list->room--;
	__atomic_store_n(&chunk->count, chunk->count + 1, __ATOMIC_RELEASE);
}

SIGSAFE live_ref chunk_seek(struct arena *arena, struct chunk_cursor *c,
			    live_ref *head, uint32_t record)
{
	const struct live_chunk *chunk =
		c->chunk ? arena_at(arena, c->chunk) : NULL;
	live_ref next;

	if (!chunk || c->at == records_held(chunk, record)) {
		next = chunk ? chunk->next : *head;
		if (!next)
			next = add_chunk(arena, c->chunk, head);
		if (!next)
			return 0;
		*c = (struct chunk_cursor){ next, 0 };
	}
	return record_at(c->chunk, c->at, record);
}

SIGSAFE void chunk_wrote(struct arena *arena, struct chunk_cursor *c)
{
	struct live_chunk *chunk = arena_at(arena, c->chunk);

	if (++c->at > chunk->count)
		__atomic_store_n(&chunk->count, c->at, __ATOMIC_RELEASE);
}

/* Where the next record that is kept goes to. */
struct target {
	struct live_chunk *chunk;
	live_ref ref;
	uint32_t at;
};

SIGSAFE static void put_record(struct arena *arena, struct target *to,
			       const void *from, uint32_t record)
{
	while (to->at == records_held(to->chunk, record)) {
		to->ref = to->chunk->next;
		to->chunk = arena_at(arena, to->ref);
		to->at = 0;
	}
	__builtin_memmove(arena_at(arena, record_at(to->ref, to->at++, record)),
			  from, record);
}

/* The chunks behind the last record are empty, and filled again later. */
SIGSAFE static void end_at(struct arena *arena, struct chunk_list *list,
			   live_ref head, const struct target *to,
			   uint32_t record)
{
	bool behind = false;

	for (live_ref ref = head; ref;) {
		struct live_chunk *chunk = arena_at(arena, ref);

		chunk->count = behind ? 0 : records_held(chunk, record);
		if (ref == to->ref) {
			chunk->count = to->at;
			behind = true;
		}
		ref = chunk->next;
	}
	list->chunk = to->ref;
	list->room = records_held(to->chunk, record) - to->at;
}

SIGSAFE uint32_t chunk_filter(struct arena *arena, struct chunk_list *list,
			      live_ref head, uint32_t record,
			      bool (*keep)(const void *record, void *context),
			      void *context)
{
	struct target to = { head ? arena_at(arena, head) : NULL, head, 0 };
	uint32_t kept = 0;

	if (!head)
		return 0;
	for (live_ref ref = head; ref;) {
		const struct live_chunk *chunk = arena_at(arena, ref);

		for (uint32_t i = 0; i < chunk->count; i++) {
			const void *from =
				arena_at(arena, record_at(ref, i, record));

			if (!keep(from, context))
				continue;
			put_record(arena, &to, from, record);
			kept++;
		}
		ref = chunk->next;
	}
	end_at(arena, list, head, &to, record);
	return kept;
}
