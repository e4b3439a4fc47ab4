/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-idle.c - gaps between work are laid beside what threads did. */
#include "collect/gpu/gpu-idle.h"

#include "base/sys.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/history.h"
#include "collect/regions/region.h"
#include "collect/source.h"

enum {
	SLACK_NS = 5000,
	RESUMES = 4096,     /* records come within 2 s or so */
	FAR_NS = 100000000, /* a sample so late says nothing of a hole */
	NO_THREAD = -1,
};

/* Mutable, under the lock: what one thread did, as it was read last. */
static struct {
	int64_t thread;
	uint32_t count, at; /* `at`: where the last gap began */
	struct span *spans;
	uint16_t *sample; /* of each: the next that is one; HISTORY_SPANS: none
			   */
	uint64_t least_delay;
	struct {
		live_ref node;
		uint32_t thread;
		struct region_name *name;
		uint64_t ns, count;
	} sum; /* of the same cause again and again */
} idle = { .thread = NO_THREAD };

/* Mutable: their numbers in the live profile. */
static struct region_name queued = { .text = "[queued]",
				     .class = LIVE_NAME_KERNEL },
			  off = { .text = "[not running]",
				  .class = LIVE_NAME_KERNEL };

/* Mutable: when measuring went on; written by any thread. */
static struct {
	uint64_t at[RESUMES];
	uint32_t count;
} resumes;

SIGSAFE void gpu_idle_resumed(uint64_t now)
{
	uint32_t i = __atomic_fetch_add(&resumes.count, 1, __ATOMIC_RELAXED);

	__atomic_store_n(&resumes.at[i % RESUMES], now, __ATOMIC_RELEASE);
}

static uint64_t resumed_at(uint32_t i)
{
	return __atomic_load_n(&resumes.at[i % RESUMES], __ATOMIC_RELAXED);
}

/*
 * Where the last pause in a gap ended.  Of what is older than all that is kept
 * nothing is known: `to`.
 */
static uint64_t without_pause(uint64_t from, uint64_t to)
{
	uint32_t count = __atomic_load_n(&resumes.count, __ATOMIC_ACQUIRE);
	uint32_t low = count > RESUMES ? count - RESUMES : 0, high = count;
	uint32_t oldest = low;

	while (low < high) { /* the first that is not before `to` */
		uint32_t middle = low + (high - low) / 2;

		if (resumed_at(middle) < to)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == oldest)
		return oldest ? to : from;
	return resumed_at(low - 1) > from ? resumed_at(low - 1) : from;
}

/* Causes */

static void flush_idle(void)
{
	if (idle.sum.ns)
		gpu_sums_idle(idle.sum.node, idle.sum.thread, idle.sum.name,
			      idle.sum.ns, idle.sum.count);
	idle.sum.ns = idle.sum.count = 0;
}

/* `name`: of a child of the node; NULL: the node itself. */
static void blame_node(live_ref node, uint32_t thread, struct region_name *name,
		       uint64_t ns)
{
	if (node != idle.sum.node || thread != idle.sum.thread ||
	    name != idle.sum.name)
		flush_idle();
	idle.sum.node = node;
	idle.sum.thread = thread;
	idle.sum.name = name;
	idle.sum.ns += ns;
	idle.sum.count++;
}

/* Histories */

static void find_samples(void)
{
	uint32_t next = HISTORY_SPANS;

	for (uint32_t i = idle.count; i-- > 0;) {
		if (idle.spans[i].kind == SPAN_SAMPLE)
			next = i;
		idle.sample[i] = (uint16_t)next;
	}
}

static void read_history(uint32_t thread)
{
	if (idle.thread == thread)
		return;
	if (!idle.spans)
		idle.spans = sys_memory(HISTORY_SPANS * sizeof(*idle.spans));
	if (!idle.sample)
		idle.sample = sys_memory(HISTORY_SPANS * sizeof(*idle.sample));
	idle.thread = thread;
	idle.at = idle.count = 0;
	if (!idle.spans || !idle.sample)
		return;
	idle.count = history_read(thread, idle.spans);
	find_samples();
}

