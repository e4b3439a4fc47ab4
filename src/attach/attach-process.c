/* SPDX-License-Identifier: BSD-3-Clause */
/* attach-process.c - see attach-process.h. */
#include "attach/attach-process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch/frame.h"
#include "arch/instructions.h"
#include "arch/registers.h"
#include "base/array.h"
#include "base/err.h"
#include "base/proc.h"
#include "collect/unwind/safe-read.h"
#include "collect/unwind/unwind.h"
#include "launch/process.h"
#include "launch/thread-state.h"

#define SECOND 1000000000ull

enum {
	DEPTH = 1024,         /* frames of a path */
	MOMENTS_MOST = 16384, /* of a thread */
	EDGES_MOST = 4,       /* copies that were too short, before a larger */
	DUMP_LEAST = 8 << 10,
	LATE_NS = 500000,
	TURN_NS = 1000000000,
	TURNS = 4,             /* to find a thread that does not run */
	STAT_CORE = 39,        /* of its `stat` */
	PYTHON_LOOKS = 20,     /* for a new thread's number, 0.1 s each */
	ROOM_LARGE = 512 << 10 /* of copies of PERF_RING_DUMP_MOST */
};

/*
 * Call paths.
 */

/* No stack is the thread's own: all is read through foreign.c. */
static int make_unwinder(struct attach_process *p)
{
	p->unwinder = calloc(1, sizeof(*p->unwinder));
	p->arrays = calloc(1, unwind_size(DEPTH));
	p->stack = malloc(PERF_RING_DUMP_MOST);
	if (!p->unwinder || !p->arrays || !p->stack)
		return no_memory();
	foreign_use(&p->foreign, NULL, 0, 0);
	unwind_init(p->unwinder, p->arrays, DEPTH);
	unwind_reuse(p->unwinder, UINTPTR_MAX, 0);
	p->unwinder->sounded = UINTPTR_MAX;
	return 0;
}

static void keep_point(struct attach_process *p, struct attach_thread *t,
		       live_ref node, uint64_t ns, uint64_t weight_ns)
{
	struct live_moment moment = {
		.ns = ns,
		.node = node,
		.weight_ns = weight_ns < UINT32_MAX ? (uint32_t)weight_ns & ~1u
						    : UINT32_MAX - 1,
	};

	moments_add(&t->moments, &p->record.arena, t->live, MOMENTS_MOST,
		    MOMENTS_THIN, &moment, sizeof(moment));
}

/* False: no room is left for it. */
static bool add_sample_times(struct attach_process *p, struct attach_thread *t,
			     live_ref node, uint64_t count, uint64_t cpu_ns,
			     uint64_t wall_ns)
{
	if (!node || !tree_add(&t->tree, node, METRIC_SAMPLES, count) ||
	    (cpu_ns && !tree_add(&t->tree, node, METRIC_CPU_TIME, cpu_ns)) ||
	    (p->how.waiting &&
	     !tree_add(&t->tree, node, METRIC_WALL_TIME, wall_ns)))
		return false;
	t->live->samples += count;
	t->live->ticks += count;
	t->live->cpu_ns += cpu_ns;
	t->live->wall_ns += p->how.waiting ? wall_ns : 0;
	p->samples += count;
	return true;
}

static live_ref path_to(struct attach_process *p, struct attach_thread *t,
			const struct cfi_frame *top, bool exact,
			const mcontext_t *registers)
{
	int why = -1;
	live_ref node =
		unwind_path(p->unwinder, &t->tree, top, exact, registers, &why);

	if (why >= 0)
		t->live->losses[why]++;
	return node;
}

static live_ref path_is_lost(struct attach_thread *t, enum loss why)
{
	t->live->losses[why]++;
	return tree_child(&t->tree, t->tree.root, LIVE_NODE_PARTIAL, why, 0);
}

