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

static struct region_name *phase_name(const char *text)
{
	struct region_name *name = NULL;
	uint32_t i;

	lock_take(&phases.lock);
	for (i = 0; i < phases.count && !name; i++)
		if (!strcmp(phases.names[i].text, text))
			name = &phases.names[i];
	if (!name && phases.count < MOST_PHASES) {
		name = &phases.names[phases.count];
		name->text = strdup(text);
		name->class = LIVE_NAME_PHASE;
		if (name->text)
			phases.count++;
		else
			name = NULL;
	}
	lock_give(&phases.lock);
	return name;
}

void phase_forked(void)
{
	lock_give(&phases.lock);
}

PUBLIC void copse_begin(const char *text)
{
	struct region_name *name = collect_active() ? phase_name(text) : NULL;
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
