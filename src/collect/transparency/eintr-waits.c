/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eintr-waits.c - the waits that the kernel begins again after a stop without a
 * note of how to go on, in three ways.
 *
 * Those that wait with a mask are called again, see struct wait.  A sleep until
 * a fixed moment is a wait for what never comes, with the same end: of that the
 * kernel does make a note (eintr-restart.c).  msgrcv() and msgsnd() take no
 * mask: our signal is blocked while they wait, so that no handler of ours runs.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "arch/restart.h"
#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"
#include "collect/unwind/unwind.h"

/*
 * A call that waits with a mask has our signal blocked before and behind it.
 * So a timer signal that finds it ended with EINTR is the first handler that
 * has run since: another one would have returned to the mask of before, behind
 * which the timer signal could not have come.  Then no handler of the program
 * was the end of it, and until it is called again none may run: if one is due,
 * it ends that call at once.
 */
struct wait {
	const sigset_t *mask; /* that it waits with */
	sigset_t own;         /* if the program gave none: the thread's */
	const struct timespec *time;
	struct timespec left;
	uint64_t end; /* of the time, monotonic */
	uint64_t before;
	bool lets, again;
};

enum {
	CLOSE = 4096,        /* from a wait's record to the stack of its call */
	LONGEST = 2000000000 /* seconds */
};

/* The wait that the thread is in, and if a timer signal was all that has ended
 * it. */
static __thread struct wait *volatile waiting
	__attribute__((tls_model("initial-exec")));
static __thread volatile bool by_timer_signal
	__attribute__((tls_model("initial-exec")));

/* Those that glibc keeps for itself, 32 and 33: to cancel, to set ids. */
#define C_LIBRARY_SIGNALS ((uint64_t)3 << 31)

static uint64_t our_signal_bit(void)
{
	return (uint64_t)1 << (clock_signal() - 1);
}

void eintr_waits_mark(ucontext_t *context)
{
	const mcontext_t *m = &context->uc_mcontext;
	uintptr_t to = (uintptr_t)waiting - registers_sp(m);
	uint64_t mask;

	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	if (!waiting || to > CLOSE || restart_result(m) != -EINTR ||
	    !(mask >> (clock_signal() - 1) & 1) || !restart_is_behind(m))
		return;
	/* A thread that is being cancelled waits here for the C library's. */
	mask = SYS_MASK_ALL & ~C_LIBRARY_SIGNALS;
	sys_copy(&context->uc_sigmask, &mask, sizeof(mask));
	by_timer_signal = true;
}

/* Longer ones are for ever. */
static uint64_t to_ns(const struct timespec *time)
{
	time_t seconds = time->tv_sec < LONGEST ? time->tv_sec : LONGEST;

	return (uint64_t)seconds * 1000000000u + (uint64_t)time->tv_nsec;
}

static struct timespec left_until(uint64_t end)
{
	uint64_t now = time_now(CLOCK_MONOTONIC),
		 left = now < end ? end - now : 0;

	return (struct timespec){ (time_t)(left / 1000000000u),
				  (long)(left % 1000000000u) };
}

/* The program may let our signal through for this call alone. */
static void wait_begin(struct wait *w, const sigset_t *mask,
		       const struct timespec *time)
{
	uint64_t set = our_signal_bit();

	*w = (struct wait){ .mask = mask ? mask : &w->own, .time = time };
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &set, &w->before, sizeof(set));
	sys_copy(&w->own, &w->before, sizeof(w->before));
	if (time)
		w->end = time_now(CLOCK_MONOTONIC) + to_ns(time);
	w->lets = mask && sigtrap_blocked() &&
		  sigismember(mask, clock_signal()) == 0;
	if (w->lets)
		sigtrap_follow_mask(false, NULL);
	by_timer_signal = false;
	waiting = w;
}

static bool wait_again(struct wait *w, bool interrupted)
{
	if (!interrupted || !by_timer_signal || waiting != w)
		return false;
	by_timer_signal = false;
	w->again = true;
	if (w->time) {
		w->left = left_until(w->end);
		w->time = &w->left;
	}
	return true;
}

/*
 * A sandbox that all threads got meanwhile may kill for one more system call,
 * and no timer signal is left to let through.
 */
static void wait_end(const struct wait *w)
{
	uint64_t set = our_signal_bit() & ~w->before;

	waiting = NULL;
	if (w->lets)
		sigtrap_follow_mask(true, NULL);
	if (w->again)
		sys_mask(w->before);
	else if (thread_self())
		sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, sizeof(set));
}

