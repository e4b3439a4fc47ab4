/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - who is busy with a record, and who was. */
#include <setjmp.h>

#include "collect/thread.h"
#include "tests/lib/test.h"

#define APART __attribute__((noinline, noclone))

static struct thread *a_thread(void)
{
	static struct thread t;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	t.busy = 0;
	t.unwinder.low = here - 65536;
	t.unwinder.high = here + 65536;
	return &t;
}

static jmp_buf back;

/* As a tick in the calling function would ask. */
static APART bool is_busy_here(struct thread *t)
{
	return thread_is_busy(t, (uintptr_t)__builtin_frame_address(0));
}

/* What a handler of the program does when it calls a function of copse.h. */
static APART bool can_come_too(struct thread *t)
{
	bool can = thread_occupy(t);

	if (can)
		thread_release(t);
	return can;
}

static APART void be_busy(struct thread *t, bool jump)
{
	CHECK(thread_occupy(t));
	CHECK(is_busy_here(t));
	CHECK(!can_come_too(t));
	CHECK(is_busy_here(t));
	if (jump)
		longjmp(back, 1);
	thread_release(t);
}

static APART void be_deeper(struct thread *t, bool jump)
{
	volatile char frame[4096];

	frame[0] = 0;
	be_busy(t, jump);
	frame[4095] = frame[0];
}

TEST(who_is_done_is_not_busy)
{
	struct thread *t = a_thread();

	be_busy(t, false);
	CHECK(!is_busy_here(t) && can_come_too(t));
}

TEST(who_left_by_a_jump_from_below_is_not_busy)
{
	struct thread *t = a_thread();

	if (!setjmp(back))
		be_deeper(t, true);
	CHECK(t->busy);
	CHECK(!is_busy_here(t));
	CHECK(can_come_too(t));
}

TEST(who_left_by_a_jump_is_not_busy_when_others_are_called)
{
	struct thread *t = a_thread();

	t->leaves = true;
	if (!setjmp(back))
		be_busy(t, true);
	CHECK(t->busy);
	CHECK(!is_busy_here(t));
	CHECK(!t->leaves);
}

TEST(the_same_call_again_is_another_one)
{
	struct thread *t = a_thread();
	volatile int times = 0;

	setjmp(back);
	be_busy(t, times++ < 3);
	CHECK(times, ==, 4);
	CHECK(!t->busy);
}

TEST(who_left_another_stack_is_not_busy)
{
	struct thread *t = a_thread();
	static uintptr_t elsewhere[2];

	t->busy = (uintptr_t)elsewhere;
	CHECK(!is_busy_here(t));
}