static struct cfi_frame leaf_of_sample(const struct perf_sample *s)
{
	return (struct cfi_frame){ registers_pc(&s->registers),
				   registers_sp(&s->registers),
				   registers_fp(&s->registers) };
}

/*
 * Functions of Python.
 */

static size_t read_stack_now(struct attach_process *p, uintptr_t sp,
			     size_t size)
{
	struct iovec here = { p->stack, size }, there = { (void *)sp, size };
	ssize_t got = process_vm_readv(p->pid, &here, 1, &there, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* The word that returns there, in the frame below, is as it was. */
static bool returns_as_before(const struct attach_process *p,
			      const struct perf_sample *s, size_t size,
			      uintptr_t low, const struct cfi_frame *to)
{
	uintptr_t sp = registers_sp(&s->registers);

	for (uintptr_t at = to->sp - sizeof(at); at >= low; at -= sizeof(at)) {
		uintptr_t was, is;

		if (at - sp + sizeof(was) > size)
			return true;
		memcpy(&was, s->stack + (at - sp), sizeof(was));
		memcpy(&is, p->stack + (at - sp), sizeof(is));
		if (frame_strip(was) == to->pc)
			return is == was;
	}
	return true;
}

/*
 * Of a thread that has gone on since its sample, the frame nearest to the leaf
 * that it is in now as it was then.  False: that is the last.
 */
static bool find_common_frame(struct attach_process *p,
			      const struct perf_sample *s, size_t size,
			      struct cfi_frame *top)
{
	/* The unwinder takes it for a return address. */
	struct cfi_frame at = { top->pc + 1, top->sp, top->fp };
	struct unwind_beyond next;
	bool left = false;

	for (int i = 0;
	     i < DEPTH && unwind_beyond(p->unwinder, &at, at.sp, &next); i++) {
		if (!returns_as_before(p, s, size, at.sp, &next.at)) {
			*top = next.at;
			left = true;
		}
		at = next.at;
	}
	return left;
}

/* Those that run below `sp`, in frames that are not known. */
static live_ref add_inner_functions(struct attach_process *p,
				    struct attach_thread *t, live_ref node,
				    uintptr_t sp)
{
	struct python_frames *f = &p->unwinder->python;

	for (uint32_t i = 0; node && i < f->count; i++) {
		const struct python_frame *one = python_frame_memo(f, i);

		if (one->entry < sp)
			node = tree_child(&t->tree, node, LIVE_NODE_PYTHON,
					  one->name.index,
					  python_frame_offset(one));
	}
	return node;
}

/* What the thread is in now, as far as it was there at its sample. */
static live_ref path_now(struct attach_process *p, struct attach_thread *t,
			 const struct perf_sample *s)
{
	struct cfi_frame top = leaf_of_sample(s);
	size_t size = read_stack_now(p, top.sp, s->stack_size);
	uintptr_t low = top.sp;
	bool left = false;
	live_ref node;

	attach_python_begin(&p->python, p->unwinder, &t->python);
	if (size < s->stack_size || memcmp(p->stack, s->stack, size) != 0) {
		foreign_use_still(&p->foreign, s->stack, low, size);
		left = find_common_frame(p, s, size, &top);
	}
	foreign_use_still(&p->foreign, p->stack, low, size);
	node = path_to(p, t, &top, !left, left ? NULL : &s->registers);
	node = add_inner_functions(p, t, node, top.sp);
	attach_python_end(&p->python, p->unwinder, &t->python);
	return node;
}

/*
 * So long after its sample it may wait because of what it came to since, as for
 * Python's lock: to know where says nothing of the sample.
 */
static bool has_come_to_wait(const struct attach_process *p,
			     const struct attach_thread *t, uint64_t ran_ns)
{
	struct thread_state state;

	return ran_ns > LATE_NS &&
	       thread_state_syscall(&state, p->pid, t->tid) &&
	       state.syscall >= 0;
}

/* One that runs while it is looked at, each time, has no path. */
static live_ref path_while_still(struct attach_process *p,
				 struct attach_thread *t,
				 const struct perf_sample *s)
{
	uint64_t core = s->core;

	for (int i = 0; i < TURNS; i++, core = proc_stat(t->tid, STAT_CORE)) {
		uint64_t clock;
		live_ref node;

		attach_python_follow((int)core);
		clock = perf_ring_clock(&t->ring);
		if (perf_ring_clock(&t->ring) != clock)
			continue;
		if (has_come_to_wait(p, t, clock - s->clock))
			break;
		node = path_now(p, t, s);
		if (perf_ring_clock(&t->ring) == clock)
			return node;
	}
	return path_is_lost(t, LOSS_PARTIAL_PYTHON);
}

static live_ref path_of_sample(struct attach_process *p,
			       struct attach_thread *t,
			       const struct perf_sample *s)
{
	const struct cfi_frame top = leaf_of_sample(s);
	live_ref node;

	if (!s->user)
		return path_is_lost(t, LOSS_PARTIAL_STACK);
	if (t->python.id)
		return path_while_still(p, t, s);
	foreign_use(&p->foreign, s->stack, top.sp, s->stack_size);
	foreign_use_deep(&p->foreign, t->deep, s->ns);
	attach_python_begin(&p->python, p->unwinder, &t->python);
	node = path_to(p, t, &top, true, &s->registers);
	attach_python_end(&p->python, p->unwinder, &t->python);
	t->edges = p->foreign.edge ? t->edges + 1 : 0;
	if (p->foreign.edge && !t->deep && p->how.reads)
		t->deep = foreign_deep_new();
	return node;
}

/* Of one that is measured in turns, a time stands for that of its rest, too. */
static uint64_t with_rest(const struct attach_thread *t, uint64_t ns)
{
	return ns + (uint64_t)((double)ns * (double)t->rested_ns / TURN_NS);
}

/*
 * With its time in the kernel, a sample stands for all CPU time since the last
 * one.  Else ticks there are dropped: then it stands for a period, and for
 * those of samples that it is behind.
 */
static void take_perf_sample(struct attach_process *p, struct attach_thread *t,
			     const struct perf_sample *s)
{
	uint64_t count = 1 + t->behind, weight = count * SECOND / p->how.freq;
	live_ref node;

	t->behind = 0;
	if (p->how.kernel)
		weight = s->clock - t->clock_ns + t->owed_ns;
	weight = with_rest(t, weight);
	node = path_of_sample(p, t, s);
	if (!add_sample_times(p, t, node, count, weight, weight)) {
		t->live->losses[LOSS_DROPPED_FULL]++;
		return;
	}
	t->clock_ns = s->clock;
	t->owed_ns = 0;
	t->live->last_ns = s->ns;
	keep_point(p, t, node, s->ns, weight);
}

/*
 * Threads.
 */

static int open_ring(struct attach_process *p, struct attach_thread *t,
		     uint32_t dump, size_t room)
{
	uint64_t period = SECOND / p->how.freq;
	bool wakes = t->python.id != 0;
	int err = perf_ring_open(&t->ring, t->tid, period, p->how.kernel, wakes,
				 dump, room);
	struct epoll_event event = { EPOLLIN, { .ptr = t } };

	t->clock_ns = 0;
	if (!err && wakes)
		epoll_ctl(p->how.events, EPOLL_CTL_ADD, t->ring.fd, &event);
	return err;
}

static int open_usual_ring(struct attach_process *p, struct attach_thread *t)
{
	return open_ring(p, t, p->how.dump, p->how.room);
}

static void leave_ring(struct attach_thread *t)
{
	uint64_t clock = perf_ring_clock(&t->ring);

	t->owed_ns += clock - t->clock_ns;
	t->past_ns += with_rest(t, clock);
	t->clock_ns = t->last_clock = t->edges = 0;
	t->last_wait = 0;
	perf_ring_close(&t->ring);
}

/* It goes on with another ring: 0, or -errno, and then it has none. */
static int renew_ring(struct attach_process *p, struct attach_thread *t,
		      bool large)
{
	int err = -EPERM;

	leave_ring(t);
	if (large)
		err = open_ring(p, t, PERF_RING_DUMP_MOST, ROOM_LARGE);
	if (err)
		err = open_usual_ring(p, t);
	return err;
}

static void drain_thread(struct attach_process *p, struct attach_thread *t)
{
	struct perf_sample sample;

	while (perf_ring_next(&t->ring, &sample)) {
		if (!t->python.id)
			attach_python_follow(-1);
		if (t->python.id && perf_ring_has_more(&t->ring))
			t->behind++; /* it is too late to look */
		else
			take_perf_sample(p, t, &sample);
	}
	t->live->losses[LOSS_DROPPED_RING] += t->ring.lost;
	t->ring.lost = 0;
	if (t->edges > EDGES_MOST && t->ring.dump < PERF_RING_DUMP_MOST)
		renew_ring(p, t, true);
}

void attach_process_drain(struct attach_process *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (!p->threads[i]->ended)
			drain_thread(p, p->threads[i]);
}

void attach_process_wake(struct attach_thread *t, bool ended)
{
	if (ended)
		epoll_ctl(t->process->how.events, EPOLL_CTL_DEL, t->ring.fd,
			  NULL);
	if (!t->ended)
		drain_thread(t->process, t);
}

/* Its CPU time above that of its samples, on a line of its own. */
static void add_kernel_time(struct attach_process *p, struct attach_thread *t)
{
	uint64_t period = SECOND / p->how.freq, clock_ns = t->past_ns;
	live_ref node;

	if (p->how.kernel || clock_ns < t->live->cpu_ns + period)
		return;
	node = tree_child(&t->tree, t->tree.root, LIVE_NODE_PARTIAL,
			  LOSS_IN_KERNEL, 0);
	clock_ns -= t->live->cpu_ns;
	if (node && tree_add(&t->tree, node, METRIC_CPU_TIME, clock_ns) &&
	    (!p->how.waiting ||
	     tree_add(&t->tree, node, METRIC_WALL_TIME, clock_ns))) {
		t->live->cpu_ns += clock_ns;
		t->live->wall_ns += p->how.waiting ? clock_ns : 0;
	}
}

static void end_thread(struct attach_process *p, struct attach_thread *t)
{
	if (t->ended)
		return;
	drain_thread(p, t);
	leave_ring(t);
	p->cpu_ns += t->past_ns;
	add_kernel_time(p, t);
	t->ended = true;
}

static struct attach_thread *find_attached(const struct attach_process *p,
					   pid_t tid)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i]->tid == tid && !p->threads[i]->ended)
			return p->threads[i];
	return NULL;
}

