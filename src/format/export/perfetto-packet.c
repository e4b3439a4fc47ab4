/* SPDX-License-Identifier: BSD-3-Clause */
/* perfetto-packet.c - fields by their numbers in Perfetto's .proto files. */
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/paths.h"
#include "base/err.h"
#include "format/export/perfetto-packet.h"
#include "format/export/protobuf.h"

enum { /* of Trace and TracePacket */
	TRACE_PACKET = 1,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT,
	PACKET_INTERNED,
	PACKET_FLAGS,
	PACKET_TRACK = 60
};

enum { /* of InternedData */
	INTERNED_EVENT_NAMES = 2,
	INTERNED_NOTE_NAMES = 3,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES,
	INTERNED_STACKS,
	INTERNED_PATHS = 17,
	INTERNED_MODULES = 19
};

enum { /* of TrackEvent */
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	EVENT_STACK = 56
};

enum event_type {
	EVENT_BEGIN = 1,
	EVENT_END,
	EVENT_INSTANT,
	EVENT_COUNTER
};

enum { /* SEQ_INCREMENTAL_STATE_CLEARED, SEQ_NEEDS_INCREMENTAL_STATE */
	FLAG_FIRST = 1,
	FLAG_INTERNED = 2
};

int perfetto_init(struct perfetto *p, const struct paths *paths)
{
	*p = (struct perfetto){ .paths = paths };
	p->stacked = calloc(paths->count + 1, sizeof(*p->stacked));
	p->chain = calloc(paths->count + 1, sizeof(*p->chain));
	return p->stacked && p->chain && str_add(&p->texts, "") != STR_NONE
		       ? 0
		       : no_memory();
}

void perfetto_fini(struct perfetto *p)
{
	blob_fini(&p->out);
	blob_fini(&p->packet);
	blob_fini(&p->event);
	blob_fini(&p->part);
	blob_fini(&p->inner);
	blob_fini(&p->stack);
	strings_fini(&p->texts);
	map_fini(&p->frames);
	map_fini(&p->modules);
	free(p->stacked);
	free(p->chain);
}

static void end_packet(struct perfetto *p)
{
	protobuf_uint(&p->packet, PACKET_SEQUENCE, 1);
	protobuf_uint(&p->packet, PACKET_FLAGS,
		      p->begun ? FLAG_INTERNED : FLAG_FIRST | FLAG_INTERNED);
	p->begun = true;
	protobuf_message(&p->out, TRACE_PACKET, &p->packet);
}

/* What has a number from now on is in p->part. */
static void intern_part(struct perfetto *p, unsigned int kind)
{
	protobuf_message(&p->inner, kind, &p->part);
	protobuf_message(&p->packet, PACKET_INTERNED, &p->inner);
	end_packet(p);
}

static void intern_text(struct perfetto *p, unsigned int kind, uint64_t iid,
			const char *text)
{
	protobuf_uint(&p->part, 1, iid);
	protobuf_text(&p->part, 2, text);
	intern_part(p, kind);
}

/* The number of the name of an event, which is the function's too. */
static uint64_t intern_name(struct perfetto *p, const char *name)
{
	uint32_t before = p->texts.count, iid = str_add(&p->texts, name);

	p->out.exhausted |= iid == STR_NONE;
	if (iid != STR_NONE && p->texts.count > before) {
		intern_text(p, INTERNED_EVENT_NAMES, iid + 1, name);
		intern_text(p, INTERNED_FUNCTIONS, iid + 1, name);
	}
	return (uint64_t)iid + 1;
}

/* A frame without a module would not be shown. */
static uint64_t intern_module(struct perfetto *p, uint32_t module)
{
	size_t before = p->modules.count;
	uint32_t index = map_put(&p->modules, module, 0, (uint32_t)before);
	uint64_t iid = (uint64_t)index + 1;

	p->out.exhausted |= index == MAP_NONE;
	if (index == MAP_NONE || p->modules.count == before)
		return iid;
	intern_text(p, INTERNED_PATHS, iid,
		    str_at(&p->paths->run->strings, module));
	protobuf_uint(&p->part, 1, iid);
	protobuf_uint(&p->part, 7, iid);
	intern_part(p, INTERNED_MODULES);
	return iid;
}

static uint64_t intern_frame(struct perfetto *p, uint32_t path)
{
	uint32_t node = p->paths->at[path].node;
	const struct run_node *n = &p->paths->run->nodes[node];
	size_t before = p->frames.count;
	uint32_t index =
		map_put(&p->frames, n->function, n->module, (uint32_t)before);
	uint64_t iid = (uint64_t)index + 1, name, module;

	p->out.exhausted |= index == MAP_NONE;
	if (index == MAP_NONE || p->frames.count == before)
		return iid;
	name = intern_name(p, paths_function(p->paths->run, node));
	module = intern_module(p, n->module);
	protobuf_uint(&p->part, 1, iid);
	protobuf_uint(&p->part, 2, name);
	protobuf_uint(&p->part, 3, module);
	intern_part(p, INTERNED_FRAMES);
	return iid;
}

