/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.c - the kernel's counters of a thread: groups of events, read with
 * one system call each.
 *
 * A timer signal of one event may be lost, because the signal is still on its
 * way for another one that came at the same moment (a page fault is a minor
 * fault as well), or because the kernel throttles.  So whichever timer signal
 * arrives, all sampled events are read, and whole periods that have passed go
 * to its node.
 */
#include <stdlib.h>

#include "base/perf-attr.h"
#include "base/event.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/collect.h"
#include "collect/sampling/counters.h"
#include "collect/transparency/descriptor.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/source.h"

enum {
	COOKIE = 0x5ca1e00, /* what our timer signals carry */
	CODE_TRAP_PERF = 6,
	MOST_PARTS = 32,
};

/* Mutable: read once, before the first thread is measured. */
static struct {
	struct event events[EVENT_MOST];
	uint32_t event_count, part_count;
	bool counts; /* some have no period */
	struct {
		const struct event_part *at;
		uint32_t event;
	} parts[MOST_PARTS];
} wanted;

struct counter { /* one part, in the order of wanted.parts */
	struct descriptor descriptor;
	uint32_t leader;  /* whose reading has this one's value */
	uint32_t members; /* of a leader's group, itself included */
	uint64_t seen;    /* at the last reading */
	uint64_t value;   /* up to which it is accounted for */
	uint64_t enabled, running;
};

struct counters {
	struct counter of[MOST_PARTS];
	int64_t due[EVENT_MOST];      /* read, but on no node yet */
	uint64_t outside[EVENT_MOST]; /* … before the MPI call, its caller's */
};

struct reading { /* as read(2) gives it */
	uint64_t count, enabled, running, values[MOST_PARTS];
};

SIGSAFE static bool is_sampled(uint32_t part)
{
	return wanted.events[wanted.parts[part].event].period != 0;
}

/* Which events: from the environment. */
static void counters_init(const struct settings *settings)
{
	const char *text = secure_getenv(EVENT_VARIABLE);
	bool ticks;

	(void)settings;
	if (!text)
		return;
	ticks = clock_can_trap();
	wanted.event_count =
		(uint32_t)event_read(text, wanted.events, EVENT_MOST);
	for (uint32_t i = 0; i < wanted.event_count; i++) {
		struct event *e = &wanted.events[i];

		if (!ticks)
			e->period = 0;
		wanted.counts |= !e->period;
		for (uint32_t k = 0; k < e->part_count; k++) {
			if (wanted.part_count == MOST_PARTS)
				break;
			wanted.parts[wanted.part_count].at = &e->parts[k];
			wanted.parts[wanted.part_count++].event = i;
		}
	}
}

/* Their metrics, behind the fixed ones. */
SIGSAFE static void counters_describe(struct live_header *header)
{
	static const char prefix[] = METRIC_EVENT;

	if (header->metric_count > METRIC_COUNT)
		return;
	for (uint32_t i = 0; i < wanted.event_count; i++) {
		struct live_metric *m = &header->metrics[METRIC_COUNT + i];
		const struct event *e = &wanted.events[i];

		sys_copy(m->name, prefix, sizeof(prefix) - 1);
		sys_copy(m->name + sizeof(prefix) - 1, e->name,
			 EVENT_NAME_SIZE);
		m->unit = UNIT_COUNT;
		m->merge = MERGE_SUM;
		m->counting.period = e->period;
		m->counting.user_only = e->user_only;
	}
	header->metric_count = METRIC_COUNT + wanted.event_count;
}

/* A counter of the calling thread, in that leader's group or its own. */
static bool open_part(uint32_t part, int leader, struct counter *c)
{
	const struct event *e = &wanted.events[wanted.parts[part].event];
	struct perf_attr attr;
	long fd;

	event_attr(&attr, e, wanted.parts[part].at);
	attr.sig_data = e->period ? COOKIE : 0;
	attr.disabled = leader < 0 && collect_paused();
	fd = sys5(SYS_perf_event_open, &attr, 0, -1, leader,
		  PERF_FLAG_FD_CLOEXEC);
	c->descriptor.number = -1;
	if (fd >= 0)
		c->descriptor = descriptor_keep((int)fd, true);
	return c->descriptor.number >= 0;
}

/*
 * Counted events share a group, which is read at once and is on the processor
 * at one time, as long as the kernel finds that they fit there together; what
 * does not fit begins the next one.
 */
