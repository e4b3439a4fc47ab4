/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restart.c - which signal decides about an interrupted system call.
 *
 * A tick never interrupts a system call, but one may be due when a signal of
 * the program does; with `wall` one always is, since the thread has waited.
 * The kernel delivers SIGTRAP before any other signal, and the first handler
 * decides: whether read() is begun again, and which mask sigsuspend() leaves
 * behind.  Both is put right here: the first by the tick's handler, which
 * sees the program's signal pending behind its mask, the second by standing
 * in front of the calls that wait with a mask of their own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "base/sys.h"
#include "collect/clock.h"
#include "collect/interpose.h"
#include "collect/restart.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	PAGE = 4096,
	SYSCALL_SIZE = 2
};

/* A tick came when a call had just ended with EINTR. */
static __thread volatile bool ended __attribute__((tls_model("initial-exec")));

/* Mutable: found once, before main(). */
static struct {
	int (*sigsuspend)(const sigset_t *);
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *,
		     const sigset_t *);
	int (*ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *,
			 const sigset_t *, size_t);
	int (*pselect)(int, fd_set *, fd_set *, fd_set *,
		       const struct timespec *, const sigset_t *);
	int (*epoll_pwait)(int, struct epoll_event *, int, int,
			   const sigset_t *);
	int (*epoll_pwait2)(int, struct epoll_event *, int,
			    const struct timespec *, const sigset_t *);
} next;

void restart_init(void)
{
#define FIND(member, name)                                                     \
	next.member = (__typeof__(next.member))dlsym(RTLD_NEXT, name)
	if (next.sigsuspend)
		return;
	FIND(ppoll, "ppoll");
	FIND(ppoll_chk, "__ppoll_chk");
	FIND(pselect, "pselect");
	FIND(epoll_pwait, "epoll_pwait");
	FIND(epoll_pwait2, "epoll_pwait2");
	FIND(sigsuspend, "sigsuspend");
#undef FIND
}

SIGSAFE static bool is_system_call(uintptr_t at)
{
	const volatile uint8_t *code = (const volatile uint8_t *)at;

	/* The page before, or behind, may not be mapped. */
	return (at & (PAGE - 1)) < PAGE - 1 && code[0] == 0x0f &&
	       code[1] == 0x05;
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

SIGSAFE static uint64_t pending_signals(void)
{
	uint64_t set = 0;

	sys2(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

/*
 * The next signal that has a handler, once this one returns: does it end
 * calls?  All signals are blocked here, so those that came are pending.
 */
SIGSAFE static bool handler_ends_calls(const ucontext_t *context)
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
		if (action.handler != (uintptr_t)SIG_DFL &&
		    action.handler != (uintptr_t)SIG_IGN)
			return !(action.flags & SA_RESTART);
	}
	return false;
}

void restart_settle(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)regs[REG_RIP];

	if (regs[REG_RAX] == -EINTR && is_system_call(pc - SYSCALL_SIZE)) {
		ended = true;
	} else if (is_system_call(pc) && is_ended_by_handlers(regs) &&
		   handler_ends_calls(context)) {
		regs[REG_RAX] = -EINTR;
		regs[REG_RIP] += SYSCALL_SIZE;
	}
}

/*
 * The tick was delivered with the mask of before the call: a signal that only
 * the call's mask lets through has ended it, but is still pending.  It is let
 * through by the same call once more, which that signal ends at once.
 */
static bool still_waits(int result, const sigset_t *mask)
{
	uint64_t blocked = 0;

	if (result != -1 || errno != EINTR || !ended || !mask)
		return false;
	sys_copy(&blocked, mask, sizeof(blocked));
	return (pending_signals() & ~blocked) != 0;
}

#define WAIT(mask, call)                                                       \
	do {                                                                   \
		restart_init();                                                \
		ended = false;                                                 \
		result = (call);                                               \
	} while (still_waits(result, mask));                                   \
	return result

PUBLIC int sigsuspend(const sigset_t *mask)
{
	int result;

	WAIT(mask, next.sigsuspend(mask));
}

PUBLIC int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time,
		 const sigset_t *mask)
{
	int result;

	WAIT(mask, next.ppoll(fds, count, time, mask));
}

/* What ppoll() is with -D_FORTIFY_SOURCE. */
PUBLIC int __ppoll_chk(struct pollfd *fds, nfds_t count,
		       const struct timespec *time, const sigset_t *mask,
		       size_t size);
PUBLIC int __ppoll_chk(struct pollfd *fds, nfds_t count,
		       const struct timespec *time, const sigset_t *mask,
		       size_t size)
{
	int result;

	WAIT(mask, next.ppoll_chk(fds, count, time, mask, size));
}

PUBLIC int pselect(int count, fd_set *in, fd_set *out, fd_set *except,
		   const struct timespec *time, const sigset_t *mask)
{
	int result;

	WAIT(mask, next.pselect(count, in, out, except, time, mask));
}

PUBLIC int epoll_pwait(int fd, struct epoll_event *events, int count, int time,
		       const sigset_t *mask)
{
	int result;

	WAIT(mask, next.epoll_pwait(fd, events, count, time, mask));
}

PUBLIC int epoll_pwait2(int fd, struct epoll_event *events, int count,
			const struct timespec *time, const sigset_t *mask)
{
	int result;

	WAIT(mask, next.epoll_pwait2(fd, events, count, time, mask));
}
