/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eintr-restart.c - which signal decides about an interrupted system call.
 *
 * A timer signal never interrupts a system call, but one may be due when a
 * signal of the program does; with `wall` one always is, since the thread has
 * waited. The kernel delivers SIGTRAP before any other signal, and the first
 * handler decides: whether read() is begun again, and which mask sigsuspend()
 * leaves behind.  Both is put right here: the first by the timer signal's
 * handler, which sees the program's signal pending behind its mask, the second
 * by standing in front of the calls that wait with a mask of their own, here or
 * in eintr-waits.c.
 *
 * Where nothing but a stop has interrupted a call, the kernel goes on with it
 * if no handler runs, and a timer signal's does: it is gone on with here.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "arch/restart.h"
#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/thread.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"

/* A timer signal came when a call had just ended with EINTR. */
static __thread volatile bool ended __attribute__((tls_model("initial-exec")));

/*
 * Calls that a handler without SA_RESTART ends, see signal(7); others, fork()
 * among them, are begun again whatever the handler says.
 */
SIGSAFE static bool is_ended_by_handlers(const mcontext_t *m)
{
	static const uint16_t numbers[] = {
		SYS_read,     SYS_readv,     SYS_write,
		SYS_writev,   SYS_preadv,    SYS_pwritev,
		SYS_recvfrom, SYS_recvmsg,   SYS_recvmmsg,
		SYS_sendto,   SYS_sendmsg,   SYS_sendmmsg,
		SYS_accept,   SYS_accept4,   SYS_connect,
		SYS_open,     SYS_openat,    SYS_wait4,
		SYS_waitid,   SYS_flock,     SYS_fcntl,
		SYS_ioctl,    SYS_getrandom, SYS_mq_timedreceive,
		SYS_splice,   SYS_tee,       SYS_mq_timedsend,
		SYS_sendfile, SYS_vmsplice,  SYS_copy_file_range,
		SYS_preadv2,  SYS_pwritev2,
	};
	uint64_t number = (uint64_t)restart_number(m);

	if (number == SYS_futex)
		return restart_is_futex_wait(m);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number == numbers[i])
			return true;
	return false;
}

SIGSAFE static uint64_t pending_signals(void)
{
	uint64_t set = 0;

	sys2(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

/*
 * The flags of the next signal's handler, once this one returns.  All signals
 * are blocked here, so those that came are pending.  False: none has one.
 */
SIGSAFE static bool next_handler(const ucontext_t *context, unsigned long *to)
{
	struct {
		uintptr_t handler;
		unsigned long flags, restorer;
		uint64_t mask;
	} action;
	uint64_t set, blocked;

	sys_copy(&blocked, &context->uc_sigmask, sizeof(blocked));
	for (set = pending_signals() & ~blocked; set; set &= set - 1) {
		int signum = __builtin_ctzll(set) + 1;

		if (signum == clock_signal() ||
		    sys4(SYS_rt_sigaction, signum, 0, &action,
			 sizeof(action.mask)))
			continue;
		*to = action.flags;
		if (action.handler != (uintptr_t)SIG_DFL &&
		    action.handler != (uintptr_t)SIG_IGN)
			return true;
	}
	return false;
}

/* A call that is about to be begun again. */
SIGSAFE static bool may_be_ended(const mcontext_t *m)
{
	return restart_is_before(m) && is_ended_by_handlers(m);
}

void eintr_restart_follow(ucontext_t *context, unsigned long flags)
{
	mcontext_t *m = &context->uc_mcontext;

	if (!(flags & SA_RESTART) && may_be_ended(m))
		restart_skip(m, -EINTR);
}

SIGSAFE static bool handler_ends_calls(const ucontext_t *context)
{
	unsigned long flags;

	return next_handler(context, &flags) && !(flags & SA_RESTART);
}

void eintr_restart_settle(ucontext_t *context)
{
	mcontext_t *m = &context->uc_mcontext;

	if (restart_result(m) == -EINTR && restart_is_behind(m)) {
		ended = true;
	} else if (may_be_ended(m) && handler_ends_calls(context)) {
		restart_skip(m, -EINTR);
	}
}

/* Of a call that waits with a mask, which blocks our signal in its caller. */
SIGSAFE static bool is_masked_wait(const ucontext_t *context)
{
	uint64_t mask;

	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	return mask >> (clock_signal() - 1) & 1;
}

/*
 * Is it a sleep that would go on if no handler ran?  Either the kernel has
 * already begun to, or the timer signal's handler is the first that runs.
 */
SIGSAFE static bool would_go_on(const ucontext_t *context)
{
	const mcontext_t *m = &context->uc_mcontext;

	if (restart_number(m) == SYS_restart_syscall)
		return restart_is_before(m);
	return restart_result(m) == -EINTR && restart_is_behind(m) &&
	       restart_is_sleep(m) && !is_masked_wait(context);
}

SIGSAFE bool eintr_restart_sleeps(const ucontext_t *context)
{
	unsigned long flags;

	return would_go_on(context) && !next_handler(context, &flags);
}

/*
 * The kernel has noted how to go on until the first handler returns, this one
 * or one of the program: then it says EINTR again.  Our signal waits: the path
 * of the next timer signal is that of the sleep's caller.
 */
void eintr_restart_sleep(ucontext_t *context)
{
	mcontext_t *m = &context->uc_mcontext;
	bool again = restart_number(m) == SYS_restart_syscall;
	uint64_t mask;
	long result;

	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	sys_mask(mask | (uint64_t)1 << (clock_signal() - 1));
	result = sys0(SYS_restart_syscall);
	if (again)
		restart_skip(m, result);
	else
		restart_set_result(m, result);
	sys_mask(SYS_MASK_ALL);
}

/*
 * The timer signal was delivered with the mask of before the call: a signal
 * that only the call's mask lets through has ended it, but is still pending. It
 * is let through by the same call once more, which that signal ends at once.
 */
static bool still_waits(int result, const sigset_t *mask)
{
	uint64_t blocked = 0;

	if (result != -1 || errno != EINTR || !ended || !mask)
		return false;
	sys_copy(&blocked, mask, sizeof(blocked));
	return (pending_signals() & ~blocked) != 0;
}

/* Waits that a stop ends as well: again only if a signal waits. */
#define WAIT_ONCE(mask, call)                                                  \
	do {                                                                   \
		ended = false;                                                 \
		result = (call);                                               \
	} while (still_waits(result, mask));                                   \
	return result

PUBLIC int epoll_pwait(int fd, struct epoll_event *events, int count, int time,
		       const sigset_t *mask)
{
	int result;

	WAIT_ONCE(mask, NEXT(epoll_pwait)(fd, events, count, time, mask));
}

/* Headers have it since glibc 2.35. */
int epoll_pwait2(int fd, struct epoll_event *events, int count,
		 const struct timespec *time, const sigset_t *mask);

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* of all processors; Linux 5.11 */
#endif

static int wait_by_kernel(int fd, struct epoll_event *events, int count,
			  const struct timespec *time, const sigset_t *mask)
{
	return next_result(sys6(SYS_epoll_pwait2, (long)fd, (long)events,
				(long)count, (long)time, (long)mask,
				_NSIG / 8));
}

PUBLIC int epoll_pwait2(int fd, struct epoll_event *events, int count,
			const struct timespec *time, const sigset_t *mask)
{
	__typeof__(&epoll_pwait2) next = NEXT(epoll_pwait2);
	int result;

	if (!next)
		next = wait_by_kernel;
	WAIT_ONCE(mask, next(fd, events, count, time, mask));
}
