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
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/thread.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/raw-syscall.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	PAGE = 4096,
	SYSCALL_SIZE = 2
};

/* A timer signal came when a call had just ended with EINTR. */
static __thread volatile bool ended __attribute__((tls_model("initial-exec")));

SIGSAFE static bool is_system_call(uintptr_t at)
{
	const volatile uint8_t *code = (const volatile uint8_t *)at;

	/* The page before, or behind, may not be mapped. */
	return (at & (PAGE - 1)) < PAGE - 1 && code[0] == 0x0f &&
	       code[1] == 0x05;
}

SIGSAFE bool eintr_restart_is_behind(const greg_t *regs)
{
	return is_system_call((uintptr_t)regs[REG_RIP] - SYSCALL_SIZE);
}

/*
 * Calls that a handler without SA_RESTART ends, see signal(7); others, fork()
 * among them, are begun again whatever the handler says.
 */
SIGSAFE static bool is_ended_by_handlers(const greg_t *regs)
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
	uint64_t number = (uint64_t)regs[REG_RAX];
	long wait = regs[REG_RSI] & FUTEX_CMD_MASK;

	if (number == SYS_futex)
		return wait == FUTEX_WAIT || wait == FUTEX_WAIT_BITSET;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number == numbers[i])
			return true;
	return false;
}

/*
 * The number of the call that a thread is just back from, where the
 * instruction before it says so, as in the C library, or it was made by
 * syscall(); -1: not to be known.
 */
SIGSAFE static long number_of(uintptr_t call, const greg_t *regs)
{
	const volatile uint8_t *code = (const volatile uint8_t *)call - 5;
	uint32_t number;

	if (call == (uintptr_t)raw_syscall_at)
		return regs[REG_RBX];
	if ((call & (PAGE - 1)) < 5 || code[0] != 0xb8) /* mov $n, %eax */
		return -1;
	sys_copy(&number, (const void *)(code + 1), sizeof(number));
	return number;
}

/* The kernel ends it, when a handler runs, but can go on with it else. */
SIGSAFE static bool is_sleep(long number, const greg_t *regs)
{
	long wait = regs[REG_RSI] & FUTEX_CMD_MASK;

	switch (number) {
	case SYS_nanosleep:
	case SYS_poll:
		return true;
	case SYS_clock_nanosleep:
		return regs[REG_RSI] == 0;
	case SYS_futex:
		return (wait == FUTEX_WAIT || wait == FUTEX_WAIT_BITSET) &&
		       regs[REG_R10];
	default:
		return false;
	}
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
SIGSAFE static bool may_be_ended(const greg_t *regs)
{
	return is_system_call((uintptr_t)regs[REG_RIP]) &&
	       is_ended_by_handlers(regs);
}

SIGSAFE static void end_call(greg_t *regs)
{
	regs[REG_RAX] = -EINTR;
	regs[REG_RIP] += SYSCALL_SIZE;
}

void eintr_restart_follow(ucontext_t *context, unsigned long flags)
{
	greg_t *regs = context->uc_mcontext.gregs;

	if (!(flags & SA_RESTART) && may_be_ended(regs))
		end_call(regs);
}

SIGSAFE static bool handler_ends_calls(const ucontext_t *context)
{
	unsigned long flags;

	return next_handler(context, &flags) && !(flags & SA_RESTART);
}

void eintr_restart_settle(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;

	if (regs[REG_RAX] == -EINTR && eintr_restart_is_behind(regs)) {
		ended = true;
	} else if (may_be_ended(regs) && handler_ends_calls(context)) {
		end_call(regs);
	}
}

/*
 * Is it a sleep that would go on if no handler ran?  Either the kernel has
 * already begun to, or the timer signal's handler is the first that runs.
 */
SIGSAFE static bool would_go_on(const greg_t *regs)
{
	uintptr_t pc = (uintptr_t)regs[REG_RIP];

	if (regs[REG_RAX] == SYS_restart_syscall)
		return is_system_call(pc);
	return regs[REG_RAX] == -EINTR && eintr_restart_is_behind(regs) &&
	       is_sleep(number_of(pc - SYSCALL_SIZE, regs), regs);
}

SIGSAFE bool eintr_restart_sleeps(const ucontext_t *context)
{
	unsigned long flags;

	return would_go_on(context->uc_mcontext.gregs) &&
	       !next_handler(context, &flags);
}

/*
 * The kernel has noted how to go on until the first handler returns, this one
 * or one of the program: then it says EINTR again.  Our signal waits: the path
 * of the next timer signal is that of the sleep's caller.
 */
void eintr_restart_sleep(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uint64_t mask;

	if (regs[REG_RAX] == SYS_restart_syscall)
		regs[REG_RIP] += SYSCALL_SIZE;
	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	sys_mask(mask | (uint64_t)1 << (clock_signal() - 1));
	regs[REG_RAX] = sys0(SYS_restart_syscall);
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

PUBLIC int epoll_pwait2(int fd, struct epoll_event *events, int count,
			const struct timespec *time, const sigset_t *mask)
{
	int result;

	WAIT_ONCE(mask, NEXT(epoll_pwait2)(fd, events, count, time, mask));
}