static void open_all(struct thread *t)
{
	struct counters *c = t->counters;
	uint32_t leader = MOST_PARTS;

	for (uint32_t i = 0; i < wanted.part_count; i++) {
		bool alone = is_sampled(i);

		c->of[i].leader = leader;
		if (!alone && leader < MOST_PARTS &&
		    open_part(i, c->of[leader].descriptor.number, &c->of[i])) {
			c->of[leader].members++;
			continue;
		}
		c->of[i].leader = i;
		c->of[i].members = 1;
		if (!open_part(i, -1, &c->of[i]))
			thread_lost(t, LOSS_NO_COUNTER);
		else if (!alone)
			leader = i;
	}
}

AT_FORK void counters_start(struct thread *t)
{
	if (!wanted.event_count || thread_all_left)
		return;
	if (!t->counters)
		t->counters = sys_memory(sizeof(*t->counters));
	if (!t->counters)
		return;
	*t->counters = (struct counters){ 0 };
	open_all(t);
}

static void close_all(struct counters *c)
{
	for (uint32_t i = 0; i < wanted.part_count; i++)
		descriptor_drop(&c->of[i].descriptor);
}

SIGSAFE static bool read_group(struct thread *t, struct counter *leader,
			       struct reading *r)
{
	if (leader->descriptor.number < 0)
		return false;
	if (descriptor_is_ours(&leader->descriptor) &&
	    sys3(SYS_read, leader->descriptor.number, r, sizeof(*r)) > 0 &&
	    r->count == leader->members)
		return true;
	descriptor_drop(&leader->descriptor);
	thread_lost(t, LOSS_COUNTER);
	return false;
}

/* What share of the time it counted goes into the report. */
SIGSAFE static void note_share(uint32_t event, uint64_t enabled,
			       uint64_t running)
{
	struct live_header *header = registry_header();
	struct live_metric *m;

	if (!header)
		return;
	m = &header->metrics[METRIC_COUNT + event];
	__atomic_fetch_add(&m->counting.enabled_ns, enabled, __ATOMIC_RELAXED);
	__atomic_fetch_add(&m->counting.running_ns, running, __ATOMIC_RELAXED);
}

/*
 * What a part has counted since it was last accounted for, in whole periods,
 * as if it had been on the processor all the time.
 */
SIGSAFE static void account_counter(struct counters *c, uint32_t part,
				    uint64_t enabled, uint64_t running)
{
	uint32_t event = wanted.parts[part].event;
	uint64_t period = wanted.events[event].period;
	uint64_t count = c->of[part].seen - c->of[part].value;

	if (period)
		count -= count % period;
	c->of[part].value += count;
	if (enabled != running)
		count = (uint64_t)((double)count * (double)enabled /
				   (double)running);
	if (wanted.parts[part].at->minus)
		c->due[event] -= (int64_t)count;
	else
		c->due[event] += (int64_t)count;
	note_share(event, enabled, running);
}

/* A sampled event has come as often as its period says. */
SIGSAFE static bool is_counter_due(const struct counter *c, uint32_t part)
{
	return c->seen - c->value >=
	       wanted.events[wanted.parts[part].event].period;
}

/* The part whose value stands next in the leader's reading, from `part` on. */
SIGSAFE static uint32_t member_of_leader(const struct counters *c,
					 uint32_t part, uint32_t leader)
{
	while (c->of[part].leader != leader)
		part++;
	return part;
}

/* Several groups take turns: what was not on yet is read the next time. */
SIGSAFE static void account_group(struct thread *t, uint32_t leader)
{
	struct counters *c = t->counters;
	struct counter *first = &c->of[leader];
	uint64_t enabled, running;
	uint32_t part = leader;
	struct reading r;

	if (!read_group(t, first, &r))
		return;
	for (uint32_t i = 0; i < r.count; i++, part++) {
		part = member_of_leader(c, part, leader);
		c->of[part].seen = r.values[i];
	}
	enabled = r.enabled - first->enabled;
	running = r.running - first->running;
	if (!running || (is_sampled(leader) && !is_counter_due(first, leader)))
		return;
	first->enabled = r.enabled;
	first->running = r.running;
	for (part = leader; part < wanted.part_count; part++)
		if (c->of[part].leader == leader)
			account_counter(c, part, enabled, running);
}

