/* SPDX-License-Identifier: BSD-3-Clause */
/* fatal-signal.c - see fatal-signal.h. */
#include "collect/sampling/fatal-signal.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#include "arch/dwarf.h"
#include "arch/frame.h"
#include "arch/registers.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/sampling/sample.h"
#include "collect/time.h"
#include "collect/transparency/next.h"

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

enum {
	FATAL_SIGNALS = sizeof(fatal_signals) / sizeof(*fatal_signals)
};

/* Mutable: SIG_DFL, with the flags and the mask that the program gave it. */
static struct sigaction defaults[FATAL_SIGNALS];

static size_t fatal_index(int signum)
{
	size_t i = 0;

	while (i < FATAL_SIGNALS && fatal_signals[i] != signum)
		i++;
	return i;
}

SIGSAFE static uint64_t fatal_origin(const siginfo_t *info)
{
	if (info->si_code <= 0)
		return (uint64_t)info->si_pid;
	return (uintptr_t)info->si_addr;
}

/* Where a function returns to that begins there. */
SIGSAFE static bool entry_returns(struct safe_read *reader, const mcontext_t *m,
				  uintptr_t *to)
{
	if (FRAME_PUSHED > 0)
		return safe_read_copy(reader, to, registers_sp(m), sizeof(*to));
	*to = frame_strip(*(const uintptr_t *)registers_place(m, DWARF_RETURN));
	return true;
}

/* Of a call to where there is no code, the caller's. */
SIGSAFE static live_ref fatal_node(struct thread *t, const siginfo_t *info,
				   const ucontext_t *context)
{
	uintptr_t pc = registers_pc(&context->uc_mcontext), returns;
	ucontext_t caller;
	int why = -1;

	if (info->si_code <= 0 || info->si_signo != SIGSEGV ||
	    (uintptr_t)info->si_addr != pc ||
	    !entry_returns(&t->unwinder.reader, &context->uc_mcontext,
			   &returns))
		return sample_context(t, context, &why);
	sys_copy(&caller.uc_mcontext, &context->uc_mcontext,
		 sizeof(caller.uc_mcontext));
	registers_to_call(&caller.uc_mcontext, returns);
	return sample_context(t, &caller, &why);
}

SIGSAFE static void write_down(struct thread *t, const siginfo_t *info,
			       const ucontext_t *context)
{
	struct live_header *header;
	enum loss lost;

	if (!thread_ready(t, &lost))
		return;
	header = registry_header();
	if (!header)
		return;
	header->fatal = (struct live_fatal){
		.signal = (uint32_t)info->si_signo,
		.code = info->si_code,
		.from = fatal_origin(info),
		.thread = t->index,
		.node = fatal_node(t, info, context),
	};
	__atomic_store_n(&header->fatal.mono_ns, time_now(CLOCK_MONOTONIC),
			 __ATOMIC_RELEASE);
}

/* Not where the collector itself was interrupted. */
SIGSAFE static void note_fatal(struct thread *t, const siginfo_t *info,
			       const ucontext_t *context)
{
	bool busy = thread_is_busy(t, registers_sp(&context->uc_mcontext));
	uintptr_t before = t->busy;

	t->busy = (uintptr_t)&before;
	if (!busy && thread_open())
		write_down(t, info, context);
	t->busy = before;
}

/*
 * The same signal, of the same origin, once this handler has returned: all are
 * blocked until then.  A fault would come again by itself, but not each of
 * those that the kernel calls so.
 */
SIGSAFE static void die_of_same(int signum, siginfo_t *info)
{
	static const uint64_t fallback[4]; /* SIG_DFL, as the kernel has it */
	long pid = sys0(SYS_getpid), tid = sys0(SYS_gettid);

	sys4(SYS_rt_sigaction, signum, fallback, 0, sizeof(uint64_t));
	if (sys4(SYS_rt_tgsigqueueinfo, pid, tid, signum, info) < 0)
		sys3(SYS_tgkill, pid, tid, signum);
}

/*
 * In a sandbox, where a thread is not measured, a fault comes again, and needs
 * no system call for that: SA_RESETHAND has set SIG_DFL.
 */
SIGSAFE static void on_fatal_signal(int signum, siginfo_t *info, void *context)
{
	struct thread *t = thread_self();
	int saved = errno;

	if (thread_is_own())
		note_fatal(t, info, context);
	if (t || info->si_code <= 0)
		die_of_same(signum, info);
	errno = saved;
}

void fatal_signal_follow(int signum)
{
	struct sigaction ours = { .sa_sigaction = on_fatal_signal,
				  .sa_flags = SA_SIGINFO | SA_ONSTACK |
					      SA_RESETHAND };
	size_t i = fatal_index(signum);
	struct sigaction now, was;

	if (i == FATAL_SIGNALS || !collect_active() || !thread_is_own() ||
	    NEXT(sigaction)(signum, NULL, &now) || now.sa_handler != SIG_DFL)
		return;
	defaults[i] = now;
	sigfillset(&ours.sa_mask);
	if (!NEXT(sigaction)(signum, &ours, &was) && was.sa_handler != SIG_DFL)
		NEXT(sigaction)(signum, &was, NULL); /* of another thread */
}

void fatal_signals_init(void)
{
	for (size_t i = 0; i < FATAL_SIGNALS; i++)
		fatal_signal_follow(fatal_signals[i]);
}

bool fatal_signal_hides(const void *handler)
{
	return handler == (const void *)on_fatal_signal;
}

void fatal_signal_show(int signum, struct sigaction *action)
{
	if (fatal_signal_hides((const void *)action->sa_handler))
		*action = defaults[fatal_index(signum)];
}
