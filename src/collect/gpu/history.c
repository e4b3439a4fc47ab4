/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history.c - spans of time in the order of time, in a send it.
 *
 * Spans become fewer in passes from the oldest to the newest, a few of them at
 * each change: a signal handler that did it at once took a third of a
 * millisecond.
 */
#include "collect/gpu/history.h"

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/source.h"

enum {
	TRIES = 8,
	OFF_FACTOR = 2, /* more elapsed than CPU time: it did not run */
	OFF_NS = 200000,
	CALL_FACTOR = 4, /* a hole by the call behind it, to know of it */
	AT_A_TIME = 64,  /* spans that one change looks at */
	FULL = HISTORY_SPANS / 4 * 3,
};

struct history {
	uint32_t thread;
	uint32_t version; /* odd: the spans are being changed */
	uint64_t random;
	uint64_t cpu_ns; /* of the thread, when it was asked for last */
	/*
	 * Of all spans ever, modulo HISTORY_SPANS: those that a pass has left
	 * are [first, kept), those that it has not seen [seen, end).  Without
	 * one the three are the same.
	 */
	uint64_t first, kept, seen, end;
	uint64_t short_ns; /* what the pass joins, at the most */
	struct span spans[HISTORY_SPANS];
};

/* Mutable: of all threads that have one. */
static struct {
	struct history *at[HISTORY_THREADS];
	uint32_t count;
	uint64_t settled;
} all RESET_AT_FORK;

struct history *history_new(uint32_t thread)
{
	uint32_t count = __atomic_load_n(&all.count, __ATOMIC_RELAXED);
	struct history *h;

	if (count >= HISTORY_THREADS)
		return NULL;
	h = sys_memory(sizeof(*h));
	if (!h)
		return NULL;
	h->thread = thread;
	h->random = thread + 1;
	count = __atomic_fetch_add(&all.count, 1, __ATOMIC_RELAXED);
	if (count >= HISTORY_THREADS) {
		sys2(SYS_munmap, h, sizeof(*h));
		return NULL;
	}
	__atomic_store_n(&all.at[count], h, __ATOMIC_RELEASE);
	return h;
}

SIGSAFE static inline struct span *span_at(struct history *h, uint64_t i)
{
	return &h->spans[i % HISTORY_SPANS];
}

/* The pass is over when it has seen all. */
SIGSAFE static void settle_pass(struct history *h)
{
	if (h->kept == h->first || h->seen < h->end)
		return;
	h->end = h->kept;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	h->kept = h->seen = h->first;
}

/* One that a longjmp has cut off is over with the next. */
SIGSAFE static void begin_ring_change(struct history *h)
{
	__atomic_store_n(&h->version, h->version | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	settle_pass(h);
}

SIGSAFE static void end_ring_change(struct history *h)
{
	__atomic_store_n(&h->version, (h->version | 1) + 1, __ATOMIC_RELEASE);
}

/* A number below `most`, xorshift64. */
SIGSAFE static uint64_t random_number_below(struct history *h, uint64_t most)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 7;
	h->random ^= h->random << 17;
	return h->random % most;
}

SIGSAFE static struct span join_spans(struct history *h, const struct span *a,
				      const struct span *b)
{
	uint64_t first = a->to - a->from, both = first + b->to - b->from;
	struct span one =
		both && random_number_below(h, both) < first ? *a : *b;

	one.from = a->from;
	one.to = b->to;
	return one;
}

SIGSAFE static void drop_settled(struct history *h)
{
	uint64_t settled = __atomic_load_n(&all.settled, __ATOMIC_RELAXED);

	for (int i = 0; i < AT_A_TIME && h->first < h->end; i++) {
		if (span_at(h, h->first)->to > settled)
			break;
		h->first++;
	}
	h->kept = h->seen = h->first;
}

/* Neighbours that are short together become one: half are left at most. */
SIGSAFE static void begin_pass(struct history *h)
{
	uint64_t ns = span_at(h, h->end - 1)->to - span_at(h, h->first)->from;

	h->short_ns = ns / (HISTORY_SPANS / 4);
	h->seen = h->first + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	h->kept = h->first + 1;
}

SIGSAFE static void go_on_with_pass(struct history *h)
{
	for (int i = 0; i < AT_A_TIME && h->seen < h->end; i++) {
		const struct span *next = span_at(h, h->seen++);
		struct span *last = span_at(h, h->kept - 1);

		if (next->to - last->from <= h->short_ns)
			*last = join_spans(h, last, next);
		else
			*span_at(h, h->kept++) = *next;
	}
	settle_pass(h);
}

/* A pass begins early enough to be over before the send it is full. */
SIGSAFE static void make_span_room(struct history *h)
{
	if (h->kept > h->first) {
		go_on_with_pass(h);
		return;
	}
	if (h->end - h->first <= HISTORY_SPANS / 2)
		return;
	drop_settled(h);
	if (h->end - h->first > FULL)
		begin_pass(h);
}

SIGSAFE static struct span *newest_span(struct history *h)
{
	return h->end > h->first ? span_at(h, h->end - 1) : 0;
}

