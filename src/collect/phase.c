/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phase.c - what a program says of itself (copse.h): phases are roots of what
 * happens in them, and measuring can be paused.
 */
#include <string.h>

#include "collect/collect.h"
#include "collect/control.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "copse.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	MOST_PHASES = 1024
};

/* Mutable: the names of phases, kept for the life of the process. */
static struct {
	struct lock lock;
	uint32_t count;
	struct region_name names[MOST_PHASES];
} phases;

static struct region_name *find_name(const char *text)
{
	uint32_t count = __atomic_load_n(&phases.count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(phases.names[i].text, text))
			return &phases.names[i];
	return NULL;
}

/* No malloc: its lock would be held where no signal gets through. */
static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = sys_memory(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

static struct region_name *add_name(const char *text)
{
	struct region_name *name = &phases.names[phases.count];

	if (phases.count == MOST_PHASES)
		return NULL;
	name->text = copy_text(text);
	name->class = LIVE_NAME_PHASE;
	if (!name->text)
		return NULL;
	__atomic_store_n(&phases.count, phases.count + 1, __ATOMIC_RELEASE);
	return name;
}

/* Names are never taken back, so that a known one is found without a lock. */
static struct region_name *phase_name(const char *text)
{
	struct region_name *name = find_name(text);

	if (name)
		return name;
	lock_take(&phases.lock);
	name = find_name(text);
	if (!name)
		name = add_name(text);
	lock_give(&phases.lock);
	return name;
}

void phase_forked(void)
{
	lock_open(&phases.lock);
}

PUBLIC void copse_begin(const char *text)
{
	struct region_name *name = thread_self() ? phase_name(text) : NULL;
	struct thread *t = name ? thread_use() : NULL;
	uint32_t index;
	live_ref node = 0;

	if (!t)
		return;
	if (t->phases < THREAD_PHASES && registry_name(name, &index))
		node = tree_child(&t->tree, t->tree.root, LIVE_NODE_NAMED,
				  index, 0);
	if (t->phases < THREAD_PHASES)
		t->outside[t->phases] = t->tree.root;
	t->phases++;
	if (node)
		t->tree.root = node;
	unwind_forget(&t->unwinder);
	thread_release(t);
}

PUBLIC void copse_end(const char *text)
{
	struct thread *t = thread_use();

	(void)text;
	if (!t)
		return;
	/* None is open in a child that was forked inside a phase. */
	if (t->phases && --t->phases < THREAD_PHASES)
		t->tree.root = t->outside[t->phases];
	unwind_forget(&t->unwinder);
	thread_release(t);
}

PUBLIC void copse_pause(void)
{
	control_pause();
}

PUBLIC void copse_resume(void)
{
	control_resume();
}
