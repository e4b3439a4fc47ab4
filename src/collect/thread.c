/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - the records of measured threads and their pool. */
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/enlist.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"

/*
 * A handler that interrupted our code may never end; a thread that lacks a core
 * goes on some time.
 */
#define PATIENCE_NS 500000000u

enum {
	MOMENT_NS = 100000, /* until it is asked again */
	WEIGHED_FIRST =
		16, /* threads whose start and end is measured, then … */
	WEIGHED_EVERY = 16, /* … one of so many */
	/* More share the records of ended ones. */
	THREADS_OF_THEIR_OWN = 64,
};

__thread struct thread *thread_record
	__attribute__((tls_model("initial-exec")));
volatile bool thread_all_left;

/* Mutable: all records, and those of ended threads; not for handlers. */
static struct {
	struct lock lock;
	uint32_t made, unseen; /* ended, without a record in the profile */
	uint32_t started;
	uint64_t cost_ns;  /* of starting and ending threads */
	int64_t missed_ns; /* CPU time of ended ones without a sample */
	struct thread *free, *youngest;
} pool RESET_AT_FORK;

SIGSAFE bool thread_open(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !thread_all_left;
}

SIGSAFE static bool is_on_thread_stack(const struct unwinder *u, uintptr_t at)
{
	return at >= u->low && at < u->high;
}

/*
 * The frame is gone when the stack ends above it, or another call has taken its
 * place.  On other stacks than the thread's that is not to be known.
 */
SIGSAFE static bool is_frame_gone(const struct thread *t, uintptr_t sp)
{
	const struct unwinder *u = &t->unwinder;
	const uintptr_t *frame = (const uintptr_t *)t->busy;

	return is_on_thread_stack(u, sp) &&
	       (!is_on_thread_stack(u, t->busy) || sp > t->busy ||
		frame_pc(frame) != frame_strip(t->returns));
}

SIGSAFE bool thread_is_busy(struct thread *t, uintptr_t sp)
{
	if (!t->busy)
		return false;
	if (!is_frame_gone(t, sp))
		return true;
	if (t->late)
		thread_lost(t, LOSS_DROPPED_BUSY);
	t->late = TIMER_NONE;
	t->leaves = false;
	unwind_forget(&t->unwinder);
	t->busy = 0;
	return false;
}

__thread bool thread_is_left __attribute__((tls_model("initial-exec")));

void thread_leave(void)
{
	thread_is_left = true;
	if (!thread_record)
		return;
	thread_lost(thread_record, LOSS_SANDBOX);
	thread_record->alive = false;
	thread_record = NULL;
	copse_polls = NULL;
}

static struct thread *new_thread(void)
{
	uint32_t depth = (uint32_t)collect_settings()->depth;
	size_t size = sizeof(struct thread) + unwind_size(depth);
	struct thread *t = sys_memory(size + ALT_STACK_SIZE);

	if (!t)
		return NULL;
	alt_stack_init(&t->alt_stack, (char *)t + size);
	unwind_init(&t->unwinder, t + 1, depth);
	lock_take(&pool.lock);
	t->older = pool.youngest;
	__atomic_store_n(&pool.youngest, t, __ATOMIC_RELEASE);
	lock_give(&pool.lock);
	return t;
}

static struct thread *take_thread(void)
{
	struct thread *t = NULL;
	bool fresh;

	lock_take(&pool.lock);
	fresh = pool.made < THREADS_OF_THEIR_OWN || !pool.free;
	if (!fresh) {
		t = pool.free;
		pool.free = t->next;
	} else {
		pool.made++;
	}
	lock_give(&pool.lock);
	return fresh ? new_thread() : t;
}

SIGSAFE static bool is_thread_of_process(const struct thread *t)
{
	return !sys3(SYS_tgkill, sys0(SYS_getpid), t->tid, 0);
}

struct thread *threads_hold(uint64_t *mask)
{
	lock_take(&pool.lock);
	*mask = pool.lock.mask;
	return pool.youngest;
}

void threads_let_go(void)
{
	lock_give(&pool.lock);
}

SIGSAFE bool threads_hold_inner(bool handler)
{
	if (handler)
		return lock_is_had(&pool.lock);
	lock_take_inner(&pool.lock);
	return true;
}

SIGSAFE void threads_let_go_inner(void)
{
	lock_give_inner(&pool.lock);
}

SIGSAFE static void start_clock(struct thread *t, uint64_t odds)
{
	uint64_t cpu = time_asked(clock_of_thread(t->tid));
	struct sample_period period;
	uint64_t first =
		sample_period_start(&period, clock_period_ns(),
				    clock_kind_of(&t->clock), cpu, odds);

	sample_period_hand_over(&t->next_period, &period);
	if (!clock_start(&t->clock, t->tid, first) && clock_rate())
		thread_lost(t, LOSS_NO_CLOCK);
	if (clock_can_change(&t->clock))
		return;
	sample_period_fix(&period, cpu);
	sample_period_hand_over(&t->next_period, &period);
}

SIGSAFE static void stop_clock(struct thread *t)
{
	sample_period_withdraw(&t->next_period);
	clock_stop(&t->clock);
}