/* What is inside the new span is part of it. */
SIGSAFE static void clear_from(struct history *h, uint64_t from)
{
	struct span *last;

	while ((last = newest_span(h)) && last->from >= from) {
		h->end--;
		settle_pass(h);
	}
	if (last && last->to > from)
		last->to = from;
}

SIGSAFE static void append_span(struct history *h, live_ref node, uint64_t from,
				uint64_t to, enum span_kind kind)
{
	struct span *last = newest_span(h);

	if (from >= to)
		return;
	if (last && last->node == node && last->kind == kind &&
	    kind == SPAN_SAMPLE && from <= last->to + OFF_NS) {
		last->to = to;
		return;
	}
	make_span_room(h);
	*span_at(h, h->end) = (struct span){ from, to, node, kind };
	h->end++;
}

SIGSAFE void history_call(struct history *h, live_ref node, uint64_t from,
			  uint64_t to)
{
	begin_ring_change(h);
	clear_from(h, from);
	append_span(h, node, from, to, SPAN_CALL);
	end_ring_change(h);
}

SIGSAFE void history_sample(struct history *h, live_ref node, uint64_t now,
			    uint64_t wall_ns, uint64_t cpu_ns)
{
	const struct span *before = newest_span(h);
	uint64_t last = before ? before->to : 0;
	uint64_t from = now > wall_ns ? now - wall_ns : 0, ran = now - cpu_ns;

	if (from < last)
		from = last;
	begin_ring_change(h);
	if (ran < now && ran > from &&
	    now - from > OFF_FACTOR * cpu_ns + OFF_NS) {
		append_span(h, node, from, ran, SPAN_OFF);
		from = ran;
	}
	append_span(h, node, from, now, SPAN_SAMPLE);
	end_ring_change(h);
}

SIGSAFE bool history_has_hole(const struct history *h, uint64_t from,
			      uint64_t ns)
{
	uint64_t last = h->end > h->first
				? h->spans[(h->end - 1) % HISTORY_SPANS].to
				: from;

	return from > last + OFF_NS && from - last > CALL_FACTOR * ns;
}

SIGSAFE void history_back(struct history *h, live_ref node, uint64_t to,
			  uint64_t cpu_ns, uint64_t sampled_ns)
{
	const struct span *last = newest_span(h);
	uint64_t known = h->cpu_ns > sampled_ns ? h->cpu_ns : sampled_ns;
	uint64_t ran = cpu_ns > known ? cpu_ns - known : 0;

	h->cpu_ns = cpu_ns;
	if (!last || to < last->to + OFF_FACTOR * ran + OFF_NS)
		return;
	begin_ring_change(h);
	append_span(h, node, last->to, to - ran, SPAN_OFF);
	end_ring_change(h);
}

static const struct history *find_history(uint32_t thread)
{
	uint32_t count = __atomic_load_n(&all.count, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < count && i < HISTORY_THREADS; i++) {
		const struct history *h =
			__atomic_load_n(&all.at[i], __ATOMIC_ACQUIRE);

		if (h && h->thread == thread)
			return h;
	}
	return 0;
}

/* Those from `first` up to `end`, to *to, which moves on. */
static void copy_spans(const struct history *h, uint64_t first, uint64_t end,
		       struct span **to)
{
	while (first < end) {
		uint64_t i = first % HISTORY_SPANS, count = end - first;

		if (count > HISTORY_SPANS - i)
			count = HISTORY_SPANS - i;
		sys_copy(*to, &h->spans[i], count * sizeof(**to));
		*to += count;
		first += count;
	}
}

/* All of it as it is now, which may be nonsense: false. */
static bool copy_all(const struct history *h, struct span **to)
{
	uint64_t first = __atomic_load_n(&h->first, __ATOMIC_RELAXED);
	uint64_t kept = __atomic_load_n(&h->kept, __ATOMIC_RELAXED);
	uint64_t seen = __atomic_load_n(&h->seen, __ATOMIC_RELAXED);
	uint64_t end = __atomic_load_n(&h->end, __ATOMIC_RELAXED);

	if (kept < first || seen < kept || end < seen ||
	    end - first > HISTORY_SPANS)
		return false;
	copy_spans(h, first, kept, to);
	copy_spans(h, seen, end, to);
	return true;
}

uint32_t history_read(uint32_t thread, struct span *to)
{
	const struct history *h = find_history(thread);

	for (int i = 0; h && i < TRIES; i++) {
		uint32_t before =
			__atomic_load_n(&h->version, __ATOMIC_ACQUIRE);
		struct span *copied = to;

		if (before & 1 || !copy_all(h, &copied))
			continue;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&h->version, __ATOMIC_RELAXED) == before)
			return (uint32_t)(copied - to);
	}
	return 0;
}

void history_settled(uint64_t ns)
{
	__atomic_store_n(&all.settled, ns, __ATOMIC_RELAXED);
}

AT_FORK static void history_forked(void)
{
	if (__atomic_load_n(&all.count, __ATOMIC_RELAXED))
		__atomic_store_n(&all.count, 0, __ATOMIC_RELAXED);
}

const struct source source_history = {
	.fork = history_forked,
};
