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
 *
 * Where nothing but a stop has interrupted a call, the kernel goes on with it
 * if no handler runs, and a tick's does: it is gone on with here.
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
#include <unistd.h>

#include "base/sys.h"
#include "collect/clock.h"
#include "collect/held.h"
#include "collect/interpose.h"
#include "collect/restart.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/unwind.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	PAGE = 4096,
	NEAR = 65536, /* from a signal's frame to what it interrupted */
	SYSCALL_SIZE = 2
};

/* A tick came when a call had just ended with EINTR. */
static __thread volatile bool ended __attribute__((tls_model("initial-exec")));

/* Mutable: found once, before main(). */
static struct {
	int (*sigsuspend)(const sigset_t *);
	int (*pause)(void);
	int (*select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
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
	FIND(pause, "pause");
	FIND(select, "select");
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

/*
 * The number of the call that a thread is just back from, where the
 * instruction before it says so, as in the C library; -1: not to be known.
 */
SIGSAFE static long number_of(uintptr_t call)
{
	const volatile uint8_t *code = (const volatile uint8_t *)call - 5;
	uint32_t number;

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

	if (held_due() && interpose_handles(to))
		return true;
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

void restart_follow(ucontext_t *context, unsigned long flags)
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

void restart_settle(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)regs[REG_RIP];

	if (regs[REG_RAX] == -EINTR && is_system_call(pc - SYSCALL_SIZE)) {
		ended = true;
	} else if (may_be_ended(regs) && handler_ends_calls(context)) {
		end_call(regs);
	}
}

/*
 * Is it a sleep that would go on if no handler ran?  Either the kernel has
 * already begun to, or the tick's handler is the first that runs.
 */
SIGSAFE static bool would_go_on(const greg_t *regs)
{
	uintptr_t pc = (uintptr_t)regs[REG_RIP];

	if (regs[REG_RAX] == SYS_restart_syscall)
		return is_system_call(pc);
	return regs[REG_RAX] == -EINTR && is_system_call(pc - SYSCALL_SIZE) &&
	       is_sleep(number_of(pc - SYSCALL_SIZE), regs);
}

/*
 * The kernel has noted how to go on until the first handler returns, this one
 * or one of the program: then it says EINTR again.  Our signal waits: the path
 * of the next tick is that of the sleep's caller.  Not on an alternate stack,
 * where handlers of the program would follow that want more room.
 */
void restart_sleep(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	unsigned long flags;
	uint64_t mask;

	if ((uintptr_t)regs[REG_RSP] - here > NEAR || !would_go_on(regs) ||
	    next_handler(context, &flags))
		return;
	if (regs[REG_RAX] == SYS_restart_syscall)
		regs[REG_RIP] += SYSCALL_SIZE;
	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	sys_mask(mask | (uint64_t)1 << (clock_signal() - 1));
	regs[REG_RAX] = sys0(SYS_restart_syscall);
	sys_mask(SYS_MASK_ALL);
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

/*
 * A call that waits with a mask has our signal blocked before and behind it.
 * So a tick that finds it ended with EINTR is the first handler that has run
 * since: another one would have returned to the mask of before, behind which
 * the tick could not have come.  Then no handler of the program was the end of
 * it, and until it is called again none may run: if one is due, it ends that
 * call at once.
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

/* The wait that the thread is in, and if a tick was all that has ended it. */
static __thread struct wait *volatile waiting
	__attribute__((tls_model("initial-exec")));
static __thread volatile bool by_tick
	__attribute__((tls_model("initial-exec")));

static uint64_t ours(void)
{
	return (uint64_t)1 << (clock_signal() - 1);
}

void restart_wait(ucontext_t *context)
{
	const greg_t *regs = context->uc_mcontext.gregs;
	uintptr_t call = (uintptr_t)regs[REG_RIP] - SYSCALL_SIZE;
	uintptr_t to = (uintptr_t)waiting - (uintptr_t)regs[REG_RSP];
	uint64_t mask;

	sys_copy(&mask, &context->uc_sigmask, sizeof(mask));
	if (!waiting || to > CLOSE || regs[REG_RAX] != -EINTR ||
	    !(mask >> (clock_signal() - 1) & 1) || !is_system_call(call))
		return;
	mask = SYS_MASK_ALL;
	sys_copy(&context->uc_sigmask, &mask, sizeof(mask));
	by_tick = true;
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
	uint64_t set = ours();

	*w = (struct wait){ .mask = mask ? mask : &w->own, .time = time };
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &set, &w->before, sizeof(set));
	sys_copy(&w->own, &w->before, sizeof(w->before));
	if (time)
		w->end = time_now(CLOCK_MONOTONIC) + to_ns(time);
	w->lets =
		mask && held_blocks() && sigismember(mask, clock_signal()) == 0;
	if (w->lets)
		held_follow(false, NULL);
	by_tick = false;
	waiting = w;
}

static bool wait_again(struct wait *w, int result)
{
	if (result != -1 || errno != EINTR || !by_tick || waiting != w)
		return false;
	by_tick = false;
	w->again = true;
	if (w->time) {
		w->left = left_until(w->end);
		w->time = &w->left;
	}
	return true;
}

/*
 * A sandbox that all threads got meanwhile may kill for one more system call,
 * and no tick is left to let through.
 */
static void wait_end(const struct wait *w)
{
	uint64_t set = ours() & ~w->before;

	waiting = NULL;
	if (w->lets)
		held_follow(true, NULL);
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

/* `plain` where no tick comes, and nothing may be asked. */
#define WAIT(with, until, plain, call)                                         \
	do {                                                                   \
		struct wait w;                                                 \
		int result;                                                    \
                                                                               \
		restart_init();                                                \
		if (!thread_self() || only_looks(with, until))                 \
			return plain;                                          \
		wait_begin(&w, with, until);                                   \
		do                                                             \
			result = (call);                                       \
		while (wait_again(&w, result));                                \
		wait_end(&w);                                                  \
		return result;                                                 \
	} while (0)

PUBLIC UNWIND_SHOWN int sigsuspend(const sigset_t *mask)
{
	WAIT(mask, NULL, next.sigsuspend(mask), next.sigsuspend(w.mask));
}

PUBLIC UNWIND_SHOWN int pause(void)
{
	WAIT(NULL, NULL, next.pause(), next.sigsuspend(w.mask));
}

PUBLIC UNWIND_SHOWN int ppoll(struct pollfd *fds, nfds_t count,
			      const struct timespec *time, const sigset_t *mask)
{
	WAIT(mask, time, next.ppoll(fds, count, time, mask),
	     next.ppoll(fds, count, w.time, w.mask));
}

/* What ppoll() is with -D_FORTIFY_SOURCE. */
PUBLIC int __ppoll_chk(struct pollfd *fds, nfds_t count,
		       const struct timespec *time, const sigset_t *mask,
		       size_t size);
PUBLIC UNWIND_SHOWN int __ppoll_chk(struct pollfd *fds, nfds_t count,
				    const struct timespec *time,
				    const sigset_t *mask, size_t size)
{
	WAIT(mask, time, next.ppoll_chk(fds, count, time, mask, size),
	     next.ppoll_chk(fds, count, w.time, w.mask, size));
}

PUBLIC UNWIND_SHOWN int pselect(int count, fd_set *in, fd_set *out,
				fd_set *except, const struct timespec *time,
				const sigset_t *mask)
{
	WAIT(mask, time, next.pselect(count, in, out, except, time, mask),
	     next.pselect(count, in, out, except, w.time, w.mask));
}

/* Not part of a function that is shown. */
static __attribute__((noinline)) int wait_select(int count, fd_set *in,
						 fd_set *out, fd_set *except,
						 const struct timespec *time)
{
	WAIT(NULL, time, next.pselect(count, in, out, except, time, NULL),
	     next.pselect(count, in, out, except, w.time, w.mask));
}

/* It says what is left of the time, as the kernel does. */
PUBLIC UNWIND_SHOWN int select(int count, fd_set *in, fd_set *out,
			       fd_set *except, struct timeval *time)
{
	struct timespec until = { 0 };
	uint64_t end = 0;
	int result;

	restart_init();
	if (!thread_self() || (time && (time->tv_sec < 0 || time->tv_usec < 0)))
		return next.select(count, in, out, except, time);
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

/* Waits that a stop ends as well: again only if a signal waits. */
#define WAIT_ONCE(mask, call)                                                  \
	do {                                                                   \
		restart_init();                                                \
		ended = false;                                                 \
		result = (call);                                               \
	} while (still_waits(result, mask));                                   \
	return result

PUBLIC int epoll_pwait(int fd, struct epoll_event *events, int count, int time,
		       const sigset_t *mask)
{
	int result;

	WAIT_ONCE(mask, next.epoll_pwait(fd, events, count, time, mask));
}

PUBLIC int epoll_pwait2(int fd, struct epoll_event *events, int count,
			const struct timespec *time, const sigset_t *mask)
{
	int result;

	WAIT_ONCE(mask, next.epoll_pwait2(fd, events, count, time, mask));
}