bool attach_process_halve(struct attach_how *how)
{
	if (how->room > 2 * how->dump)
		how->room /= 2;
	else if (how->dump > DUMP_LEAST)
		how->room = 2 * (how->dump /= 2);
	else
		return false;
	return true;
}

/* No more memory may be locked. */
static bool make_rings_smaller(struct attach_process *p)
{
	if (!attach_process_halve(&p->how))
		return false;
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i]->ring.fd >= 0) {
			drain_thread(p, p->threads[i]);
			renew_ring(p, p->threads[i], false);
		}
	return true;
}

/* The one that has had a ring, or none, for longest; NULL: there is none. */
static struct attach_thread *longest_turn(const struct attach_process *p,
					  bool ring)
{
	struct attach_thread *found = NULL;

	for (size_t i = 0; i < p->thread_count; i++) {
		struct attach_thread *t = p->threads[i];

		if (!t->ended && (t->ring.fd >= 0) == ring &&
		    (!found || t->turn_ns < found->turn_ns))
			found = t;
	}
	return found;
}

static bool begin_turn(struct attach_process *p, struct attach_thread *t,
		       uint64_t now)
{
	if (open_usual_ring(p, t))
		return false;
	t->rested_ns = now - t->turn_ns;
	t->turn_ns = now;
	return true;
}

