/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-slices.c - see gpu-slices.h. */
#include "collect/gpu/gpu-slices.h"

#include <stddef.h>

#include "base/hidden.h"
#include "base/range-window.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"

#define MIB ((uint64_t)1 << 20)

enum {
	AHEAD = 64, /* chunks that are made before they are needed, … */
	AT_ONCE = 4 /* … so many at a time */
};

/* Mutable: of the process, and of the live profile of that generation. */
static struct {
	struct lock lock; /* of new chunks */
	uint32_t generation, failed;
	struct arena *arena;
	struct live_slices *in;
	live_ref *chunks;
	uint64_t *latest; /* by chunk: the latest end in it; atomic */
	uint64_t room;
	bool has_window;
	struct range_window window;
	uint64_t opened;    /* ranges of that name; atomic */
	uint64_t last_span; /* of the last one that is wanted; atomic */
} slices RESET_AT_FORK;

static uint64_t places_wanted(void)
{
	uint64_t bytes = collect_settings()->gpu_trace * MIB;
	uint64_t chunks =
		bytes / (LIVE_SLICE_CHUNK * sizeof(struct live_slice));

	return chunks * LIVE_SLICE_CHUNK;
}

/* In a live profile that is new; under the lock. */
static void open_slice_ring(struct live_header *header)
{
	uint64_t room = places_wanted();
	uint64_t chunks = room / LIVE_SLICE_CHUNK;
	live_ref ref = arena_pages(slices.arena, chunks * sizeof(live_ref));

	slices.latest = sys_memory(chunks * sizeof(*slices.latest));
	if (!ref || !slices.latest)
		return;
	slices.in = &header->slices;
	slices.chunks = arena_at(slices.arena, ref);
	slices.room = room;
	slices.has_window = range_window_parse(
		&slices.window, collect_settings()->gpu_trace_range);
	if (slices.has_window)
		slices.in->from_ns = slices.in->until_ns = UINT64_MAX;
	slices.in->chunks = ref;
	__atomic_store_n(&slices.in->room, room, __ATOMIC_RELEASE);
}

void gpu_slices_begin(void)
{
	if (!collect_settings()->gpu_trace)
		return;
	lock_take(&slices.lock);
	slices.arena = registry_await();
	if (slices.arena &&
	    (!slices.in || slices.generation != registry_generation())) {
		slices.in = NULL;
		open_slice_ring(registry_header());
		__atomic_store_n(&slices.generation, registry_generation(),
				 __ATOMIC_RELEASE);
	}
	lock_give(&slices.lock);
	for (int i = 0; i < AHEAD / AT_ONCE; i++)
		gpu_slices_prepare();
}

PUBLIC bool copse_gpu_traced(void)
{
	return slices.in != NULL;
}

/* NULL: nothing is kept, or nothing yet in this profile. */
static struct live_slices *slices_now(void)
{
	bool now = __atomic_load_n(&slices.generation, __ATOMIC_ACQUIRE) ==
		   registry_generation();

	return now ? slices.in : NULL;
}

/* 0: there is no memory for it, and there will be none. */
static live_ref new_slice_chunk(live_ref *at)
{
	live_ref ref;

	lock_take(&slices.lock);
	ref = *at;
	if (!ref && !slices.failed) {
		ref = arena_pages(slices.arena,
				  LIVE_SLICE_CHUNK * sizeof(struct live_slice));
		slices.failed = !ref;
		__atomic_store_n(at, ref, __ATOMIC_RELEASE);
	}
	lock_give(&slices.lock);
	return ref;
}

/* Chunks for what comes next: a page of memory takes as long as ten launches.
 */
void gpu_slices_prepare(void)
{
	struct live_slices *in = slices_now();
	uint64_t chunks, from;

	if (!in || slices.failed)
		return;
	chunks = slices.room / LIVE_SLICE_CHUNK;
	from = __atomic_load_n(&in->last, __ATOMIC_RELAXED) / LIVE_SLICE_CHUNK;
	for (uint64_t i = from, made = 0;
	     i < chunks && i < from + AHEAD && made < AT_ONCE; i++) {
		live_ref *at = &slices.chunks[i];

		if (__atomic_load_n(at, __ATOMIC_RELAXED))
			continue;
		new_slice_chunk(at);
		made++;
	}
}

static struct live_slice *place_of_slice(uint64_t number)
{
	uint64_t place = (number - 1) % slices.room;
	live_ref *at = &slices.chunks[place / LIVE_SLICE_CHUNK];
	live_ref chunk = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	struct live_slice *first;

	if (!chunk)
		chunk = new_slice_chunk(at);
	if (!chunk)
		return NULL;
	first = arena_at(slices.arena, chunk);
	return first + place % LIVE_SLICE_CHUNK;
}

