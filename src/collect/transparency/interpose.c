/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose.c - pthread_create and thrd_create, to measure every thread;
 * sigaction, signal and the masks, so that the program and the sampler both
 * keep their signal; dlclose, after which an address may mean other code.
 *
 * dlopen is left alone: it looks at its caller's RUNPATH.  New modules are
 * met when their first sample is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/sampling/fatal-signal.h"
#include "collect/collect.h"
#include "collect/python/python-layout.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/transparency/alt-stack.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/exec-env.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	ABOVE_FRAME = 1024
}; /* of a thread's first frame: its descriptor */

/* Mutable: made once, before main(). */
static pthread_key_t at_exit;
static bool has_key;

/* Mutable: what the program asked for, for the signal that we hold. */
static struct sigaction wanted;

static void thread_ends(void *unused)
{
	(void)unused;
	thread_stop();
}

void interpose_init(void)
{
	next_init();
	exec_env_init();
	has_key = !pthread_key_create(&at_exit, thread_ends);
}

/* One of the two functions is there. */
struct start {
	void *(*function)(void *);
	thrd_start_t c11;
	void *argument;
	size_t stack;
	char name[PYTHON_THREAD_NAME];
	struct thread_starter starter;
};

static size_t stack_size(const pthread_attr_t *attr)
{
	struct rlimit limit;
	size_t size = 0;

	if (attr && !pthread_attr_getstacksize(attr, &size) && size)
		return size;
	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > 8 << 20)
		return 8 << 20;
	return limit.rlim_cur;
}

static struct start thread_begins(void *argument, uintptr_t high)
{
	struct start start = *(struct start *)argument;

	free(argument);
	sigtrap_started();
	thread_start(high - start.stack, high, start.name);
	thread_starter_take(&start.starter);
	pthread_setspecific(at_exit, &at_exit);
	return start;
}

static void *thread_main(void *argument)
{
	uintptr_t high = (uintptr_t)__builtin_frame_address(0) + ABOVE_FRAME;
	struct start start = thread_begins(argument, high);

	return start.function(start.argument);
}

static int thread_main_c11(void *argument)
{
	uintptr_t high = (uintptr_t)__builtin_frame_address(0) + ABOVE_FRAME;
	struct start start = thread_begins(argument, high);

	return start.c11(start.argument);
}

/* start.c's, as the linker names that section; NULL: a test has no start.c. */
extern HIDDEN void (*const __start_copse_before_threads)(void)
	__attribute__((weak));

/* NULL: what a thread starts that is not measured, is not either. */
static struct start *start_of(const struct start *start,
			      const pthread_attr_t *attr)
{
	struct start *copy;

	if (&__start_copse_before_threads)
		__start_copse_before_threads();
	copy = thread_self() && has_key ? malloc(sizeof(*copy)) : NULL;
	if (copy) {
		*copy = *start;
		copy->stack = stack_size(attr);
		thread_starter_note(&copy->starter);
	}
	return copy;
}

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*function)(void *), void *argument)
{
	struct start *start = start_of(
		&(struct start){ .function = function, .argument = argument },
		attr);
	uint64_t mask;
	int err;

	if (!start)
		return NEXT(pthread_create)(thread, attr, function, argument);
	python_thread_name((const void *)function, start->name);
	mask = sigtrap_before_start();
	err = NEXT(pthread_create)(thread, attr, thread_main, start);
	sigtrap_after_start(mask);
	if (err)
		free(start);
	return err;
}

PUBLIC int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct start *start = start_of(
		&(struct start){ .c11 = function, .argument = argument }, NULL);
	uint64_t mask;
	int err;

	if (!start)
		return NEXT(thrd_create)(thread, function, argument);
	mask = sigtrap_before_start();
	err = NEXT(thrd_create)(thread, thread_main_c11, start);
	sigtrap_after_start(mask);
	if (err != thrd_success)
		free(start);
	return err;
}