/* The first span that ends after that: most are near the last one. */
static uint32_t find_span(uint64_t ns)
{
	uint32_t low = idle.at, high = idle.count, step = 1;

	if (low && idle.spans[low - 1].to > ns)
		low = 0;
	while (high - low > step && idle.spans[low + step - 1].to <= ns) {
		low += step;
		step *= 2;
	}
	if (high - low > step)
		high = low + step;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (idle.spans[middle].to > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return idle.at = low;
}

/* No span says what was in it: the next sample outside of calls does. */
static void blame_gap_without_span(const struct gpu_gap *gap, uint32_t next,
				   uint64_t to, uint64_t ns)
{
	uint32_t i = next < idle.count ? idle.sample[next] : HISTORY_SPANS;

	if (i < idle.count && idle.spans[i].from < to + FAR_NS)
		blame_node(idle.spans[i].node, gap->thread, NULL, ns);
	else
		blame_node(gap->node, gap->thread, NULL, ns);
}

static void blame_span(const struct gpu_gap *gap, const struct span *span,
		       uint64_t ns)
{
	blame_node(span->node, gap->thread,
		   span->kind == SPAN_OFF ? &off : NULL, ns);
}

/* What the thread did from then to then. */
static void blame_history(const struct gpu_gap *gap, uint64_t from, uint64_t to)
{
	uint32_t i;

	read_history(gap->thread);
	for (i = find_span(from); i < idle.count && from < to; i++) {
		const struct span *s = &idle.spans[i];
		uint64_t begin = s->from < to ? s->from : to;
		uint64_t end = s->to < to ? s->to : to;

		if (begin > from) {
			blame_gap_without_span(gap, i, begin, begin - from);
			from = begin;
		}
		if (end > from)
			blame_span(gap, s, end - from);
		from = end > from ? end : from;
	}
	if (from < to)
		blame_gap_without_span(gap, i, to, to - from);
}

void gpu_idle_delay(uint64_t ns)
{
	if (!idle.least_delay || ns < idle.least_delay)
		idle.least_delay = ns ? ns : 1;
}

/* When the call that launched returned; 0: not known, it was short. */
static uint64_t launch_end(const struct gpu_gap *gap)
{
	const struct span *s;
	uint32_t i;

	read_history(gap->thread);
	i = find_span(gap->begun);
	s = &idle.spans[i];
	return i < idle.count && s->kind == SPAN_CALL && s->node == gap->node &&
			       s->from <= gap->begun + SLACK_NS
		       ? s->to
		       : 0;
}

/*
 * Work that was launched long before it began.  A launch that takes long keeps
 * the device waiting itself, until it returns and a while after that.
 */
static void blame_late_work(const struct gpu_gap *gap)
{
	uint64_t launched = launch_end(gap);
	uint64_t until = launched + 2 * idle.least_delay + SLACK_NS;

	if (!launched || launched <= gap->from)
		launched = gap->from;
	else
		launched = until < gap->to ? launched : gap->to;
	if (launched > gap->from)
		blame_node(gap->node, gap->thread, NULL, launched - gap->from);
	if (launched < gap->to)
		blame_node(gap->node, gap->thread, &queued, gap->to - launched);
}

static void blame_gap(const struct gpu_gap *gap)
{
	uint64_t length = gap->to - gap->from;
	uint64_t delay = gap->to > gap->begun ? gap->to - gap->begun : 0;

	if (!gap->node || !gap->begun) {
		gpu_sums_idle_lost(gap->why, length);
	} else if (gap->begun >= gap->from) {
		blame_history(gap, gap->from,
			      gap->begun < gap->to ? gap->begun : gap->to);
		if (delay)
			blame_node(gap->node, gap->thread, NULL, delay);
	} else if (delay <= 2 * idle.least_delay + SLACK_NS) {
		blame_history(gap, gap->begun - length, gap->begun);
	} else {
		blame_late_work(gap);
	}
}

void gpu_idle_gap(const struct gpu_gap *gap)
{
	struct gpu_gap g = *gap;

	g.from = without_pause(g.from, g.to);
	if (g.from < g.to)
		blame_gap(&g);
}

void gpu_idle_settled(uint64_t ns)
{
	flush_idle();
	idle.thread = NO_THREAD;
	history_settled(ns);
}

void gpu_idle_reset(void)
{
	idle.sum.ns = idle.sum.count = 0;
	idle.thread = NO_THREAD;
}

const struct source source_gpu_idle = {
	.resumed = gpu_idle_resumed,
};
