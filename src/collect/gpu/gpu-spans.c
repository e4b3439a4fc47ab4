/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-spans.c - spans stand in a ring in the live profile.  Whoever begins one
 * takes a free place; whoever adds up the work of GPUs gives places back, as
 * late as possible: work may start long after the range has ended.
 */
#include "collect/gpu/gpu-spans.h"

#include "base/sys.h"
#include "collect/gpu/gpu-slices.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "live/spans.h"

enum {
	TRIES = 16, /* places that are looked at: long spans keep theirs */
	KEPT = LIVE_SPANS / 4,
	RANGES = 256,
};

#define TAKEN UINT64_MAX /* in place of a number, while the rest is written */

/* Mutable: of the process. */
static struct {
	uint32_t wanted, generation; /* of the live profile; atomic */
	struct lock lock;
	const struct thread *first; /* that had a range; atomic */
	uint64_t current;           /* its innermost span; atomic */
	struct live_spans *in;
} spans RESET_AT_FORK;

/* Mutable: of the live profile in `arena`, under the lock of gpu.c. */
static struct {
	struct arena *arena;
	uint64_t begun, ended, swept; /* numbers: up to where that was seen */
	uint32_t range_count;
	struct live_range *ranges[RANGES];
	live_ref last;
} sums;

void gpu_spans_wanted(void)
{
	__atomic_store_n(&spans.wanted, 1, __ATOMIC_RELEASE);
}

static struct live_spans *spans_now(void)
{
	bool now = __atomic_load_n(&spans.generation, __ATOMIC_ACQUIRE) ==
		   registry_generation();

	return now ? spans.in : NULL;
}

/* The first range of the process; NULL: no memory. */
static struct live_spans *make_spans(void)
{
	struct arena *arena = registry_await();
	live_ref ref;

	lock_take(&spans.lock);
	if (arena && !spans_now()) {
		ref = arena_pages(arena, sizeof(*spans.in));
		spans.in = ref ? arena_at(arena, ref) : NULL;
		registry_header()->gpu_lists.spans = ref;
		__atomic_store_n(&spans.generation, registry_generation(),
				 __ATOMIC_RELEASE);
	}
	lock_give(&spans.lock);
	return spans_now();
}

static struct live_span *numbered_span(struct live_spans *in, uint64_t number)
{
	struct live_span *s;

	if (!in || !number || number == TAKEN)
		return NULL;
	s = &in->at[number % LIVE_SPANS];
	return __atomic_load_n(&s->number, __ATOMIC_ACQUIRE) == number ? s
								       : NULL;
}

static void count_unplaced(struct live_spans *in)
{
	__atomic_fetch_add(&in->unplaced, 1, __ATOMIC_RELAXED);
}

static struct live_span *placed_span(struct live_spans *in, uint32_t place)
{
	return numbered_span(
		in, __atomic_load_n(&in->at[place].number, __ATOMIC_ACQUIRE));
}