/* A stop does not end it, and it may be called a million times a second. */
static bool only_looks(const sigset_t *mask, const struct timespec *time)
{
	return !mask && time && !time->tv_sec && !time->tv_nsec;
}

/* `plain` where no timer signal comes, and nothing may be asked. */
#define WAIT(with, until, plain, call)                                         \
	do {                                                                   \
		struct wait w;                                                 \
		int result;                                                    \
                                                                               \
		if (!thread_self() || only_looks(with, until))                 \
			return plain;                                          \
		wait_begin(&w, with, until);                                   \
		do                                                             \
			result = (call);                                       \
		while (wait_again(&w, result == -1 && errno == EINTR));        \
		wait_end(&w);                                                  \
		return result;                                                 \
	} while (0)

PUBLIC UNWIND_SHOWN int sigsuspend(const sigset_t *mask)
{
	WAIT(mask, NULL, NEXT(sigsuspend)(mask), NEXT(sigsuspend)(w.mask));
}

PUBLIC UNWIND_SHOWN int pause(void)
{
	WAIT(NULL, NULL, NEXT(pause)(), NEXT(sigsuspend)(w.mask));
}

PUBLIC UNWIND_SHOWN int ppoll(struct pollfd *fds, nfds_t count,
			      const struct timespec *time, const sigset_t *mask)
{
	WAIT(mask, time, NEXT(ppoll)(fds, count, time, mask),
	     NEXT(ppoll)(fds, count, w.time, w.mask));
}

/* What ppoll() is with -D_FORTIFY_SOURCE. */
PUBLIC int __ppoll_chk(struct pollfd *fds, nfds_t count,
		       const struct timespec *time, const sigset_t *mask,
		       size_t size);
PUBLIC UNWIND_SHOWN int __ppoll_chk(struct pollfd *fds, nfds_t count,
				    const struct timespec *time,
				    const sigset_t *mask, size_t size)
{
	WAIT(mask, time, NEXT(__ppoll_chk)(fds, count, time, mask, size),
	     NEXT(__ppoll_chk)(fds, count, w.time, w.mask, size));
}

PUBLIC UNWIND_SHOWN int pselect(int count, fd_set *in, fd_set *out,
				fd_set *except, const struct timespec *time,
				const sigset_t *mask)
{
	WAIT(mask, time, NEXT(pselect)(count, in, out, except, time, mask),
	     NEXT(pselect)(count, in, out, except, w.time, w.mask));
}

/* Not part of a function that is shown. */
static __attribute__((noinline)) int wait_select(int count, fd_set *in,
						 fd_set *out, fd_set *except,
						 const struct timespec *time)
{
	WAIT(NULL, time, NEXT(pselect)(count, in, out, except, time, NULL),
	     NEXT(pselect)(count, in, out, except, w.time, w.mask));
}

/* It says what is left of the time, as the kernel does. */
PUBLIC UNWIND_SHOWN int select(int count, fd_set *in, fd_set *out,
			       fd_set *except, struct timeval *time)
{
	struct timespec until = { 0 };
	uint64_t end = 0;
	int result;

	if (!thread_self() || (time && (time->tv_sec < 0 || time->tv_usec < 0)))
		return NEXT(select)(count, in, out, except, time);
	if (time) {
		until.tv_sec = time->tv_sec < LONGEST ? time->tv_sec : LONGEST;
		until.tv_sec += time->tv_usec / 1000000;
		until.tv_nsec = time->tv_usec % 1000000 * 1000;
		end = time_now(CLOCK_MONOTONIC) + to_ns(&until);
	}
	result = wait_select(count, in, out, except, time ? &until : NULL);
	__asm__ volatile("" : "+r"(result)); /* its frame is still there */
	if (time) {
		until = result ? left_until(end) : (struct timespec){ 0 };
		time->tv_sec = until.tv_sec;
		time->tv_usec = until.tv_nsec / 1000;
	}
	return result;
}

static long raw_masked(const struct request *r, const sigset_t *mask)
{
	struct {
		const sigset_t *mask;
		size_t size;
	} with = { mask, sizeof(uint64_t) };
	struct request again = *r;

	if (r->number == SYS_pause) {
		again.number = SYS_rt_sigsuspend;
		again.a = (long)mask;
		again.b = sizeof(uint64_t);
	} else if (r->number == SYS_ppoll && !r->d) {
		again.d = (long)mask;
		again.e = sizeof(uint64_t);
	} else if (r->number == SYS_pselect6) {
		again.f = (long)&with;
	}
	return raw_syscall(&again);
}

