/* SPDX-License-Identifier: BSD-3-Clause */
/* perfetto-slices.c - see perfetto-slices.h. */
#include "format/export/perfetto-slices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/gpu/slice-view.h"
#include "analyse/paths/paths.h"
#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

enum {
	NESTED = 64 /* ranges, one inside another */
};

/* A stream has several where its work overlaps: nodes of graphs do. */
struct stream_lane {
	uint64_t track, until;
	uint32_t next; /* number + 1; 0: none */
};

struct stream_lanes {
	struct map map; /* (device, stream; context) to its first */
	struct stream_lane *at;
	size_t count, room;
};

static int join_work_calls(struct perfetto_slices *s)
{
	const struct run_slices *t = &s->run->slices;
	struct map calls = { 0 };
	bool ok = true;

	for (size_t i = 0; i < t->call_count && ok; i++)
		ok = map_put(&calls, t->calls[i].rank, t->calls[i].id,
			     (uint32_t)i) != MAP_NONE;
	for (size_t i = t->work_count; i-- > 0 && ok;) {
		uint32_t call = map_get(&calls, t->work[i].rank, t->work[i].id);

		if (call == MAP_NONE)
			continue;
		s->called[i] = true;
		s->next[i] = s->first[call];
		s->first[call] = (uint32_t)i + 1;
	}
	map_fini(&calls);
	return ok ? 0 : no_memory();
}

int perfetto_slices_init(struct perfetto_slices *s, const struct run *run)
{
	const struct run_slices *t = &run->slices;

	*s = (struct perfetto_slices){ .run = run };
	s->first = calloc(t->call_count + 1, sizeof(*s->first));
	s->next = calloc(t->work_count + 1, sizeof(*s->next));
	s->called = calloc(t->work_count + 1, sizeof(*s->called));
	if (!s->first || !s->next || !s->called)
		return no_memory();
	return join_work_calls(s);
}

void perfetto_slices_fini(struct perfetto_slices *s)
{
	free(s->first);
	free(s->next);
	free(s->called);
}

/* "GPU 0, stream 7", "…, beside it": a new track. */
static uint64_t stream_track(struct perfetto_slices *s, struct perfetto *to,
			     uint64_t parent, const struct run_slice *w,
			     bool beside)
{
	char *name =
		str_format("GPU %" PRIu32 ", stream %" PRIu32 "%s", w->device,
			   w->stream, beside ? ", beside it" : "");

	to->out.exhausted |= !name;
	if (name)
		perfetto_track(to, ++s->tracks, parent, name);
	free(name);
	return s->tracks;
}

/* The lane of the stream that is free by then; NULL: no memory. */
static struct stream_lane *lane_of(struct perfetto_slices *s,
				   struct perfetto *to,
				   struct stream_lanes *lanes, uint64_t parent,
				   const struct run_slice *w)
{
	uint64_t key = (uint64_t)w->device << 32 | w->stream;
	uint32_t at =
		map_put(&lanes->map, key, w->context, (uint32_t)lanes->count);
	struct stream_lane new = { 0 };
	bool beside = at != MAP_NONE && at < lanes->count;
	uint32_t last = at;

	if (at == MAP_NONE)
		return NULL;
	while (beside && lanes->at[last].until > w->start_ns) {
		if (!lanes->at[last].next)
			break;
		last = lanes->at[last].next - 1;
	}
	if (beside && lanes->at[last].until <= w->start_ns)
		return &lanes->at[last];
	new.track = stream_track(s, to, parent, w, beside);
	if (!array_append(&lanes->at, &lanes->count, &lanes->room, sizeof(new),
			  &new))
		return NULL;
	if (beside)
		lanes->at[last].next = (uint32_t)lanes->count;
	return &lanes->at[lanes->count - 1];
}

static void work_slice(const struct perfetto_slices *s, struct perfetto *to,
		       size_t row, uint64_t track)
{
	const struct run_slice *w = &s->run->slices.work[row];

	if (w->bytes)
		perfetto_note(to, PERFETTO_BYTES, w->bytes);
	if (w->launched_ns && w->launched_ns <= w->start_ns)
		perfetto_note(to, PERFETTO_DELAY, w->start_ns - w->launched_ns);
	if (s->called[row])
		perfetto_flow(to, s->flows + row, true);
	perfetto_stack(to, to->paths->of[w->node]);
	perfetto_begin(to, track, s->shift + w->start_ns,
		       slice_name(s->run, w));
	perfetto_end(to, track, s->shift + w->start_ns + w->ns);
}