/* Those without a ring get one, of those that had one for longest. */
static void take_turns(struct attach_process *p, uint64_t now)
{
	struct attach_thread *to, *from;

	if (now < p->turn_ns + TURN_NS)
		return;
	p->turn_ns = now;
	for (size_t i = p->resting; i; i--) {
		to = longest_turn(p, false);
		from = longest_turn(p, true);
		if (!to || begin_turn(p, to, now) || !from ||
		    now - from->turn_ns < TURN_NS)
			continue;
		drain_thread(p, from);
		leave_ring(from);
		from->turn_ns = now;
		begin_turn(p, to, now);
	}
}

/* Does it run Python?  It may be about to. */
static bool find_python_thread(struct attach_process *p,
			       struct attach_thread *t)
{
	if (!p->python.there || t->python.id || t->python.looks == PYTHON_LOOKS)
		return false;
	t->python.looks++;
	t->python.id = attach_python_id(&p->python, &p->foreign, t->tid);
	return t->python.id;
}

/* A thread that was not there before: 0, or -errno. */
static int add_attached(struct attach_process *p, pid_t tid, uint64_t now)
{
	struct attach_thread *t = calloc(1, sizeof(*t));
	char path[64], name[32] = "";
	int err = -ENOMEM;

	if (!t)
		return err;
	t->process = p;
	t->tid = tid;
	t->there = true;
	t->last_look = now;
	snprintf(path, sizeof(path), "task/%d/comm", (int)tid);
	proc_file(p->pid, path, name, sizeof(name));
	name[strcspn(name, "\n")] = 0;
	name[sizeof(t->live->name) - 1] = 0;
	find_python_thread(p, t);
	err = open_usual_ring(p, t);
	while (err == -EPERM && make_rings_smaller(p))
		err = open_usual_ring(p, t);
	if ((err == -EPERM || err == -EMFILE) && longest_turn(p, true))
		err = 0; /* it waits for its turn */
	t->turn_ns = now;
	if (!err) {
		t->live = attach_record_thread(&p->record, tid, name, &t->tree);
		err = t->live ? 0 : -ENOSPC;
	}
	if (!err && !array_append(&p->threads, &p->thread_count,
				  &p->thread_room, sizeof(t), &t))
		err = -ENOMEM;
	if (err) {
		perf_ring_close(&t->ring);
		free(t);
		return err;
	}
	t->live->first_ns = t->live->last_ns = now;
	return 0;
}