/* A free place, taken; NULL: there is none. */
static struct live_span *take_place(struct live_spans *in, uint64_t *number)
{
	for (int i = 0; i < TRIES; i++) {
		struct live_span *s;
		uint64_t none = 0;

		*number = __atomic_add_fetch(&in->last, 1, __ATOMIC_RELAXED);
		s = &in->at[*number % LIVE_SPANS];
		if (__atomic_compare_exchange_n(&s->number, &none, TAKEN, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return s;
	}
	count_unplaced(in);
	return NULL;
}

static bool inside_same(struct live_spans *in, uint64_t number, uint32_t name)
{
	const struct live_span *s;

	for (; (s = numbered_span(in, number)); number = s->parent)
		if (s->name == name)
			return true;
	return false;
}

/* The innermost, that is kept, of a thread that has ranges. */
static uint64_t own_span(const struct thread *t)
{
	uint32_t open = t->phases.count;

	open = open < PHASES_OPEN ? open : PHASES_OPEN;
	while (open && !t->phases.spans[open - 1].gpu)
		open--;
	return open ? t->phases.spans[open - 1].gpu : 0;
}

uint64_t gpu_span_of(const struct thread *t)
{
	if (t->phases.count || t->phases.own)
		return own_span(t);
	return __atomic_load_n(&spans.current, __ATOMIC_RELAXED);
}

static void set_current(const struct thread *t, uint64_t span)
{
	const struct thread *none = NULL;

	__atomic_compare_exchange_n(&spans.first, &none, t, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (__atomic_load_n(&spans.first, __ATOMIC_RELAXED) == t)
		__atomic_store_n(&spans.current, span, __ATOMIC_RELAXED);
}

uint64_t gpu_span_begin(struct thread *t, struct region_name *group,
			const char *text, uint64_t ns)
{
	struct live_spans *in = spans_now();
	uint64_t number, parent = own_span(t);
	struct live_span *s;
	uint32_t name;

	if (!__atomic_load_n(&spans.wanted, __ATOMIC_ACQUIRE))
		return 0;
	if (!in)
		in = make_spans();
	if (!in || !registry_name(group, &name))
		return 0;
	s = take_place(in, &number);
	if (!s)
		return 0;
	*s = (struct live_span){ .number = TAKEN,
				 .parent = parent,
				 .begin_ns = ns,
				 .calls = 1,
				 .name = name,
				 .nested = inside_same(in, parent, name) };
	sys_copy(s->text, text, sys_length(text, sizeof(s->text) - 1));
	__atomic_store_n(&s->number, number, __ATOMIC_RELEASE);
	set_current(t, number);
	gpu_slices_range(group->text, text, number, ns);
	return number;
}

void gpu_span_end(struct thread *t, uint64_t span, uint64_t ns)
{
	struct live_spans *in = spans_now();
	struct live_span *s = numbered_span(in, span);
	uint64_t number;

	if (!s)
		return;
	set_current(t, s->parent);
	__atomic_store_n(&s->end_ns, ns, __ATOMIC_RELEASE);
	gpu_slices_range_end(s, span, t->index);
	number = __atomic_fetch_add(&in->ended_last, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&in->ended[number % LIVE_SPANS], span,
			 __ATOMIC_RELEASE);
}

/* The work of GPUs */

void gpu_spans_work(const struct live_piece *piece, uint64_t fresh_ns)
{
	struct live_spans *in = spans_now();
	struct live_span *s = numbered_span(in, piece->span);
	uint64_t ns = piece->end - piece->start;

	if (in && piece->span && !s)
		count_unplaced(in);
	for (; s; s = numbered_span(in, s->parent)) {
		s->busy_ns += fresh_ns;
		if (piece->kernel) {
			s->launches++;
			s->kernels_ns += ns;
		} else {
			s->copies++;
			s->copies_ns += ns;
		}
	}
}

void gpu_spans_exposed(uint64_t span, uint64_t ns)
{
	struct live_spans *in = spans_now();
	struct live_span *s = numbered_span(in, span);

	for (; s; s = numbered_span(in, s->parent))
		s->exposed_ns += ns;
}

/* How long the GPUs had been idle by then, since they first worked. */
static uint64_t idle_by(uint64_t ns, uint64_t until, uint64_t idle_ns)
{
	return idle_ns + (until && ns > until ? ns - until : 0);
}

static void span_done(struct live_spans *in, struct live_span *s, uint64_t idle)
{
	s->time_ns = s->end_ns > s->begin_ns ? s->end_ns - s->begin_ns : 0;
	s->idle_ns = idle - s->idle_before_ns;
	s->settled = __atomic_load_n(&in->last, __ATOMIC_RELAXED);
	s->state = LIVE_SPAN_DONE;
}

static void pass_begins(struct live_spans *in, uint64_t until, uint64_t idle_ns,
			uint64_t start)
{
	uint64_t last = __atomic_load_n(&in->last, __ATOMIC_ACQUIRE);

	for (; sums.begun < last; sums.begun++) {
		struct live_span *s = numbered_span(in, sums.begun + 1);

		if (!s || s->state != LIVE_SPAN_NEW)
			continue;
		if (s->begin_ns > start)
			return;
		s->idle_before_ns = idle_by(s->begin_ns, until, idle_ns);
		s->state = LIVE_SPAN_BEGUN;
	}
}

static void pass_ends(struct live_spans *in, uint64_t until, uint64_t idle_ns,
		      uint64_t start)
{
	for (;; sums.ended++) {
		uint64_t *at = &in->ended[sums.ended % LIVE_SPANS];
		uint64_t number = __atomic_load_n(at, __ATOMIC_ACQUIRE);
		struct live_span *s = numbered_span(in, number);

		if (!number || (s && s->end_ns > start))
			return;
		if (s && s->state == LIVE_SPAN_BEGUN)
			span_done(in, s, idle_by(s->end_ns, until, idle_ns));
		__atomic_store_n(at, 0, __ATOMIC_RELEASE);
	}
}

/* Ranges that are open at the end of the work end there. */
static void pass_open(struct live_spans *in, uint64_t until, uint64_t idle_ns)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < LIVE_SPANS; i++) {
		struct live_span *s = placed_span(in, i);

		if (!s || s->state != LIVE_SPAN_BEGUN)
			continue;
		s->end_ns = now;
		span_done(in, s, idle_by(now, until, idle_ns));
	}
}

void gpu_spans_pass(uint64_t until, uint64_t idle_ns, uint64_t start)
{
	struct live_spans *in = spans_now();

	if (!in)
		return;
	pass_begins(in, until, idle_ns, start);
	pass_ends(in, until, idle_ns, start);
	if (start == UINT64_MAX)
		pass_open(in, until, idle_ns);
}

/* NULL: more than are kept. */
static struct live_range *range_of(uint32_t name)
{
	struct live_range *r;
	live_ref ref;