/* Nothing is measured, but by a tick now and then the process looks whether it
   is to be. */
SIGSAFE static void watch_clock(struct thread *t)
{
	if (!thread_all_left && collect_watched && is_thread_of_process(t))
		clock_watch(&t->clock, t->tid);
}

/* Under the lock: a thread that is going to end waits for it. */
SIGSAFE void thread_clocks_follow_held(bool anew)
{
	bool held = collect_paused() || thread_all_left;

	for (struct thread *t = pool.youngest; t; t = t->older) {
		if (!t->alive)
			continue;
		sources_tell(paused, t, held);
		if (held || anew)
			stop_clock(t);
		if (held)
			watch_clock(t);
		else if (is_thread_of_process(t))
			start_clock(t, 1);
	}
}

void thread_clocks_follow(void)
{
	lock_take(&pool.lock);
	thread_clocks_follow_held(false);
	lock_give(&pool.lock);
}

void thread_keep_clock(void)
{
	struct thread *t = thread_self();
	uint64_t left;

	if (!t || !t->clock.brief || !t->clock.page)
		return;
	sample_period_take_over(&t->period, &t->next_period);
	left = sample_period_left(&t->period,
				  time_asked(CLOCK_THREAD_CPUTIME_ID));
	if (!clock_renew(&t->clock, left) && t->clock.timer_only)
		sample_period_exchange(&t->period, LIVE_CLOCK_TIMER,
				       clock_period_ns());
}

void thread_seal(bool sealed)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	struct thread *t;
	uint64_t until;

	thread_all_left = sealed;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	thread_clocks_follow();
	until = time_now(CLOCK_MONOTONIC) + PATIENCE_NS;
	t = __atomic_load_n(&pool.youngest, __ATOMIC_ACQUIRE);
	for (; sealed && t; t = t->older)
		while (t->busy && time_now(CLOCK_MONOTONIC) < until)
			sys2(SYS_nanosleep, &moment, NULL);
}

/* Not each of many short processes is to leave a profile. */
static uint64_t odds_of_first_sample(const struct thread *t)
{
	bool is_main = t->tid == (uint32_t)sys0(SYS_getpid);

	return is_main ? enlist_odds(clock_period_ns()) : 1;
}

static void begin_measuring(struct thread *t)
{
	lock_take(&pool.lock);
	t->start_ns = time_asked(CLOCK_MONOTONIC);
	t->alive = true;
	t->owed_ns = t->suspects = 0; /* by the record's thread before */
	sources_tell(thread_start, t);
	if (!collect_paused() && !thread_all_left) {
		start_clock(t, odds_of_first_sample(t));
		sample_period_take_over(&t->period, &t->next_period);
	} else {
		watch_clock(t);
	}
	lock_give(&pool.lock);
}

SIGSAFE static void publish_ended_threads(struct live_header *header)
{
	header->threads_unseen = pool.unseen;
	header->threads_ns = pool.cost_ns;
	header->threads_missed_ns =
		pool.missed_ns > 0 ? (uint64_t)pool.missed_ns : 0;
}

/* For how many threads what this one's start and end take is to stand. */
static uint32_t weight_of_thread(void)
{
	uint32_t n = __atomic_fetch_add(&pool.started, 1, __ATOMIC_RELAXED);

	if (n < WEIGHED_FIRST)
		return n > 0; /* the first has started with its process */
	return n % WEIGHED_EVERY ? 0 : WEIGHED_EVERY;
}

static uint64_t begin_weighing(uint32_t weight)
{
	return weight ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;
}

static void end_weighing(uint32_t weight, uint64_t since, uint64_t now)
{
	__atomic_fetch_add(&pool.cost_ns, weight * (now - since),
			   __ATOMIC_RELAXED);
}

/* Threads may be shorter than a period: most of these have no sample. */
static void count_ended(const struct thread *t, uint64_t since)
{
	uint64_t stood = t->ready ? t->live->cpu_ns - t->stood_ns : 0;
	struct live_header *header = registry_header();
	uint64_t now;

	if (!thread_open() ||
	    __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED))
		return;
	now = time_now(CLOCK_THREAD_CPUTIME_ID);
	pool.unseen += !t->ready;
	pool.missed_ns += (int64_t)(now - stood);
	if (since)
		end_weighing(t->weight, since, now);
	if (header)
		publish_ended_threads(header);
}

static void adopt_thread(struct thread *t)
{
	t->stood_ns = t->ready ? t->live->cpu_ns : 0;
	if (!t->ready)
		return;
	t->live->runs++;
	t->live->tid = t->tid;
	t->live->state = LIVE_THREAD_RUNS;
}

/* Walks to the root, of deep stacks, may have two fifths of the budget. */
static uint64_t far_walk_interval(void)
{
	uint64_t budget = collect_settings()->budget;

	return budget ? 2500000 / budget : 0;
}

