/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-starter.c - see thread-starter.h. */
#include "collect/threads/thread-starter.h"

#include "arch/registers.h"
#include "arch/timestamp.h"
#include "base/sys.h"
#include "collect/python/python-frames.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "live/arena.h"

enum {
	/* In less, the main thread has not left the function and come back to
	   it, and the thread been woken to new work. */
	BURST_NS = 5000,
	MISSES = 64,     /* after these it is looked at … */
	MISS_EVERY = 64, /* … once in these */
	ABOVE_MOST = 32  /* nodes above the first function of Python */
};

static struct python_stack stack_of_main(const struct thread *main,
					 uintptr_t id)
{
	return (struct python_stack){ main->unwinder.sounded,
				      main->unwinder.high, id };
}

void thread_starter_note(struct thread_starter *to)
{
	struct thread *t = thread_self();
	struct unwinder *u = &t->unwinder;
	struct python_stack stack = { u->sounded, u->high, registers_thread() };

	*to = (struct thread_starter){ 0 };
	if (!python_layout || !u->python.lasting || !thread_occupy(t))
		return;
	if (thread_open()) {
		safe_read_forget(&u->reader);
		if (!u->python.known)
			python_frames_find(&u->python, &u->reader, &stack);
		to->code = python_frame_code(
			&u->reader, python_frames_current(&u->python, &stack));
	}
	if (to->code)
		to->main = t;
	to->id = stack.id;
	thread_release(t);
}

/* All of it, once; false: no memory. */
SIGSAFE static bool have_frames(struct thread *t, struct thread_starter *s)
{
	uint32_t depth = t->unwinder.depth;
	char *room;

	if (s->frames)
		return true;
	room = sys_memory(sizeof(*s->frames) + python_frames_size(depth));
	if (!room)
		return false;
	s->frames = (struct python_frames *)room;
	python_frames_init(s->frames, room + sizeof(*s->frames), depth);
	return true;
}

/* The main thread's functions of now are the fresh ones. */
SIGSAFE static bool read_main(struct thread *t, struct thread_starter *s)
{
	struct python_stack stack = stack_of_main(s->main, s->id);
	struct python_frames *p;

	if (!have_frames(t, s))
		return false;
	p = s->frames;
	p->states[0] = *python_state(&s->main->unwinder.python);
	p->known = 1;
	safe_read_forget(&t->unwinder.reader);
	return python_frames_read(p, &t->unwinder.reader, &stack, false,
				  false) == PYTHON_READ &&
	       p->read && (!p->cut || p->seam) &&
	       python_frame_fresh(p, p->read - 1)->code == s->code;
}

/*
 * The same nodes as those between the root of the main thread's last path and
 * its first function of Python, in the own tree, below a reference to the root
 * of now.
 */
SIGSAFE static live_ref copy_above(struct thread *t, struct thread_starter *s,
				   live_ref root)
{
	const struct unwinder *u = &s->main->unwinder;
	struct python_frames *main = &s->main->unwinder.python;
	live_ref above[ABOVE_MOST], at = 0, until = u->root, node;
	uint32_t count = 0;

	if (main->count && python_frame_memo(main, 0)->at ==
				   python_frame_fresh(s->frames, 0)->at)
		at = python_frame_memo(main, 0)->parent;
	for (; at && at != until && count < ABOVE_MOST;
	     at = ((struct live_node *)arena_at(t->tree.arena, at))->parent)
		above[count++] = at;
	if (at != until)
		count = 0;
	node = tree_child(&t->tree, s->outside, LIVE_NODE_BELOW, 0, root);
	while (count && node) {
		const struct live_node *n =
			arena_at(t->tree.arena, above[--count]);

		node = tree_child(&t->tree, node, n->kind, n->owner, n->offset);
	}
	return node;
}

SIGSAFE static live_ref insert_main(struct thread *t, struct thread_starter *s)
{
	struct python_frames *p = s->frames;
	live_ref above = s->main->tree.root, node;

	if (p->same == p->read && s->above == above && s->node) {
		python_frames_keep(p);
		return s->node;
	}
	node = copy_above(t, s, above);
	for (uint32_t i = 0; i < p->read && node; i++) {
		struct python_frame *f = python_frame_fresh(p, i);

		if (i >= p->same || f->parent != node || !f->node)
			f->node = tree_child(&t->tree, node, LIVE_NODE_PYTHON,
					     f->name.index,
					     python_frame_offset(f));
		f->parent = node;
		node = f->node;
	}
	python_frames_keep(p);
	s->above = above;
	return s->node = node;
}

/* As said in the header; else it is the thread's own root. */
SIGSAFE static live_ref root_of_now(struct thread *t, struct thread_starter *s,
				    bool again)
{
	live_ref root = 0;

	if (s->missed > MISSES && s->missed % MISS_EVERY) {
		s->missed++;
		return s->outside;
	}
	if ((again ||
	     python_frame_code(&t->unwinder.reader, s->frame) == s->code) &&
	    read_main(t, s))
		root = insert_main(t, s);
	s->missed = root ? 0 : s->missed + 1;
	return root ? root : s->outside;
}

/* Its frames are as they were read: it has not worked since. */
SIGSAFE static bool main_has_waited(struct thread_starter *s)
{
	uint64_t before = s->main_cpu;

	s->main_cpu = time_thread_cpu(s->main->tid);
	return s->main_cpu == before && before && s->root != s->outside;
}

SIGSAFE void thread_starter_follow(struct thread *t)
{
	struct thread_starter *s = &t->starter;
	struct python_stack stack = stack_of_main(s->main, s->id);
	uint64_t now = timestamp_read(), passed = now - s->counter;
	uintptr_t frame =
		python_frames_current(&s->main->unwinder.python, &stack);
	bool same = frame == s->frame;

	s->counter = now;
	s->frame = frame;
	if ((same && t->ticks.scale &&
	     ticks_took(&t->ticks, passed) < BURST_NS) ||
	    !thread_has_tree(t) || !thread_open())
		return;
	if (!s->outside)
		s->outside = s->root = t->tree.root;
	if (main_has_waited(s) && same)
		return;
	if (t->tree.root == s->root)
		t->tree.root = s->root =
			root_of_now(t, s, same && s->root != s->outside);
}

/* The room for frames is the record's. */
AT_FORK static void set_starter(struct thread *t,
				const struct thread_starter *s)
{
	struct python_frames *frames = t->starter.frames;

	t->starter = *s;
	t->starter.frames = frames;
}

void thread_starter_take(const struct thread_starter *s)
{
	struct thread *t = thread_self();

	if (t && s->main)
		set_starter(t, s);
}

AT_FORK static void forget_starter(struct thread *t)
{
	if (t->starter.root && t->tree.root == t->starter.root)
		t->tree.root = t->starter.outside;
	set_starter(t, &(struct thread_starter){ 0 });
}

const struct source source_thread_starter = { .reset = forget_starter };