	for (uint32_t i = 0; i < sums.range_count; i++)
		if (sums.ranges[i]->name == name)
			return sums.ranges[i];
	if (sums.range_count == RANGES)
		return NULL;
	ref = arena_pages(sums.arena, sizeof(*r));
	if (!ref)
		return NULL;
	r = arena_at(sums.arena, ref);
	r->name = name;
	__atomic_store_n(sums.last ? (live_ref *)arena_at(sums.arena, sums.last)
				   : &registry_header()->gpu_lists.ranges,
			 ref, __ATOMIC_RELEASE);
	sums.last = ref;
	sums.ranges[sums.range_count++] = r;
	return r;
}

static void free_span(struct live_spans *in, struct live_span *s)
{
	struct live_range *r = s->nested ? NULL : range_of(s->name);

	if (r)
		spans_add(r, s);
	else if (!s->nested)
		count_unplaced(in);
	__atomic_store_n(&s->number, 0, __ATOMIC_RELEASE);
}

void gpu_spans_settle(void)
{
	struct live_spans *in = spans_now();
	uint64_t last = in ? __atomic_load_n(&in->last, __ATOMIC_ACQUIRE) : 0;

	if (!sums.arena || last < sums.swept + KEPT)
		return;
	sums.swept = last;
	for (uint32_t i = 0; i < LIVE_SPANS; i++) {
		struct live_span *s = placed_span(in, i);

		if (s && s->state == LIVE_SPAN_DONE &&
		    s->settled + KEPT <= last)
			free_span(in, s);
	}
}

void gpu_spans_reset(struct arena *arena)
{
	__builtin_memset(&sums, 0, sizeof(sums));
	sums.arena = arena;
}

AT_FORK static void gpu_spans_forked(void)
{
	lock_open(&spans.lock);
	spans.wanted = 0;
	spans.first = NULL;
	spans.current = 0;
}

const struct source source_gpu_spans = {
	.fork = gpu_spans_forked,
};