/* What is left of its time the kernel says in the caller's own. */
static long raw_wait(const struct request *r)
{
	struct wait w;
	long result;

	wait_begin(&w, NULL, NULL);
	do
		result = raw_masked(r, w.mask);
	while (wait_again(&w, result == -EINTR));
	wait_end(&w);
	return result;
}

static bool sleeps_until(long clock, long flags, long time)
{
	return flags == TIMER_ABSTIME && time && thread_self() &&
	       (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
}

/* A word of 0 that nobody else knows: -EAGAIN where another one is expected. */
static long wait_for_never(clockid_t clock, long time, long expected)
{
	int real = clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0;
	uint32_t never = 0;
	struct request r = { .number = SYS_futex,
			     .a = (long)&never,
			     .b = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | real,
			     .c = expected,
			     .d = time,
			     .f = (long)FUTEX_BITSET_MATCH_ANY };
	long result;

	do
		result = raw_syscall(&r);
	while (!result);
	return result == -ETIMEDOUT ? 0 : result;
}

/*
 * A thread may be cancelled while it sleeps, so the C library does it; the
 * kernel first says what is wrong with the time, which may be at no address.
 * Not part of the function that is shown.
 */
static __attribute__((noinline)) int sleep_until(clockid_t clock,
						 const struct timespec *time)
{
	long err = wait_for_never(clock, (long)time, 1);
	sem_t never;

	if (err != -EAGAIN)
		return (int)-err;
	sem_init(&never, 0, 0);
	NEXT(sem_clockwait)(&never, clock, time);
	return errno == ETIMEDOUT ? 0 : errno;
}

PUBLIC UNWIND_SHOWN int clock_nanosleep(clockid_t clock, int flags,
					const struct timespec *time,
					struct timespec *left)
{
	int saved = errno, err;

	if (!NEXT(sem_clockwait) || !sleeps_until(clock, flags, (long)time))
		return NEXT(clock_nanosleep)(clock, flags, time, left);
	err = sleep_until(clock, time);
	errno = saved;
	return err;
}

/*
 * The program's own handler of our signal would not end the wait; without one
 * the signal kills, a little later.
 */
static bool is_deaf(long flags)
{
	return !(flags & IPC_NOWAIT) && thread_self() && !interpose_handles();
}

static uint64_t deaf_begin(void)
{
	uint64_t set = our_signal_bit(), before = 0;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, sizeof(set));
	return our_signal_bit() & ~before;
}

/* See wait_end(). */
static void deaf_end(uint64_t set)
{
	if (thread_self())
		sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, sizeof(set));
}

PUBLIC UNWIND_SHOWN ssize_t msgrcv(int queue, void *message, size_t size,
				   long type, int flags)
{
	ssize_t result;
	uint64_t set;

	if (!is_deaf(flags))
		return NEXT(msgrcv)(queue, message, size, type, flags);
	set = deaf_begin();
	result = NEXT(msgrcv)(queue, message, size, type, flags);
	deaf_end(set);
	return result;
}

PUBLIC UNWIND_SHOWN int msgsnd(int queue, const void *message, size_t size,
			       int flags)
{
	uint64_t set;
	int result;

	if (!is_deaf(flags))
		return NEXT(msgsnd)(queue, message, size, flags);
	set = deaf_begin();
	result = NEXT(msgsnd)(queue, message, size, flags);
	deaf_end(set);
	return result;
}

static long raw_deaf(const struct request *r)
{
	uint64_t set = deaf_begin();
	long result = raw_syscall(r);

	deaf_end(set);
	return result;
}

bool eintr_waits_raw(const struct request *r, long *result)
{
	switch (r->number) {
	case SYS_pselect6: /* the mask that it gives may be none */
		if (r->f)
			return false;
		break;
	case SYS_pause:
	case SYS_ppoll:
	case SYS_rt_sigsuspend:
		break;
	case SYS_clock_nanosleep:
		if (!sleeps_until((clockid_t)r->a, (int)r->b, r->c))
			return false;
		*result = wait_for_never((clockid_t)r->a, r->c, 0);
		return true;
	case SYS_msgrcv:
	case SYS_msgsnd:
		if (!is_deaf(r->number == SYS_msgrcv ? r->e : r->d))
			return false;
		*result = raw_deaf(r);
		return true;
	default:
		return false;
	}
	if (!thread_self())
		return false;
	*result = raw_wait(r);
	return true;
}