/* From the outermost; packets of frames that are new come before the stack's.
 */
static void intern_stack(struct perfetto *p, uint32_t path)
{
	size_t count = paths_chain(p->paths, path, p->chain);

	if (p->stacked[path])
		return;
	p->stacked[path] = true;
	protobuf_uint(&p->stack, 1, (uint64_t)path + 1);
	while (count-- > 0)
		protobuf_uint(&p->stack, 2, intern_frame(p, p->chain[count]));
	protobuf_message(&p->inner, INTERNED_STACKS, &p->stack);
	protobuf_message(&p->packet, PACKET_INTERNED, &p->inner);
	end_packet(p);
}

static void put_track(struct perfetto *p, uint64_t track, uint64_t parent,
		      const char *name)
{
	protobuf_uint(&p->inner, 1, track);
	if (parent)
		protobuf_uint(&p->inner, 5, parent);
	if (name)
		protobuf_text(&p->inner, 2, name);
	protobuf_message(&p->packet, PACKET_TRACK, &p->inner);
	end_packet(p);
}

void perfetto_process(struct perfetto *p, uint64_t track, uint64_t pid,
		      const char *name)
{
	protobuf_uint(&p->part, 1, pid);
	protobuf_text(&p->part, 6, name);
	protobuf_message(&p->inner, 3, &p->part);
	put_track(p, track, 0, NULL);
}

void perfetto_thread(struct perfetto *p, uint64_t track, uint64_t parent,
		     uint64_t pid, uint64_t tid, const char *name)
{
	protobuf_uint(&p->part, 1, pid);
	protobuf_uint(&p->part, 2, tid);
	protobuf_text(&p->part, 5, name);
	protobuf_message(&p->inner, 4, &p->part);
	put_track(p, track, parent, NULL);
}

void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent,
		    const char *name)
{
	put_track(p, track, parent, name);
}

void perfetto_counter_track(struct perfetto *p, uint64_t track, uint64_t parent,
			    const char *name, const char *unit)
{
	protobuf_text(&p->part, 6, unit);
	protobuf_message(&p->inner, 8, &p->part);
	put_track(p, track, parent, name);
}

/* Of p->event. */
static void end_event(struct perfetto *p, uint64_t track, uint64_t ns,
		      enum event_type type)
{
	protobuf_uint(&p->event, EVENT_TYPE, type);
	protobuf_uint(&p->event, EVENT_TRACK, track);
	protobuf_uint(&p->packet, PACKET_TIME, ns);
	protobuf_message(&p->packet, PACKET_EVENT, &p->event);
	end_packet(p);
}

void perfetto_begin(struct perfetto *p, uint64_t track, uint64_t ns,
		    const char *name)
{
	protobuf_uint(&p->event, EVENT_NAME, intern_name(p, name));
	end_event(p, track, ns, EVENT_BEGIN);
}

void perfetto_end(struct perfetto *p, uint64_t track, uint64_t ns)
{
	end_event(p, track, ns, EVENT_END);
}

void perfetto_count(struct perfetto *p, uint64_t track, uint64_t ns,
		    uint64_t value)
{
	protobuf_uint(&p->event, EVENT_VALUE, value);
	end_event(p, track, ns, EVENT_COUNTER);
}

void perfetto_note(struct perfetto *p, enum perfetto_note note, uint64_t value)
{
	static const char *const names[] = {
#define NOTE(id, name) [PERFETTO_##id] = name,
		PERFETTO_NOTES(NOTE)
#undef NOTE
	};

	if (!(p->noted & 1u << note))
		intern_text(p, INTERNED_NOTE_NAMES, note, names[note]);
	p->noted |= 1u << note;
	protobuf_uint(&p->part, 1, note);
	protobuf_uint(&p->part, 3, value);
	protobuf_message(&p->event, EVENT_NOTE, &p->part);
}

void perfetto_stack(struct perfetto *p, uint32_t path)
{
	intern_stack(p, path);
	protobuf_uint(&p->event, EVENT_STACK, (uint64_t)path + 1);
}

void perfetto_flow(struct perfetto *p, uint64_t flow, bool ends)
{
	protobuf_fixed(&p->event, ends ? EVENT_FLOW_END : EVENT_FLOW, flow);
}

void perfetto_instant(struct perfetto *p, uint64_t track, uint64_t ns,
		      const char *name)
{
	protobuf_uint(&p->event, EVENT_NAME, intern_name(p, name));
	end_event(p, track, ns, EVENT_INSTANT);
}
