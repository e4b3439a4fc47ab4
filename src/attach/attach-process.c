/* SPDX-License-Identifier: BSD-3-Clause */
/* attach-process.c - see attach-process.h. */
#include "attach/attach-process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
			     live_ref node, uint64_t cpu_ns, uint64_t wall_ns)
{
	if (!node || !tree_add(&t->tree, node, METRIC_SAMPLES, 1) ||
	    (cpu_ns && !tree_add(&t->tree, node, METRIC_CPU_TIME, cpu_ns)) ||
	    (p->how.waiting &&
	     !tree_add(&t->tree, node, METRIC_WALL_TIME, wall_ns)))
		return false;
	t->live->samples++;
	t->live->ticks++;
	t->live->cpu_ns += cpu_ns;
	t->live->wall_ns += p->how.waiting ? wall_ns : 0;
	p->samples++;
	return true;
}

static live_ref path_to(struct attach_process *p, struct attach_thread *t,
			const struct cfi_frame *top,
			const mcontext_t *registers)
{
	int why = -1;
	live_ref node =
		unwind_path(p->unwinder, &t->tree, top, true, registers, &why);

	if (why >= 0)
		t->live->losses[why]++;
	return node;
}

static live_ref path_of_sample(struct attach_process *p,
			       struct attach_thread *t,
			       const struct perf_sample *s)
{
	const struct cfi_frame top = { registers_pc(&s->registers),
				       registers_sp(&s->registers),
				       registers_fp(&s->registers) };
	live_ref node;

	if (!s->user) {
		t->live->losses[LOSS_PARTIAL_STACK]++;
		return tree_child(&t->tree, t->tree.root, LIVE_NODE_PARTIAL,
				  LOSS_PARTIAL_STACK, 0);
	}
	foreign_use(&p->foreign, s->stack, top.sp, s->stack_size);
	foreign_use_deep(&p->foreign, t->deep, s->ns);
	node = path_to(p, t, &top, &s->registers);
	t->edges = p->foreign.edge ? t->edges + 1 : 0;
	if (p->foreign.edge && !t->deep && p->how.waiting)
		t->deep = foreign_deep_new();
	return node;
}

/*
 * With its time in the kernel, a sample stands for all CPU time since the last
 * one.  Else ticks there are dropped: then it stands for a period.
 */
