/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phase.c - what a program says of itself (copse.h): phases are roots of what
 * happens in them, and measuring can be paused.
 */
#include <string.h>

#include "collect/collect.h"
#include "collect/control.h"
#include "collect/gpu/gpu-spans.h"
#include "collect/iterations.h"
#include "collect/lock.h"
#include "collect/regions/region-handler.h"
#include "collect/regions/stamps.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "copse.h"
#include "collect/source.h"
#include "base/hidden.h"

enum {
	MOST_PHASES = 1024,
	ALONE = 8, /* so many that differ in digits have their own names */
	LABEL_MOST = 256,
};

/* A name, and what all are called that differ from it in digits. */
struct phase_label {
	struct region_name name;
	uint32_t hash;
	uint32_t members;          /* of a group; atomic */
	struct phase_label *group; /* itself: it has no digits, or is one */
};

/* Mutable: the names of phases, kept for the life of the process. */
static struct {
	struct lock lock;
	uint32_t count;
} phases RESET_AT_FORK;
static struct phase_label labels[MOST_PHASES];
/* Mutable: its number in the live profile. */
static struct phase_label others = {
	.name = { .text = "[other phases]", .class = LIVE_NAME_PHASE },
	.group = &others,
};

static uint32_t text_hash(const char *text)
{
	uint32_t hash = 0;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x01000193u;
	return hash;
}

static struct phase_label *find_label(const char *text, uint32_t hash)
{
	uint32_t count = __atomic_load_n(&phases.count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (labels[i].hash == hash &&
		    !strcmp(labels[i].name.text, text))
			return &labels[i];
	return NULL;
}

/* No malloc: its lock would be held where no signal gets through. */
static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = sys_memory(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

static struct phase_label *add_label(const char *text, uint32_t hash,
				     struct phase_label *group)
{
	struct phase_label *label = &labels[phases.count];

	if (phases.count == MOST_PHASES)
		return &others;
	label->name.text = copy_text(text);
	label->name.class = LIVE_NAME_PHASE;
	label->hash = hash;
	label->group = group ? group : label;
	if (!label->name.text)
		return NULL;
	__atomic_store_n(&phases.count, phases.count + 1, __ATOMIC_RELEASE);
	return label;
}

/* "step #" for "step 17"; false: it has no digits, or is too long. */
static bool text_of_group(char to[LABEL_MOST], const char *text)
{
	size_t length = 0;
	bool digits = false;

	for (; *text && length < LABEL_MOST - 1; length++) {
		bool digit = *text >= '0' && *text <= '9';

		to[length] = digit ? '#' : *text;
		digits |= digit;
		while (digit && text[1] >= '0' && text[1] <= '9')
			text++;
		text++;
	}
	to[length] = '\0';
	return digits && !*text;
}

/* The group has one more: when these are too many, none has its own name. */
static void join_group(struct phase_label *group)
{
	if (__atomic_add_fetch(&group->members, 1, __ATOMIC_RELAXED) <= ALONE)
		return;
	for (uint32_t i = 0; i < phases.count; i++)
		if (labels[i].group == group && &labels[i] != group)
			registry_rename(&labels[i].name, group->name.text);
}

/* Names are never taken back, so that a known one is found without a lock. */
static struct phase_label *label_in(const char *text, struct phase_label *group)
{
	uint32_t hash = text_hash(text);
	struct phase_label *label = find_label(text, hash);

	if (label)
		return label;
	lock_take(&phases.lock);
	label = find_label(text, hash);
	if (!label) {
		label = add_label(text, hash, group);
		if (label && label != &others && group)
			join_group(group);
	}
	lock_give(&phases.lock);
	return label;
}

static struct phase_label *label_of(const char *text)
{
	char all[LABEL_MOST];
	struct phase_label *group =
		text_of_group(all, text) ? label_in(all, NULL) : NULL;

	if (group && __atomic_load_n(&group->members, __ATOMIC_RELAXED) > ALONE)
		return group;
	return label_in(text, group);
}

struct region_name *phase_name(const char *text)
{
	struct phase_label *label = label_of(text);

	return label ? &label->name : NULL;
}

AT_FORK static void phase_reset(struct thread *t)
{
	t->phases.count = t->phases.asked = 0;
	t->phases.own = false;
}

/* The record's next thread begins outside of them. */
static void phase_thread_gone(struct thread *t)
{
	uint32_t open = t->phases.count;

	if (!open)
		return;
	t->tree.root = t->phases.spans[0].outside;
	while (open--)
		if (open < PHASES_OPEN)
			gpu_span_end(t, t->phases.spans[open].gpu,
				     time_now(CLOCK_MONOTONIC));
}

AT_FORK static void phase_forked(void)
{
	lock_open(&phases.lock);
}

/*
 * What is not over when the program ends has no time, but stays open.  A call
 * counts that was measured in part.
 */
static void count_phase(struct thread *t, live_ref node, bool begins, bool call,
			uint64_t ns)
{
	bool ok = tree_add(&t->tree, node, METRIC_PHASE_OPEN,
			   begins ? 1 : UINT64_MAX);

	if (ok && call)
		ok = tree_add(&t->tree, node, METRIC_PHASE_CALLS, 1);
	if (ok && ns)
		ok = tree_add(&t->tree, node, METRIC_PHASE_TIME, ns);
	if (!ok)
		thread_lost(t, LOSS_DROPPED_FULL);
}

static void prepare_span(struct thread *t, struct phase_span *span,
			 struct region_name *name)
{
	uint32_t index;

	span->outside = t->tree.root;
	if (registry_name(name, &index))
		span->node = tree_child(&t->tree, t->tree.root, LIVE_NODE_NAMED,
					index, 0);
}

static void stamp_phase(struct thread *t, const struct phase_span *span)
{
	struct live_call *call = region_call(t, span->node);

	if (call)
		stamps_count(t, call, span->start_ns, t->mpi_ns);
}

/* A handler may jump out of here: what will be undone is noted first. */
static void enter_span(struct thread *t, struct phase_label *label,
		       const char *text, const struct phase_span *now)
{
	struct phase_span span = *now;

	if (t->phases.count >= PHASES_OPEN) {
		t->phases.count++;
		return;
	}
	prepare_span(t, &span, &label->name);
	if (span.counted && label->name.detail != LIVE_PHASE_KERNEL)
		span.gpu = gpu_span_begin(t, &label->group->name, text,
					  span.start_ns);
	t->phases.own = true;
	t->phases.spans[t->phases.count] = span;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->phases.count++;
	if (!span.node)
		return;
	t->tree.root = span.node;
	t->live->phase = span.node;
	count_phase(t, span.node, true, span.counted, 0);
	stamp_phase(t, &span);
}

/* Values are of a node alone: what passed in phases inside is theirs. */
static void leave_phase(struct thread *t, const struct phase_span *now)
{
	struct phase_span *span = &t->phases.spans[t->phases.count];
	uint64_t paused = now->start_paused_ns - span->start_paused_ns;
	uint64_t took = now->start_ns - span->start_ns;

	took = took > paused ? took - paused : 0;
	if (t->phases.count)
		span[-1].inner_ns += took;
	t->tree.root = span->outside;
	t->live->phase = span->outside;
	gpu_span_end(t, span->gpu, now->start_ns);
	if (span->node)
		count_phase(t, span->node, false, took && !span->counted,
			    took > span->inner_ns ? took - span->inner_ns : 0);
}

static struct phase_span span_now(void)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);