static int put_streams(struct perfetto_slices *s, struct perfetto *to,
		       uint32_t process, uint64_t parent)
{
	const struct run_slices *t = &s->run->slices;
	struct stream_lanes lanes = { 0 };
	bool ok = true;

	for (size_t i = 0; i < t->work_count && ok; i++) {
		const struct run_slice *w = &t->work[i];
		struct stream_lane *lane;

		if (w->rank != process)
			continue;
		lane = lane_of(s, to, &lanes, parent, w);
		ok = lane != NULL;
		if (!ok)
			break;
		lane->until = w->start_ns + w->ns;
		work_slice(s, to, i, lane->track);
	}
	map_fini(&lanes.map);
	free(lanes.at);
	return ok ? 0 : no_memory();
}

/* A track of a thread, below its own one if it has any. */
static uint64_t traced_track(struct perfetto_slices *s, struct perfetto *to,
			     const uint64_t parents[2], uint32_t thread,
			     const char *what)
{
	char *name =
		parents[1] ? str_format("%s", what)
			   : str_format("thread %" PRIu32 ": %s", thread, what);

	to->out.exhausted |= !name;
	if (name)
		perfetto_track(to, ++s->tracks, parents[1] ?: parents[0], name);
	free(name);
	return s->tracks;
}

static void put_cuda_calls(struct perfetto_slices *s, struct perfetto *to,
			   uint32_t process, uint32_t thread,
			   const uint64_t parents[2])
{
	const struct run_slices *t = &s->run->slices;
	uint64_t track = 0;

	for (size_t i = 0; i < t->call_count; i++) {
		const struct run_slice_call *c = &t->calls[i];

		if (c->rank != process || c->thread != thread)
			continue;
		if (!track)
			track = traced_track(s, to, parents, thread,
					     "calls of CUDA");
		for (uint32_t w = s->first[i]; w; w = s->next[w - 1])
			perfetto_flow(to, s->flows + w - 1, false);
		perfetto_begin(to, track, s->shift + c->start_ns,
			       paths_function(s->run, c->node));
		perfetto_end(to, track, s->shift + c->start_ns + c->ns);
	}
}

/* Those that are open, the innermost last. */
struct open_ranges {
	uint64_t until[NESTED];
	size_t count;
};

static void end_ranges(const struct perfetto_slices *s, struct perfetto *to,
		       struct open_ranges *open, uint64_t track, uint64_t now)
{
	while (open->count && open->until[open->count - 1] <= now)
		perfetto_end(to, track, s->shift + open->until[--open->count]);
}

static void put_ranges(struct perfetto_slices *s, struct perfetto *to,
		       uint32_t process, uint32_t thread,
		       const uint64_t parents[2])
{
	const struct run_slices *t = &s->run->slices;
	struct open_ranges open = { .count = 0 };
	uint64_t track = 0;

	for (size_t i = 0; i < t->range_count; i++) {
		const struct run_slice_range *r = &t->ranges[i];
		uint64_t until = r->start_ns + r->ns;

		if (r->rank != process || r->thread != thread)
			continue;
		if (!track)
			track = traced_track(s, to, parents, thread, "ranges");
		end_ranges(s, to, &open, track, r->start_ns);
		if (open.count == NESTED)
			continue;
		if (open.count && until > open.until[open.count - 1])
			until = open.until[open.count - 1];
		open.until[open.count++] = until;
		perfetto_begin(to, track, s->shift + r->start_ns,
			       str_at(&s->run->strings, r->name));
	}
	end_ranges(s, to, &open, track, UINT64_MAX);
}

/* The numbers of the process's threads that have rows: highest + 1. */
static uint32_t threads_end(const struct run_slices *t, uint32_t process)
{
	uint32_t end = 0;

	for (size_t i = 0; i < t->call_count; i++)
		if (t->calls[i].rank == process && t->calls[i].thread >= end)
			end = t->calls[i].thread + 1;
	for (size_t i = 0; i < t->range_count; i++)
		if (t->ranges[i].rank == process && t->ranges[i].thread >= end)
			end = t->ranges[i].thread + 1;
	return end;
}

/* Where what came before is not complete. */
static void put_begin(struct perfetto_slices *s, struct perfetto *to,
		      uint32_t process, uint64_t parent)
{
	const struct run_slices *t = &s->run->slices;

	for (size_t i = 0; i < t->window_count; i++)
		if (t->windows[i].rank == process && t->windows[i].lost) {
			perfetto_track(to, ++s->tracks, parent,
				       "trace of GPUs");
			perfetto_instant(to, s->tracks,
					 s->shift + t->windows[i].whole_ns,
					 "complete from here on");
		}
}

int perfetto_slices_put(struct perfetto_slices *s, struct perfetto *to,
			uint32_t process, uint64_t parent,
			const uint64_t *of_thread, size_t threads)
{
	uint32_t end = threads_end(&s->run->slices, process);
	int err = put_streams(s, to, process, parent);

	put_begin(s, to, process, parent);
	for (uint32_t i = 0; i < end && !err; i++) {
		const uint64_t parents[2] = { parent,
					      i < threads ? of_thread[i] : 0 };

		put_ranges(s, to, process, i, parents);
		put_cuda_calls(s, to, process, i, parents);
	}
	return err;
}