static void raise_time(uint64_t *to, uint64_t ns)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);

	while (is < ns &&
	       !__atomic_compare_exchange_n(to, &is, ns, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

/*
 * The first that takes the place of an earlier one in a chunk says when the
 * latest of these ended.  The others need not look at what was in their places,
 * which is in no cache.
 */
static void note_slice_time(struct live_slices *in, uint64_t number,
			    uint64_t end)
{
	uint64_t place = (number - 1) % slices.room;
	uint64_t *latest = &slices.latest[place / LIVE_SLICE_CHUNK];

	if (number > slices.room && place % LIVE_SLICE_CHUNK == 0)
		raise_time(&in->lost_until_ns,
			   __atomic_exchange_n(latest, 0, __ATOMIC_RELAXED));
	raise_time(latest, end);
}

/* All but its numbers.  Whoever has the place twice leaves two that differ. */
static void put_slice(struct live_slices *in, const struct live_slice *one)
{
	uint64_t number = __atomic_add_fetch(&in->last, 1, __ATOMIC_RELAXED);
	struct live_slice *to = place_of_slice(number);
	enum {
		HEAD = offsetof(struct live_slice, kind),
		BODY = offsetof(struct live_slice, begun) - HEAD,
		SOON = 4
	};

	if (!to) {
		raise_time(&in->lost_until_ns, one->end);
		__atomic_fetch_add(&registry_header()->losses[LOSS_GPU_TRACE],
				   1, __ATOMIC_RELAXED);
		return;
	}
	note_slice_time(in, number, one->end);
	__atomic_store_n(&to->begun, (uint32_t)number, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__builtin_memcpy((char *)to + HEAD, (const char *)one + HEAD, BODY);
	__atomic_store_n(&to->done, (uint32_t)number, __ATOMIC_RELEASE);
	/* The two lines of one of the next, which went long ago. */
	if (number % LIVE_SLICE_CHUNK < LIVE_SLICE_CHUNK - SOON) {
		__builtin_prefetch(&to[SOON].done, 1);
		__builtin_prefetch(&to[SOON].begun, 1);
	}
}

/* What began then is to be kept. */
static bool is_in_window(const struct live_slices *in, uint64_t ns)
{
	return !slices.has_window ||
	       (ns >= __atomic_load_n(&in->from_ns, __ATOMIC_ACQUIRE) &&
		ns <= __atomic_load_n(&in->until_ns, __ATOMIC_ACQUIRE));
}

PUBLIC void copse_gpu_slice_call(const struct region *r, uint32_t id)
{
	struct live_slices *in = slices_now();
	const struct thread *t = thread_self(); /* NULL: sealed meanwhile */

	if (in && t && r->call && is_in_window(in, r->start_ns))
		put_slice(in, &(struct live_slice){ .kind = LIVE_SLICE_CALL,
						    .start = r->start_ns,
						    .end = r->end_ns,
						    .thread = t->index,
						    .id = id,
						    .node = r->node });
}

void gpu_slices_work(const struct live_slice *work, uint32_t captured)
{
	struct live_slices *in = slices_now();

	if (!in || !is_in_window(in, work->launched))
		return;
	if (work->from)
		in->captured = captured;
	put_slice(in, work);
}

/* Of the ranges that are waited for: which it is. */
static void count_range(struct live_slices *in, uint64_t span, uint64_t ns)
{
	uint64_t number =
		__atomic_add_fetch(&slices.opened, 1, __ATOMIC_RELAXED);
	uint64_t none = UINT64_MAX;

	if (number == slices.window.first)
		__atomic_store_n(&in->from_ns, ns, __ATOMIC_RELEASE);
	if (number == slices.window.last)
		__atomic_store_n(&slices.last_span, span, __ATOMIC_RELEASE);
	/* Its end may not have been seen. */
	if (number == slices.window.last + 1)
		__atomic_compare_exchange_n(&in->until_ns, &none, ns, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void gpu_slices_range(const char *group, const char *text, uint64_t span,
		      uint64_t ns)
{
	struct live_slices *in = slices_now();

	if (in && slices.has_window &&
	    (range_window_names(&slices.window, group) ||
	     range_window_names(&slices.window, text)))
		count_range(in, span, ns);
}

void gpu_slices_range_end(const struct live_span *span, uint64_t number,
			  uint32_t thread)
{
	struct live_slices *in = slices_now();
	struct live_slice one = { .kind = LIVE_SLICE_RANGE,
				  .start = span->begin_ns,
				  .end = span->end_ns,
				  .thread = thread };
	uint64_t none = UINT64_MAX;

	if (!in)
		return;
	if (slices.has_window &&
	    number == __atomic_load_n(&slices.last_span, __ATOMIC_ACQUIRE))
		__atomic_compare_exchange_n(&in->until_ns, &none, span->end_ns,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	if (!is_in_window(in, span->begin_ns))
		return;
	sys_copy(one.text, span->text,
		 sys_length(span->text, sizeof(one.text) - 1));
	put_slice(in, &one);
}

AT_FORK static void gpu_slices_forked(void)
{
	lock_open(&slices.lock);
	slices.in = NULL;
	slices.failed = 0;
	slices.opened = slices.last_span = 0;
}

const struct source source_gpu_slices = {
	.fork = gpu_slices_forked,
};