	return (struct phase_span){
		.start_ns = now,
		.start_paused_ns = (uint64_t)collect_paused_until(now),
		.counted = !collect_paused(),
	};
}

PUBLIC void copse_begin(const char *text)
{
	struct phase_label *label = thread_self() ? label_of(text) : NULL;
	bool marks =
		label && iterations_mark_begins(label->group->name.text, text);
	struct phase_span now = label ? span_now() : (struct phase_span){ 0 };
	struct thread *t = label ? thread_use() : NULL;

	if (!t) {
		if (marks)
			iterations_mark_ends();
		return;
	}
	now.marks = marks;
	enter_span(t, label, text, &now);
	unwind_forget(&t->unwinder);
	polls_forget(&t->polls);
	thread_release(t);
}

PUBLIC void copse_phase_begin_kernel(const char *text)
{
	struct phase_label *label = thread_self() ? label_of(text) : NULL;

	if (label && label != &others)
		label->group->name.detail = label->name.detail =
			LIVE_PHASE_KERNEL;
	copse_begin(text);
}

/* None is open in a child that was forked inside a phase. */
static bool end_phase(struct thread *t, const struct phase_span *now)
{
	if (!t->phases.count || --t->phases.count >= PHASES_OPEN)
		return false;
	leave_phase(t, now);
	return t->phases.spans[t->phases.count].marks;
}

PUBLIC void copse_end(const char *text)
{
	struct phase_span now = span_now();
	struct thread *t = thread_use();
	bool marks;

	(void)text;
	if (!t)
		return;
	if (t->phases.asked && t->phases.asked == t->phases.count) {
		t->phases.asked = 0;
		end_phase(t, &now);
	}
	marks = end_phase(t, &now);
	unwind_forget(&t->unwinder);
	polls_forget(&t->polls);
	thread_release(t);
	if (marks)
		iterations_mark_ends();
}

bool phase_steer(const char *text)
{
	struct thread *t = thread_self();
	uint32_t open = t ? t->phases.asked : 0;

	if (open && t->phases.count > open)
		return false;
	if (open) {
		t->phases.asked = 0;
		copse_end(NULL);
	}
	if (t && *text) {
		copse_begin(text);
		t->phases.asked = t->phases.count;
	}
	return true;
}

PUBLIC void copse_pause(void)
{
	control_pause();
}

PUBLIC void copse_resume(void)
{
	control_resume();
}

const struct source source_phase = {
	.fork = phase_forked,
	.reset = phase_reset,
	.thread_gone = phase_thread_gone,
};