void thread_start(uintptr_t low, uintptr_t high, const char *name)
{
	struct thread *t = thread_record ? NULL : take_thread();
	uint64_t since;

	if (!t)
		return;
	if (!thread_occupy(t) || !thread_open()) {
		t->busy = 0;
		return;
	}
	t->weight = weight_of_thread();
	since = begin_weighing(t->weight);
	t->tid = (uint32_t)sys0(SYS_gettid);
	t->region = NULL;
	memcpy(t->name, name, strnlen(name, sizeof(t->name) - 1) + 1);
	unwind_reuse(&t->unwinder, low, high);
	t->unwinder.reader.pid = t->tid;
	t->unwinder.python.lasting = t->tid == (uint32_t)sys0(SYS_getpid);
	t->unwinder.verify = collect_settings()->verify;
	t->unwinder.far_times = far_walk_interval();
	sources_tell(reset, t);
	adopt_thread(t);
	thread_record = t;
	begin_measuring(t);
	end_weighing(t->weight, since, begin_weighing(t->weight));
	thread_release(t);
}

void thread_stop(void)
{
	struct thread *t = thread_record;
	uint64_t since;

	if (!t)
		return;
	/* Even where a handler that interrupted us ends the thread. */
	(void)thread_occupy(t);
	since = thread_open() ? begin_weighing(t->weight) : 0;
	lock_take(&pool.lock);
	t->alive = false;
	sources_tell(thread_last, t);
	clock_stop(&t->clock);
	sources_tell(thread_stop, t);
	count_ended(t, since);
	lock_give(&pool.lock);
	sources_tell(thread_gone, t);
	thread_record = NULL;
	copse_polls = NULL;
	if (t->ready) {
		t->live->last_ns = time_now(CLOCK_MONOTONIC);
		t->live->state = LIVE_THREAD_ENDED;
	}
	t->busy = 0;
	lock_take(&pool.lock);
	t->next = pool.free;
	pool.free = t;
	lock_give(&pool.lock);
}

void thread_forked(void)
{
	struct thread *t = thread_self();

	for (struct thread *each = pool.youngest; each; each = each->older) {
		each->alive = false;
		each->busy = 0;
		sources_tell(dropped, each);
		if (t)
			clock_forget(&each->clock);
	}
	lock_open(&pool.lock);
	pool.free = NULL;
	pool.made = 1;
	pool.unseen = 0;
	pool.started = 1;
	pool.cost_ns = 0;
	pool.missed_ns = 0;
	if (!t)
		return;
	t->ready = false;
	t->tree = (struct tree){ 0 };
	t->events_ns = t->stood_ns = 0;
	copse_polls = NULL;
	t->tid = (uint32_t)sys0(SYS_gettid);
	unwind_forget(&t->unwinder);
	t->unwinder.far_took_ns = 0;
	t->unwinder.reader.pid = t->tid;
	t->wait_events = (struct wait_events){ 0 };
	t->clock.brief = true; /* most children end, or exec, before that */
	sources_tell(reset, t);
	begin_measuring(t);
}

SIGSAFE void thread_take_name(struct thread *t)
{
	if (*t->name)
		sys_copy(t->live->name, t->name, sizeof(t->name));
	else
		sys2(SYS_prctl, PR_GET_NAME, t->live->name);
}

SIGSAFE bool thread_prepare(struct thread *t, enum loss *why)
{
	struct arena *arena = registry_open();
	live_ref ref = arena ? registry_thread(t->tid, &t->index) : 0;

	*why = registry_full() ? LOSS_DROPPED_FULL : LOSS_DROPPED_BUSY;
	if (!ref)
		return false;
	t->live = arena_at(arena, ref);
	t->tree = (struct tree){ 0 };
	t->stamps = 0;
	if (tree_init(&t->tree, arena, ref))
		return false;
	t->live->first_ns = t->start_ns;
	t->live->clock = t->clock.page || t->clock.has_timer ? clock_kind()
							     : LIVE_CLOCK_NONE;
	for (int i = 0; i < LOSS_COUNT; i++)
		t->live->losses[i] = t->losses[i];
	thread_take_name(t);
	t->generation = registry_generation();
	t->ready = true;
	sources_tell(describe, registry_header());
	publish_ended_threads(registry_header());
	return true;
}

bool thread_await(struct thread *t, enum loss *why)
{
	if (thread_has_tree(t))
		return true;
	registry_await();
	return thread_prepare(t, why);
}

SIGSAFE void thread_lost(struct thread *t, enum loss why)
{
	if (t->ready)
		t->live->losses[why]++;
	else
		t->losses[why]++;
}

SIGSAFE live_ref thread_path(struct thread *t, const struct cfi_frame *top,
			     bool exact, const mcontext_t *registers, int *why)
{
	struct unwinder *u = &t->unwinder;
	live_ref node = unwind_path(u, &t->tree, top, exact, registers, why);

	if (u->differ) {
		u->differ = 0;
		thread_lost(t, LOSS_VERIFY_DIFFERS);
	}
	return node;
}

struct thread *thread_used_by(uintptr_t frame, uintptr_t returns)
{
	struct thread *t = thread_record;
	enum loss why;

	if (!t || !thread_occupied_by(t, frame, returns))
		return NULL;
	if (thread_open() && thread_await(t, &why))
		return t;
	thread_release(t);
	return NULL;
}