static void see_thread(struct attach_process *p, pid_t tid, uint64_t now)
{
	struct attach_thread *t = find_attached(p, tid);
	int err;

	if (t) {
		t->there = true;
		if (find_python_thread(p, t) && t->ring.fd >= 0) {
			drain_thread(p, t);
			renew_ring(p, t, false);
		}
		return;
	}
	err = add_attached(p, tid, now);
	if (err == -ESRCH)
		return;
	p->refused = err ? err : p->refused;
	p->unmeasured += err != 0;
}

/* False: the process is gone. */
static bool see_threads(struct attach_process *p, uint64_t now)
{
	char path[64];
	struct dirent *entry;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	list = opendir(path);
	if (!list)
		return false;
	for (size_t i = 0; i < p->thread_count; i++)
		p->threads[i]->there = false;
	p->unmeasured = p->resting = 0;
	while ((entry = readdir(list)))
		if (atoi(entry->d_name) > 0)
			see_thread(p, atoi(entry->d_name), now);
	closedir(list);
	for (size_t i = 0; i < p->thread_count; i++)
		if (!p->threads[i]->there && !p->threads[i]->ended) {
			end_thread(p, p->threads[i]);
			p->threads[i]->live->state = LIVE_THREAD_ENDED;
		} else if (!p->threads[i]->ended) {
			p->resting += p->threads[i]->ring.fd < 0;
		}
	take_turns(p, now);
	return true;
}

