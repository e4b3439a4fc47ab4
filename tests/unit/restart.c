/* SPDX-License-Identifier: BSD-3-Clause */
/* restart.c - which interrupted calls are sleeps, where the code says the
 * number of the call, and where only their arguments do.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "arch/restart.h"
#include "tests/lib/test.h"

#define ADDRESS 0x7f0000001000

enum {
	UNSAID = -1,
	REAL = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME
};

#ifdef __aarch64__

/* The number is in a register, always, and the first argument is gone. */
static bool is_sleep(long number, long a, long b, long c, long d)
{
	static const uint32_t code[] = { 0xd503201f,
					 0xd4000001 }; /* nop; svc */
	mcontext_t m = {
		.pc = (uintptr_t)(code + 2),
		.regs = { (unsigned long)-EINTR, (unsigned long)b,
			  (unsigned long)c,
			  (unsigned long)d, [8] = (unsigned long)number }
	};

	(void)a;
	return restart_is_behind(&m) && restart_is_sleep(&m);
}

#else

/* Code in front of which nothing is a number, or one in eax. */
static bool is_sleep(long number, long a, long b, long c, long d)
{
	static uint8_t code[16] __attribute__((aligned(16)));
	mcontext_t m = { 0 };

	memcpy(code, "\x90\x90\x90\x90\x90\x0f\x05", 7);
	if (number != UNSAID) {
		code[0] = 0xb8;
		memcpy(code + 1, &number, 4);
	}
	m.gregs[REG_RIP] = (long)code + 7;
	m.gregs[REG_RAX] = -EINTR;
	m.gregs[REG_RDI] = a;
	m.gregs[REG_RSI] = b;
	m.gregs[REG_RDX] = c;
	m.gregs[REG_R10] = d;
	return restart_is_behind(&m) && restart_is_sleep(&m);
}

#endif

TEST(a_number_in_the_code_decides)
{
	CHECK(is_sleep(SYS_nanosleep, ADDRESS, ADDRESS, 0, 0));
	CHECK(SYS_poll < 0 || is_sleep(SYS_poll, ADDRESS, 2, 100, 0));
	CHECK(is_sleep(SYS_clock_nanosleep, 1, 0, ADDRESS, 0));
	CHECK(!is_sleep(SYS_clock_nanosleep, 1, 1, ADDRESS, 0));
	CHECK(is_sleep(SYS_futex, ADDRESS, FUTEX_WAIT, 0, ADDRESS));
	CHECK(!is_sleep(SYS_futex, ADDRESS, FUTEX_WAIT, 0, 0));
	CHECK(!is_sleep(SYS_rt_sigtimedwait, ADDRESS, ADDRESS, 0, 0));
	CHECK(!is_sleep(SYS_msync, ADDRESS, 4096, 4, 0));
}

#ifndef __aarch64__
TEST(sleeps_are_known_by_their_arguments)
{
	CHECK(is_sleep(UNSAID, ADDRESS, 0, 0, 0)); /* nanosleep */
	CHECK(is_sleep(UNSAID, ADDRESS, ADDRESS, 0, 0));
	CHECK(is_sleep(UNSAID, 0, 0, ADDRESS, 0)); /* clock_nanosleep */
	CHECK(is_sleep(UNSAID, 1, 0, ADDRESS, ADDRESS));
	CHECK(is_sleep(UNSAID, -6, 0, ADDRESS, 0)); /* a clock of CPU time */
	CHECK(is_sleep(UNSAID, 0, 0, 100, 0));      /* poll */
	CHECK(is_sleep(UNSAID, ADDRESS, 2, -1, 0));
	CHECK(is_sleep(UNSAID, ADDRESS, FUTEX_WAIT | REAL, 7, ADDRESS));
	CHECK(is_sleep(UNSAID, ADDRESS, FUTEX_WAIT_BITSET, 7, ADDRESS));
}

TEST(other_calls_that_say_eintr_are_none)
{
	CHECK(!is_sleep(UNSAID, 1, 1, ADDRESS, 0));    /* until */
	CHECK(!is_sleep(UNSAID, 0, 0, 0, 0));          /* pause */
	CHECK(!is_sleep(UNSAID, 5, ADDRESS, 16, 100)); /* epoll_wait */
	CHECK(!is_sleep(UNSAID, ADDRESS, 0, 0, 8));    /* rt_sigtimedwait */
	CHECK(!is_sleep(UNSAID, ADDRESS, ADDRESS, ADDRESS, 8));
	CHECK(!is_sleep(UNSAID, 5, 0, 0, 0)); /* accept */
	CHECK(!is_sleep(UNSAID, 5, ADDRESS, ADDRESS, 0));
	CHECK(!is_sleep(UNSAID, 5, ADDRESS, 4096, 0));    /* recv, msgrcv */
	CHECK(!is_sleep(UNSAID, 3, ADDRESS, 1, ADDRESS)); /* semtimedop */
	/* The number of a semaphore may be as large as an address. */
	CHECK(!is_sleep(UNSAID, 98305, ADDRESS, 1, ADDRESS));
	CHECK(!is_sleep(UNSAID, 98305, ADDRESS, 1, 0));
	CHECK(is_sleep(UNSAID, 0x404040, 2, 100, 0)); /* poll, static data */
	CHECK(!is_sleep(UNSAID, 5, 0, 1, 1));         /* io_uring_enter */
	CHECK(!is_sleep(UNSAID, 5, 0, 1 << 12, 1 << 20)); /* fallocate */
}
#endif
