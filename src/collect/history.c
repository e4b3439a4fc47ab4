/* SPDX-License-Identifier: BSD-3-Clause */
/* history.c - spans of time in the order of time. */
#include "collect/history.h"

#include "base/sys.h"

enum {
	TRIES = 8,
	OFF_FACTOR = 2, /* more elapsed than CPU time: it did not run */
	OFF_NS = 200000,
};

struct history {
	uint32_t thread;
	uint32_t version; /* odd: the spans are being changed */
	uint32_t count;
	uint64_t random;
	struct span spans[HISTORY_SPANS];
};

/* Mutable: of all threads that have one. */
static struct {
	struct history *at[HISTORY_THREADS];
	uint32_t count;
	uint64_t settled;
} all;

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

/* One that a longjmp has cut off is over with the next. */
SIGSAFE static void begin_change(struct history *h)
{
	__atomic_store_n(&h->version, h->version | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

SIGSAFE static void end_change(struct history *h)
{
	__atomic_store_n(&h->version, (h->version | 1) + 1, __ATOMIC_RELEASE);
}

/* A number below `most`, xorshift64. */
SIGSAFE static uint64_t draw(struct history *h, uint64_t most)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 7;
	h->random ^= h->random << 17;
	return h->random % most;
}

SIGSAFE static struct span joined(struct history *h, const struct span *a,
				  const struct span *b)
{
	uint64_t first = a->to - a->from, both = first + b->to - b->from;
	struct span one = both && draw(h, both) < first ? *a : *b;

	one.from = a->from;
	one.to = b->to;
	return one;
}

SIGSAFE static void drop_settled(struct history *h)
{
	uint64_t settled = __atomic_load_n(&all.settled, __ATOMIC_RELAXED);
	uint32_t gone = 0;

	while (gone < h->count && h->spans[gone].to <= settled)
		gone++;
	h->count -= gone;
	for (uint32_t i = 0; gone && i < h->count; i++)
		h->spans[i] = h->spans[i + gone];
}

/* Neighbours that are short together become one: half are left at most. */
SIGSAFE static void thin(struct history *h)
{
	const struct span *last = &h->spans[h->count - 1];
	uint64_t most = (last->to - h->spans[0].from) / (HISTORY_SPANS / 4);
	uint32_t to = 0;

	for (uint32_t i = 1; i < h->count; i++)
		if (h->spans[i].to - h->spans[to].from <= most)
			h->spans[to] = joined(h, &h->spans[to], &h->spans[i]);
		else
			h->spans[++to] = h->spans[i];
	h->count = to + 1;
}

SIGSAFE static void make_room(struct history *h)
{
	if (h->count < HISTORY_SPANS)
		return;
	drop_settled(h);
	if (h->count > HISTORY_SPANS / 4 * 3)
		thin(h);
}

/* What is inside the new span is part of it. */
SIGSAFE static void clear_from(struct history *h, uint64_t from)
{
	while (h->count && h->spans[h->count - 1].from >= from)
		h->count--;
	if (h->count && h->spans[h->count - 1].to > from)
		h->spans[h->count - 1].to = from;
}

SIGSAFE static void append(struct history *h, live_ref node, uint64_t from,
			   uint64_t to, enum span_kind kind)
{
	struct span *last = h->count ? &h->spans[h->count - 1] : 0;

	if (from >= to)
		return;
	if (last && last->node == node && last->kind == kind &&
	    kind == SPAN_SAMPLE && from <= last->to + OFF_NS) {
		last->to = to;
		return;
	}
	make_room(h);
	h->spans[h->count++] = (struct span){ from, to, node, kind };
}

SIGSAFE void history_call(struct history *h, live_ref node, uint64_t from,
			  uint64_t to)
{
	begin_change(h);
	clear_from(h, from);
	append(h, node, from, to, SPAN_CALL);
	end_change(h);
}

SIGSAFE void history_sample(struct history *h, live_ref node, uint64_t now,
			    uint64_t wall_ns, uint64_t cpu_ns)
{
	uint64_t last = h->count ? h->spans[h->count - 1].to : 0;
	uint64_t from = now > wall_ns ? now - wall_ns : 0, ran = now - cpu_ns;

	if (from < last)
		from = last;
	begin_change(h);
	if (ran < now && ran > from &&
	    now - from > OFF_FACTOR * cpu_ns + OFF_NS) {
		append(h, node, from, ran, SPAN_OFF);
		from = ran;
	}
	append(h, node, from, now, SPAN_SAMPLE);
	end_change(h);
}

static const struct history *find(uint32_t thread)
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

uint32_t history_read(uint32_t thread, struct span *to)
{
	const struct history *h = find(thread);

	for (int i = 0; h && i < TRIES; i++) {
		uint32_t before =
			__atomic_load_n(&h->version, __ATOMIC_ACQUIRE);
		uint32_t count = __atomic_load_n(&h->count, __ATOMIC_RELAXED);

		if (before & 1 || count > HISTORY_SPANS)
			continue;
		sys_copy(to, h->spans, count * sizeof(*to));
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&h->version, __ATOMIC_RELAXED) == before)
			return count;
	}
	return 0;
}

void history_settled(uint64_t ns)
{
	__atomic_store_n(&all.settled, ns, __ATOMIC_RELAXED);
}

void history_forked(void)
{
	__atomic_store_n(&all.count, 0, __ATOMIC_RELAXED);
}