/* Those that are there now, and an interpreter of Python among them. */
static bool see_modules(struct attach_process *p)
{
	if (!foreign_look(&p->foreign))
		return false;
	if (p->how.reads && attach_python_look(&p->python, &p->foreign))
		for (size_t i = 0; i < p->thread_count; i++)
			p->threads[i]->python.looks = 0;
	attach_record_python(&p->record, p->python.version, p->python.there);
	return true;
}

/*
 * What threads wait for.
 */

/* The call that returns there; *called: where a direct one leads. */
static enum call_kind call_returning_to(struct foreign *f, uintptr_t pc,
					uintptr_t *called)
{
	const struct foreign_mapping *m = foreign_mapping_of(f, pc);
	uint8_t code[CALL_SIZE];

	if (!m || !m->code || pc <= CALL_SIZE ||
	    !safe_read_copy(NULL, code, pc - CALL_SIZE, CALL_SIZE))
		return CALL_NONE;
	return instructions_call_before(code, pc, called);
}

/*
 * Of one that waits, the stack and the program counter are known, and no other
 * register.  A frame pointer is where the function that needs it has put its
 * caller's, below its return address: from `from` on the lowest with a call of
 * `function`, else the lowest with any call that leads up the stack.
 */
static uintptr_t guess_frame_pointer(struct foreign *f, uintptr_t from,
				     uintptr_t function)
{
	size_t count = (f->stack_high - f->stack_low) / sizeof(uintptr_t);
	const uintptr_t *word = (const void *)f->stack;
	uintptr_t upwards = 0;

	for (size_t i = (from - f->stack_low) / sizeof(*word); i + 1 < count;
	     i++) {
		uintptr_t at = f->stack_low + i * sizeof(*word), called = 0;
		enum call_kind call =
			call_returning_to(f, frame_strip(word[i + 1]), &called);

		if (call == CALL_DIRECT && function && called == function)
			return at;
		if (call != CALL_NONE && !upwards && word[i] > at &&
		    word[i] < f->stack_high)
			upwards = at;
	}
	return upwards;
}

/* Frames that need none are walked; it is the next one's. */
static live_ref path_of_wait(struct attach_process *p, struct attach_thread *t,
			     const struct thread_state *state)
{
	struct cfi_frame top = { state->pc, state->sp, 0 };
	int why;
	live_ref node =
		unwind_path(p->unwinder, &t->tree, &top, true, NULL, &why);

	if (why >= 0)
		top.fp = guess_frame_pointer(
			&p->foreign, p->unwinder->reached.sp,
			unwind_reached_function(p->unwinder));
	return why >= 0 ? path_to(p, t, &top, true, NULL) : node;
}

/* With functions of Python, if it has any and does not run meanwhile. */
static live_ref path_of_python_wait(struct attach_process *p,
				    struct attach_thread *t,
				    const struct thread_state *state,
				    uint64_t clock)
{
	live_ref node;

	p->foreign.still = t->python.id != 0;
	attach_python_begin(&p->python, p->unwinder, &t->python);
	node = path_of_wait(p, t, state);
	attach_python_end(&p->python, p->unwinder, &t->python);
	return !t->python.id || perf_ring_clock(&t->ring) == clock
		       ? node
		       : path_is_lost(t, LOSS_PARTIAL_PYTHON);
}

/* A thread that waits; its stack stays as it is meanwhile, or is not used. */
static live_ref path_of_sleeper(struct attach_process *p,
				struct attach_thread *t, uint64_t clock)
{
	struct thread_state state;
	size_t size;