static void take_perf_sample(struct attach_process *p, struct attach_thread *t,
			     const struct perf_sample *s)
{
	uint64_t weight = SECOND / p->how.freq;
	live_ref node;

	if (p->how.kernel)
		weight = s->clock - t->clock_ns + t->owed_ns;
	node = path_of_sample(p, t, s);
	if (!add_sample_times(p, t, node, weight, weight)) {
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
	int err = perf_ring_open(&t->ring, t->tid, period, p->how.kernel, dump,
				 room);

	t->clock_ns = 0;
	return err;
}

static int open_usual_ring(struct attach_process *p, struct attach_thread *t)
{
	return open_ring(p, t, p->dump, p->room);
}

/* A thread's CPU time since its event was opened. */
static uint64_t clock_of_ring(const struct perf_ring *r)
{
	uint64_t clock = 0;

	if (r->fd >= 0 && read(r->fd, &clock, sizeof(clock)) < 0)
		clock = 0;
	return clock;
}

/* It goes on with another ring: 0, or -errno, and then it has none. */
static int renew_ring(struct attach_process *p, struct attach_thread *t,
		      bool large)
{
	uint64_t clock = clock_of_ring(&t->ring);
	int err = -EPERM;

	t->owed_ns += clock - t->clock_ns;
	t->past_ns += clock;
	t->edges = 0;
	perf_ring_close(&t->ring);
	if (large)
		err = open_ring(p, t, PERF_RING_DUMP_MOST, ROOM_LARGE);
	if (err)
		err = open_usual_ring(p, t);
	return err;
}

static void drain_thread(struct attach_process *p, struct attach_thread *t)
{
	struct perf_sample sample;

	while (perf_ring_next(&t->ring, &sample))
		take_perf_sample(p, t, &sample);
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
	t->past_ns += clock_of_ring(&t->ring);
	p->cpu_ns += t->past_ns;
	add_kernel_time(p, t);
	perf_ring_close(&t->ring);
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

/*
 * No more memory may be locked: all rings are halved, then copies.  False: they
 * are as small as they may be.
 */
static bool make_rings_smaller(struct attach_process *p)
{
	if (p->room > 2 * p->dump)
		p->room /= 2;
	else if (p->dump > DUMP_LEAST)
		p->room = 2 * (p->dump /= 2);
	else
		return false;
	for (size_t i = 0; i < p->thread_count; i++)
		if (!p->threads[i]->ended) {
			drain_thread(p, p->threads[i]);
			renew_ring(p, p->threads[i], false);
		}
	return true;
}

/* A thread that was not there before: 0, or -errno. */
static int add_attached(struct attach_process *p, pid_t tid, uint64_t now)
{
	struct attach_thread *t = calloc(1, sizeof(*t));
	char path[64], name[32] = "";
	int err = -ENOMEM;

	if (!t)
		return err;
	t->tid = tid;
	t->there = true;
	t->last_look = now;
	snprintf(path, sizeof(path), "task/%d/comm", (int)tid);
	proc_file(p->pid, path, name, sizeof(name));
	name[strcspn(name, "\n")] = 0;
	name[sizeof(t->live->name) - 1] = 0;
	err = open_usual_ring(p, t);
	while (err == -EPERM && make_rings_smaller(p))
		err = open_usual_ring(p, t);
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
	p->unmeasured = 0;
	while ((entry = readdir(list)))
		if (atoi(entry->d_name) > 0)
			see_thread(p, atoi(entry->d_name), now);
	closedir(list);
	for (size_t i = 0; i < p->thread_count; i++)
		if (!p->threads[i]->there && !p->threads[i]->ended) {
			end_thread(p, p->threads[i]);
			p->threads[i]->live->state = LIVE_THREAD_ENDED;
		}
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
	return why >= 0 ? path_to(p, t, &top, NULL) : node;
}

/* A thread that waits; its stack stays as it is meanwhile, or is not used. */
static void take_wait(struct attach_process *p, struct attach_thread *t,
		      const struct thread_state *state, uint64_t now)
{
	uint64_t wall = now - t->last_look;
	struct iovec here = { p->stack, PERF_RING_DUMP_MOST };
	struct iovec there = { (void *)(uintptr_t)state->sp,
			       PERF_RING_DUMP_MOST };
	ssize_t size = process_vm_readv(p->pid, &here, 1, &there, 1, 0);
	live_ref node;

	if (size <= 0)
		return;
	foreign_use(&p->foreign, p->stack, state->sp, (size_t)size);
	node = path_of_wait(p, t, state);
	if (!add_sample_times(p, t, node, 0, wall)) {
		t->live->losses[LOSS_DROPPED_FULL]++;
		return;
	}
	t->live->last_ns = now;
	keep_point(p, t, node, now, wall);
}

static void look_at_waits(struct attach_process *p, uint64_t now)
{
	for (size_t i = 0; i < p->thread_count; i++) {
		struct attach_thread *t = p->threads[i];
		struct thread_state state;

		if (t->ended)
			continue;
		if (thread_state_syscall(&state, p->pid, t->tid) && state.sp)
			take_wait(p, t, &state, now);
		t->last_look = now;
	}
}

void attach_process_look(struct attach_process *p)
{
	uint64_t now = process_clock();

	if (p->gone)
		return;
	if (process_start(p->pid) != p->started || !foreign_look(&p->foreign) ||
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

	*p = (struct attach_process){ .pid = pid,
				      .how = *how,
				      .dump = PERF_RING_DUMP,
				      .room = 8 * PERF_RING_DUMP };
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
	p->how.waiting = how->waiting && can_see_waits(pid);
	attach_record_how(&p->record, &p->how);
	if (!see_threads(p, process_clock()))
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