SIGSAFE void counters_read(struct thread *t)
{
	for (uint32_t i = 0; t->counters && i < wanted.part_count; i++)
		if (t->counters->of[i].leader == i)
			account_group(t, i);
}

/* A group's counts since the last reading were nobody's. */
SIGSAFE static void leave_out_group_counts(struct thread *t, uint32_t leader)
{
	struct counters *c = t->counters;
	uint32_t part = leader;
	struct reading r;

	if (!read_group(t, &c->of[leader], &r))
		return;
	for (uint32_t i = 0; i < r.count; i++, part++) {
		part = member_of_leader(c, part, leader);
		c->of[part].value += r.values[i] - c->of[part].seen;
		c->of[part].seen = r.values[i];
	}
}

SIGSAFE void counters_leave_out(struct thread *t)
{
	for (uint32_t i = 0; t->counters && i < wanted.part_count; i++)
		if (t->counters->of[i].leader == i)
			leave_out_group_counts(t, i);
}

SIGSAFE bool counters_due(const struct thread *t)
{
	for (uint32_t i = 0; t->counters && i < wanted.event_count; i++)
		if (wanted.events[i].period && t->counters->due[i] > 0)
			return true;
	return false;
}

SIGSAFE void counters_put(struct thread *t, live_ref node)
{
	struct counters *c = t->counters;

	for (uint32_t i = 0; c && i < wanted.event_count; i++) {
		if (c->due[i] <= 0)
			continue;
		if (tree_add(&t->tree, node, METRIC_COUNT + i,
			     (uint64_t)c->due[i]))
			c->due[i] = 0;
		else
			thread_lost(t, LOSS_DROPPED_FULL);
	}
}

SIGSAFE bool counters_timer_signal(const siginfo_t *info)
{
	/* si_perf_data, which older C libraries do not name. */
	return info->si_code == CODE_TRAP_PERF &&
	       *(const uint64_t *)((const char *)info + 24) == COOKIE;
}

/* Moves what is due to what was counted outside. */
static void put_outside(struct counters *c)
{
	for (uint32_t i = 0; i < wanted.event_count; i++) {
		if (c->due[i] <= 0)
			continue;
		c->outside[i] += (uint64_t)c->due[i];
		c->due[i] = 0;
	}
}

void counters_enter(struct thread *t)
{
	if (!t->counters || !wanted.counts)
		return;
	if (!thread_occupy(t))
		return;
	if (thread_open()) {
		counters_read(t);
		put_outside(t->counters);
	}
	thread_release(t);
}

void counters_leave(struct thread *t, live_ref node)
{
	struct counters *c = t->counters;
	const struct live_node *n;

	if (!c || !wanted.counts)
		return;
	n = arena_at(t->tree.arena, node);
	for (uint32_t i = 0; i < wanted.event_count; i++)
		if (c->outside[i] &&
		    tree_add(&t->tree, n->parent ? n->parent : node,
			     METRIC_COUNT + i, c->outside[i]))
			c->outside[i] = 0;
	counters_read(t);
	counters_put(t, node);
}

void counters_stop(struct thread *t)
{
	if (!t->counters)
		return;
	if (t->ready && wanted.counts)
		counters_leave(t, t->tree.root);
	close_all(t->counters);
}

SIGSAFE static void counters_pause(struct thread *t, bool paused)
{
	long what = paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;

	for (uint32_t i = 0; t->counters && i < wanted.part_count; i++) {
		const struct counter *c = &t->counters->of[i];

		if (c->leader == i && descriptor_is_ours(&c->descriptor))
			sys3(SYS_ioctl, c->descriptor.number, what, 0);
	}
}

/* What is open counts the parent. */
AT_FORK static void counters_forget(struct thread *t)
{
	if (t->counters && !thread_all_left)
		close_all(t->counters);
}

/*
 * Threads that still run, and _exit(), keep what came after a last sample.  A
 * process that was too short for one leaves no profile, unless counting is all
 * that was asked for.
 */
__attribute__((destructor)) static void count_until_exit(void)
{
	struct thread *t = thread_self();

	if (!t || !t->counters || (!t->ready && clock_rate()))
		return;
	t = thread_use();
	if (!t)
		return;
	counters_leave(t, t->tree.root);
	thread_release(t);
}

const struct source source_counters = {
	.start = counters_init,
	.describe = counters_describe,
	.thread_start = counters_start,
	.thread_stop = counters_stop,
	.paused = counters_pause,
	.dropped = counters_forget,
};