	if (!thread_state_syscall(&state, p->pid, t->tid) || !state.sp)
		return 0;
	size = read_stack_now(p, state.sp, PERF_RING_DUMP_MOST);
	if (!size)
		return 0;
	foreign_use(&p->foreign, p->stack, state.sp, size);
	return path_of_python_wait(p, t, &state, clock);
}

/* It is where it was if it has not run since. */
static void look_at_wait(struct attach_process *p, struct attach_thread *t,
			 uint64_t now)
{
	uint64_t clock = perf_ring_clock(&t->ring), wall = now - t->last_look;

	if (clock != t->last_clock)
		t->last_wait = 0;
	if (!t->last_wait)
		t->last_wait = path_of_sleeper(p, t, clock);
	t->last_clock = clock;
	if (!t->last_wait)
		return;
	if (!add_sample_times(p, t, t->last_wait, 1, 0, wall)) {
		t->live->losses[LOSS_DROPPED_FULL]++;
		return;
	}
	t->live->last_ns = now;
	keep_point(p, t, t->last_wait, now, wall);
}

static void look_at_waits(struct attach_process *p, uint64_t now)
{
	for (size_t i = 0; i < p->thread_count; i++) {
		struct attach_thread *t = p->threads[i];

		if (t->ring.fd < 0)
			continue;
		look_at_wait(p, t, now);
		t->last_look = now;
	}
}

void attach_process_look(struct attach_process *p)
{
	uint64_t now = process_clock();

	if (p->gone)
		return;
	attach_python_follow(-1);
	if (process_start(p->pid) != p->started || !see_modules(p) ||
	    !see_threads(p, now))
		p->gone = true;
	else if (p->how.waiting)
		look_at_waits(p, now);
}

/*
 * Begin and end.
 */

/* Time in the kernel, or not even time in the program alone. */
static int try_first_event(struct attach_process *p)
{
	struct attach_thread first = { .tid = p->pid };
	int err = open_usual_ring(p, &first);

	if (err == -EACCES || err == -EPERM) {
		p->how.kernel = false;
		err = open_usual_ring(p, &first);
	}
	perf_ring_close(&first.ring);
	return err ? attach_refused(p->pid, err) : 0;
}

/* That may be asked of who may read the memory, too. */
static bool can_see_waits(pid_t pid)
{
	char text[128];

	return proc_file(pid, "syscall", text, sizeof(text)) > 0;
}

int attach_process_open(struct attach_process *p, pid_t pid, const char *folder,
			const struct job *job, bool ranked,
			const struct attach_how *how)
{
	int err;

	*p = (struct attach_process){ .pid = pid, .how = *how };
	p->started = process_start(pid);
	if (!p->started)
		return fail(-ESRCH, "there is no process %d", (int)pid);
	err = try_first_event(p);
	if (!err)
		err = attach_record_open(&p->record, folder, pid, job, ranked);
	if (!err)
		err = foreign_open(&p->foreign, pid, &p->record);
	if (!err)
		err = make_unwinder(p);
	if (err)
		return err;
	p->how.reads = can_see_waits(pid);
	p->how.waiting = how->waiting && p->how.reads;
	attach_record_how(&p->record, &p->how);
	if (!see_modules(p) || !see_threads(p, process_clock()))
		return fail(-ESRCH, "process %d has ended", (int)pid);
	return p->thread_count ? 0 : attach_refused(pid, p->refused);
}

void attach_process_end(struct attach_process *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		end_thread(p, p->threads[i]);
}

void attach_process_close(struct attach_process *p)
{
	for (size_t i = 0; i < p->thread_count; i++) {
		perf_ring_close(&p->threads[i]->ring);
		free(p->threads[i]->deep);
		free(p->threads[i]);
	}
	free(p->threads);
	free(p->stack);
	free(p->arrays);
	free(p->unwinder);
	foreign_close(&p->foreign);
	attach_record_close(&p->record);
	*p = (struct attach_process){ 0 };
}
