/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * from-live.c - a live profile, read with suspicion, section by section.
 *
 * Each 8 bytes of the file belong to one record at most: whoever claims them
 * a second time has followed a wrong reference.  So lists that run in a
 * circle end, and time and memory are bounded by the size of the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/live/live-reader.h"

#define LIVE_SECTION(name) extern const struct live_section section_##name;
#include "profile/live/live-sections.inc"
#undef LIVE_SECTION

static const struct live_section *const sections[] = {
#define LIVE_SECTION(name) &section_##name,
#include "profile/live/live-sections.inc"
	NULL
};

static void read_call(struct reader *r, uint32_t node, uint32_t thread,
		      uint64_t ref)
{
	struct live_call call;
	const void *at = reader_claim(r, ref, sizeof(call));

	if (!at)
		return;
	memcpy(&call, at, sizeof(call));
	for (const struct live_section *const *s = sections; *s; s++)
		if ((*s)->call && !r->err)
			(*s)->call(r, node, thread, &call);
}

static void read_cells(struct reader *r, uint32_t node, uint32_t thread,
		       live_ref ref)
{
	while (ref && !r->err) {
		struct live_cell cell;
		const void *at = reader_claim(r, ref, sizeof(cell));

		if (!at)
			return;
		memcpy(&cell, at, sizeof(cell));
		if (cell.metric == LIVE_CELL_CALL)
			read_call(r, node, thread, cell.value);
		else if (cell.metric != LIVE_CELL_HEAP)
			reader_value(r, node, thread, &cell);
		ref = cell.next;
	}
}

static bool read_node(struct reader *r, uint32_t thread, uint64_t ref)
{
	struct live_node node;
	const void *at = reader_claim(r, ref, sizeof(node));
	uint32_t index;

	if (!at)
		return false;
	memcpy(&node, at, sizeof(node));
	index = reader_unify(r, &node);
	r->marks[ref] = FIRST_NODE + index;
	read_cells(r, index, thread, node.cells);
	return !r->err;
}

static void read_tree(struct reader *r, uint32_t thread, live_ref ref)
{
	while (ref && !r->err) {
		const uint64_t units = sizeof(struct live_node) / LIVE_UNIT;
		struct live_chunk chunk;
		const void *at = reader_claim(r, ref, sizeof(chunk));
		uint64_t first = (uint64_t)ref + sizeof(chunk) / LIVE_UNIT;

		if (!at)
			return;
		memcpy(&chunk, at, sizeof(chunk));
		for (uint32_t i = 0; i < chunk.count; i++)
			if (!read_node(r, thread, first + i * units))
				break;
		ref = chunk.next;
	}
}

static live_ref take_live_thread(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct profile_thread *to;
	struct live_thread t;

	memcpy(&t, at, sizeof(t));
	if (!reader_grow(r, &p->threads, p->thread_count, sizeof(*to)))
		return 0;
	to = &p->threads[p->thread_count];
	*to = (struct profile_thread){
		.tid = t.tid,
		.clock = t.clock,
		.runs = t.runs,
		.ended = t.state == LIVE_THREAD_ENDED,
		.first_ns = t.first_ns,
		.last_ns = t.last_ns,
#define COLUMN(type, name, ...) .name = t.name,
#define ADDED                   COLUMN
#include "live/thread.def"
#undef COLUMN
#undef ADDED
		.every = t.every,
		.level = t.level,
	};
	reader_fixed_text(to->name, sizeof(to->name), t.name, sizeof(t.name));
	for (size_t i = 0; i < LOSS_COUNT; i++)
		p->losses[i].count += t.losses[i];
	read_tree(r, (uint32_t)p->thread_count, t.nodes);
	for (const struct live_section *const *s = sections; *s; s++)
		if ((*s)->thread && !r->err)
			(*s)->thread(r, (uint32_t)p->thread_count, &t);
	p->thread_count++;
	return t.next;
}

static void read_live(struct reader *r)
{
	struct profile *p = r->p;

	for (size_t i = 0; i < sizeof(r->header) / LIVE_UNIT; i++)
		r->marks[i] = TAKEN;
	for (const struct live_section *const *s = sections; *s; s++)
		if ((*s)->begin && !r->err)
			(*s)->begin(r);
	reader_walk(r, r->header.threads, sizeof(struct live_thread),
		    take_live_thread);
	for (const struct live_section *const *s = sections; *s; s++)
		if ((*s)->tables && !r->err)
			(*s)->tables(r);
	for (const struct live_section *const *s = sections; *s; s++)
		if ((*s)->order && !r->err)
			(*s)->order(r);
	if (r->damaged && !r->err)
		p->losses[p->loss_count++] =
			(struct profile_loss){ "damaged", r->damaged };
}

static int check_header(const struct live_header *h, size_t size)
{
	if (size < sizeof(h->magic) || h->magic != LIVE_MAGIC)
		return fail(-EINVAL, "not a live profile");
	if (size < sizeof(*h))
		return fail(-EINVAL,
			    "a live profile, truncated after %zu bytes", size);
	if (h->version > LIVE_VERSION)
		return fail(-EINVAL,
			    "live profile version %u is newer than this copse "
			    "reads (%u)",
			    h->version, LIVE_VERSION);
	if (h->version != LIVE_VERSION || h->header_size != sizeof(*h))
		return fail(-EINVAL,
			    "a live profile of another version of copse");
	return 0;
}

int profile_from_live(struct profile **to, const void *data, size_t size)
{
	struct reader r = { .data = data, .size = size, .text_left = 2 * size };
	int err;

	memcpy(&r.header, data,
	       size < sizeof(r.header) ? size : sizeof(r.header));
	err = check_header(&r.header, size);
	if (err)
		return err;
	r.marks = calloc(size / LIVE_UNIT + 1, sizeof(*r.marks));
	r.p = calloc(1, sizeof(*r.p));
	if (!r.marks || !r.p)
		reader_no_memory(&r);
	else
		read_live(&r);
	if (r.err) {
		profile_free(r.p);
		no_memory();
	} else {
		*to = r.p;
	}
	map_fini(&r.children);
	map_fini(&r.comms);
	map_fini(&r.calls);
	map_fini(&r.peers);
	map_fini(&r.works);
	free(r.marks);
	return r.err;
}
