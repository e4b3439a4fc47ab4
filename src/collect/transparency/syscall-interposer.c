/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * syscall-interposer.c - syscall() and prctl(): what reaches the kernel past
 * the functions that the collector stands in front of, and sandboxes.
 *
 * All else is passed on as it came: arguments that the caller did not give
 * are read as well, as the C library does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/sampling/fatal-signal.h"
#include "collect/collect.h"
#include "collect/io/io-passed.h"
#include "collect/thread.h"
#include "collect/transparency/alt-stack.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/exec-env.h"
#include "collect/transparency/interpose.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

/* A signal set and an action, as the kernel has them. */
typedef uint64_t kernel_set;

struct kernel_action {
	__sighandler_t handler;
	unsigned long flags;
	void (*restorer)(void);
	kernel_set mask;
};

/* As the C library returns it. */
static long to_errno(long result)
{
	if (!sys_failed(result))
		return result;
	errno = (int)-result;
	return -1;
}

static long exec_request(const struct request *r)
{
	bool at = r->number == SYS_execveat;
	char *const *env = (char *const *)(at ? r->d : r->c);
	EXEC_ENV(at ? exec_env_at((int)r->a, (const char *)r->b, (int)r->e, env)
		    : exec_env_file((const char *)r->a, env),
		 env, given);
	struct thread *t = exec_begin();
	struct request fits = *r;

	*(at ? &fits.d : &fits.c) = (long)given;
	return exec_failed(t, (int)to_errno(raw_syscall(&fits)));
}

/* Another signal's; its handler may be one for the alternate stack. */
static long set_handler_raw(const struct request *r)
{
	struct kernel_action *old = (void *)r->c, ours;
	void *was = alt_stack_wrapped((int)r->a);
	struct request wrapped = *r;
	long result;

	if (r->b && collect_active()) {
		ours = *(const struct kernel_action *)r->b;
		ours.handler =
			alt_stack_wrap((int)r->a, ours.handler, ours.flags);
		wrapped.b = (long)&ours;
	}
	result = raw_syscall(&wrapped);
	if (!result && old) {
		old->handler = alt_stack_unwrap(old->handler, was);
		if (fatal_signal_hides((const void *)old->handler))
			*old = (struct kernel_action){ SIG_DFL };
	}
	if (!result && r->b)
		fatal_signal_follow((int)r->a);
	return to_errno(result);
}

/* The program's own view of our signal. */
static long set_action(const struct request *r)
{
	const struct kernel_action *from = (const void *)r->b;
	struct kernel_action *to = (void *)r->c;
	struct sigaction action = { 0 }, old;

	if (!collect_active() || r->a != clock_signal())
		return set_handler_raw(r);
	if (from) {
		action.sa_handler = from->handler;
		action.sa_flags = (int)from->flags;
		sys_copy(&action.sa_mask, &from->mask, sizeof(from->mask));
	}
	sigaction(clock_signal(), from ? &action : NULL, &old);
	if (to) {
		*to = (struct kernel_action){ .handler = old.sa_handler,
					      .flags = (unsigned)old.sa_flags };
		sys_copy(&to->mask, &old.sa_mask, sizeof(to->mask));
	}
	return 0;
}

static long set_mask(const struct request *r)
{
	struct request ours = *r;
	kernel_set set;

	if (!collect_active() || !r->b || r->a == SIG_UNBLOCK)
		return to_errno(raw_syscall(r));
	set = *(const kernel_set *)r->b &
	      ~((kernel_set)1 << (clock_signal() - 1));
	ours.b = (long)&set;
	return to_errno(raw_syscall(&ours));
}

/*
 * A sandbox may kill whoever makes a system call that it does not know, and
 * the handler makes some.  So its thread, or all, with what they start, are
 * not measured any more.  Programs also ask like this for what there is, and
 * fail on purpose.
 */
static long enter_sandbox(const struct request *r, unsigned long flags)
{
	bool everyone = flags & SECCOMP_FILTER_FLAG_TSYNC;
	struct thread *t = exec_begin();
	char *live = secure_getenv("COPSE_LIVE");
	long result;

	if (t && everyone)
		thread_seal(true);
	result = raw_syscall(r);
	if (result == 0 ||
	    (result > 0 && flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)) {
		exec_env_leave();
		if (!t) /* it may be a child of vfork(): that is its parent's */
			return result;
		thread_leave();
		/* A new program would start its clock. */
		if (live)
			*live = 0;
		return result;
	}
	if (t && everyone)
		thread_seal(false);
	return exec_failed(t, (int)to_errno(result));
}

/*
 * A thread that may not read the time stamp counter dies of a timer signal,
 * whose handler reads clocks: its own stands still until it may again.
 */
static long allow_counter(const struct request *r)
{
	struct thread *t = exec_begin();
	long result = raw_syscall(r);

	if (!result && r->b == PR_TSC_SIGSEGV)
		return result;
	return exec_failed(t, (int)to_errno(result));
}

static long set_limit(const struct request *r)
{
	long resource = r->number == SYS_setrlimit ? r->a : r->b, result;

	if (r->number == SYS_setrlimit || r->c)
		limits_expect(resource);
	result = raw_syscall(r);
	if (!result)
		limits_follow(resource);
	return to_errno(result);
}

static long answer_request(const struct request *r)
{
	long result;

	switch (r->number) {
	case SYS_execve:
	case SYS_execveat:
		return exec_request(r);
	case SYS_rt_sigaction:
		return set_action(r);
	case SYS_rt_sigprocmask:
		return set_mask(r);
	case SYS_sigaltstack:
		return sigaltstack((const stack_t *)r->a, (stack_t *)r->b);
	case SYS_setrlimit:
	case SYS_prlimit64:
		return set_limit(r);
	case SYS_prctl:
		if ((int)r->a == PR_SET_SECCOMP)
			return enter_sandbox(r, 0);
		if ((int)r->a == PR_SET_TSC)
			return allow_counter(r);
		break;
	case SYS_io_uring_setup:
	case SYS_io_setup:
		result = raw_syscall(r);
		if (!sys_failed(result) && collect_settings()->io)
			io_passed_way(r->number == SYS_io_uring_setup);
		return to_errno(result);
	case SYS_seccomp:
		if (r->a == SECCOMP_SET_MODE_STRICT)
			return enter_sandbox(r, 0);
		if (r->a == SECCOMP_SET_MODE_FILTER)
			return enter_sandbox(r, (unsigned long)r->b);
		break;
	default:
		if (eintr_waits_raw(r, &result))
			return to_errno(result);
		break;
	}
	return to_errno(raw_syscall(r));
}

/* Their names in C have other prototypes, with `...`. */
PUBLIC long interposed_syscall(long number, long a, long b, long c, long d,
			       long e, long f) __asm__("syscall");
PUBLIC int interposed_prctl(int option, long a, long b, long c,
			    long d) __asm__("prctl");

PUBLIC long interposed_syscall(long number, long a, long b, long c, long d,
			       long e, long f)
{
	struct request r = { number, a, b, c, d, e, f };

	return answer_request(&r);
}

PUBLIC int interposed_prctl(int option, long a, long b, long c, long d)
{
	struct request r = { SYS_prctl, option, a, b, c, d, 0 };

	return (int)answer_request(&r);
}