/* The set without our signal, which must get through; `to` is its place. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *to)
{
	if (!set || !collect_active() || sigismember(set, clock_signal()) <= 0)
		return set;
	*to = *set;
	sigdelset(to, clock_signal());
	return to;
}

PUBLIC int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	const sigset_t *to = set;
	bool wish = sigtrap_will_block(how, set);
	sigset_t ours;
	int err;

	if (how != SIG_UNBLOCK)
		to = without_ours(set, &ours);
	err = NEXT(pthread_sigmask)(how, to, old);
	if (!err)
		sigtrap_follow_mask(wish, old);
	return err;
}

PUBLIC int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err = pthread_sigmask(how, set, old);

	if (err)
		errno = err;
	return err ? -1 : 0;
}

static bool is_our_signal(int signal)
{
	return collect_active() && signal == clock_signal();
}

static int set_wanted(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction was = wanted;

	if (action)
		wanted = *action;
	if (old)
		*old = was;
	return 0;
}

PUBLIC int sigaction(int signum, const struct sigaction *action,
		     struct sigaction *old)
{
	void *was = alt_stack_wrapped(signum);
	struct sigaction ours;
	int err;

	if (is_our_signal(signum))
		return set_wanted(action, old);
	if (action && collect_active()) {
		ours = *action;
		sigdelset(&ours.sa_mask, clock_signal());
		ours.sa_handler = alt_stack_wrap(signum, ours.sa_handler,
						 (unsigned)ours.sa_flags);
		action = &ours;
	}
	err = NEXT(sigaction)(signum, action, old);
	if (!err && old) {
		old->sa_handler = alt_stack_unwrap(old->sa_handler, was);
		fatal_signal_show(signum, old);
	}
	if (!err && action)
		fatal_signal_follow(signum);
	return err;
}

PUBLIC __sighandler_t signal(int signum, __sighandler_t handler)
{
	__sighandler_t was = wanted.sa_handler;

	if (!is_our_signal(signum)) {
		was = alt_stack_unwrap(NEXT(signal)(signum, handler),
				       alt_stack_wrapped(signum));
		fatal_signal_follow(signum);
		return fatal_signal_hides((const void *)was) ? SIG_DFL : was;
	}
	wanted = (struct sigaction){ .sa_handler = handler,
				     .sa_flags = SA_RESTART };
	return was;
}

int interpose_take_signal(int signum, const struct sigaction *action)
{
	return NEXT(sigaction)(signum, action, &wanted);
}

SIGSAFE bool interpose_handles(void)
{
	return wanted.sa_handler != SIG_DFL && wanted.sa_handler != SIG_IGN;
}

SIGSAFE bool interpose_on_alt_stack(void)
{
	return wanted.sa_flags & SA_ONSTACK;
}

/* As the kernel would: the interrupted mask, the action's and the signal. */
SIGSAFE static void mask_as_wanted(const struct sigaction *now, int signum,
				   const void *context)
{
	uint64_t mask, more;

	sys_copy(&mask, &((const ucontext_t *)context)->uc_sigmask,
		 sizeof(mask));
	sys_copy(&more, &now->sa_mask, sizeof(more));
	mask |= more;
	if (!(now->sa_flags & SA_NODEFER))
		mask |= (uint64_t)1 << (signum - 1);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof(mask));
}

bool interpose_pass_on(int signum, siginfo_t *info, void *context)
{
	static const uint64_t fallback[4]; /* SIG_DFL, as the kernel has it */
	struct sigaction now = wanted;

	if (info->si_code <= 0 && sigtrap_keep(info))
		return false;
	if (now.sa_flags & SA_RESETHAND)
		wanted = (struct sigaction){ .sa_handler = SIG_DFL };
	if (info->si_code <= 0 && now.sa_handler != SIG_IGN)
		eintr_restart_follow(context, (unsigned int)now.sa_flags);
	if (now.sa_flags & SA_SIGINFO) {
		mask_as_wanted(&now, signum, context);
		now.sa_sigaction(signum, info, context);
	} else if (now.sa_handler == SIG_DFL) {
		sys4(SYS_rt_sigaction, signum, fallback, 0, sizeof(uint64_t));
		sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), signum);
	} else if (now.sa_handler != SIG_IGN) {
		mask_as_wanted(&now, signum, context);
		now.sa_handler(signum);
	} else {
		return false;
	}
	return true;
}

/*
 * The generation changes before the code goes, for samples that come in
 * between, and after, for addresses that were looked at until then.
 */
PUBLIC int dlclose(void *handle)
{
	int err;

	registry_code_changes();
	err = NEXT(dlclose)(handle);
	registry_code_changes();
	return err;
}
