/* SPDX-License-Identifier: BSD-3-Clause */
/* sigtrap-directed.c - SIGTRAPs for one thread, and the calls that send them.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/clock.h"
#include "collect/collect.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	CALL = 0x5ca1f /* what a wake-up signal carries */
};

void directed_open(struct thread *t)
{
	t->directed.blocks = sigtrap_blocked();
	t->directed.open = true;
}

void directed_forget(struct thread *t)
{
	t->pending = PENDING_NONE;
	t->directed.open = t->directed.waits = false;
	t->directed.bells = t->directed.seen = 0;
}

SIGSAFE static bool is_pending(void)
{
	uint64_t set = 0;

	sys2(SYS_rt_sigpending, &set, sizeof(set));
	return set >> (clock_signal() - 1) & 1;
}

/*
 * A plain signal would be lost behind a wake-up signal that is on its way.  Not
 * in a sandbox, where nobody wakes any more.
 */
void directed_close(struct thread *t)
{
	uint64_t ours = (uint64_t)1 << (clock_signal() - 1), mask;

	for (;;) {
		threads_hold(&mask);
		if (!thread_open() || (mask & ours) || !is_pending())
			break;
		threads_let_go();
	}
	t->directed.open = false;
	threads_let_go();
}

/*
 * The sender is about to send it, or has; it has all signals blocked.  To go
 * away meanwhile would be to miss a pending directed signal whose wake-up
 * signal was lost behind the very timer signal that is being handled; to take
 * it, to have the wake-up signal end a later system call. It sleeps, since a
 * sender of lower priority might else never run.
 */
SIGSAFE bool directed_take(struct thread *t, siginfo_t *to)
{
	const struct timespec moment = { .tv_nsec = 20000 };

	while (t->pending == PENDING_COMES)
		sys2(SYS_nanosleep, &moment, NULL);
	if (__atomic_load_n(&t->pending, __ATOMIC_ACQUIRE) != PENDING_HERE)
		return false;
	t->directed.seen = t->directed.bells - is_pending();
	sys_copy(to, &t->directed.info, sizeof(*to));
	__atomic_store_n(&t->pending, PENDING_NONE, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE int directed_wake(uint32_t tid)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	info.si_value.sival_int = CALL;
	return (int)sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), tid,
			 clock_signal(), &info);
}

/*
 * Beyond RLIMIT_SIGPENDING the kernel sends it without what it carries, and it
 * is one when a wake-up signal was rung that has not come.
 */
SIGSAFE static bool is_blank(const siginfo_t *info)
{
	return info->si_code == SI_USER && !info->si_pid && !info->si_uid;
}

SIGSAFE bool directed_is_wake_up(const siginfo_t *info)
{
	bool carries =
		info->si_code == SI_QUEUE && info->si_value.sival_int == CALL;
	struct thread *t = thread_record;
	uint32_t bells = t ? t->directed.bells : 0;

	if (!carries && !(is_blank(info) && t && bells != t->directed.seen))
		return false;
	if (t && t->pending != PENDING_COMES)
		t->directed.seen = bells;
	return true;
}

/* One that would not be handled interrupts nothing. */
static int send_wake_up(struct thread *t)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (t->directed.blocks && !t->directed.waits)
		return 0;
	t->directed.bells++;
	return directed_wake(t->tid);
}

/* 0 or -errno. */
static int leave_signal(struct thread *t, const siginfo_t *info)
{
	int err;

	if (interpose_ignores() && !t->directed.blocks && !t->directed.waits)
		return 0;
	if (__atomic_load_n(&t->pending, __ATOMIC_ACQUIRE) != PENDING_NONE)
		return 0;
	sys_copy(&t->directed.info, info, sizeof(*info));
	t->pending = PENDING_COMES;
	err = send_wake_up(t);
	__atomic_store_n(&t->pending, err ? PENDING_NONE : PENDING_HERE,
			 __ATOMIC_RELEASE);
	return err;
}

/* Who it is for: a number of the kernel's, or of the C library's. */
struct receiver {
	uint32_t tid; /* 0: … */
	pthread_t thread;
};

static bool is_for(const struct thread *t, const struct receiver *to)
{
	if (!t->directed.open)
		return false;
	return to->tid ? t->tid == to->tid : pthread_equal(t->self, to->thread);
}

/* A thread that has ended by a system call has left its record as it was. */
static struct thread *find_receiver(struct thread *t, const struct receiver *to)
{
	struct thread *found = NULL;

	for (; t; t = t->older)
		if (is_for(t, to) && (!found || t->start_ns > found->start_ns))
			found = t;
	return found;
}

/*
 * False: there is no such record, or no such thread any more.  thread_seal()
 * waits for who is here.
 */
static bool deliver(struct thread *self, const struct receiver *to,
		    const siginfo_t *info)
{
	struct thread *t;
	uint64_t mask;
	bool mine, left = false;

	t = find_receiver(threads_hold(&mask), to);
	mine = thread_occupy(self);
	if (t && thread_open())
		left = leave_signal(t, info) == 0;
	if (mine)
		thread_release(self);
	threads_let_go();
	return left;
}

/*
 * A thread that is not measured may be in a sandbox: it makes no other call
 * than it would.  A child of vfork() has its parent's record.
 */
static struct thread *sender(int signum)
{
	struct thread *t;

	if (!collect_active() || signum != clock_signal())
		return NULL;
	t = thread_self();
	return t && t->tid == (uint32_t)sys0(SYS_gettid) ? t : NULL;
}

/* As from the calling process. */
static bool post(const struct receiver *to, int signum, int code,
		 union sigval value)
{
	struct thread *self = sender(signum);
	siginfo_t info = { .si_signo = signum, .si_code = code };

	if (!self)
		return false;
	info.si_pid = (pid_t)sys0(SYS_getpid);
	info.si_uid = (uid_t)sys0(SYS_getuid);
	info.si_value = value;
	return deliver(self, to, &info);
}

static const union sigval nothing;

bool directed_to_tid(long pid, long tid, int signum)
{
	const struct receiver to = { .tid = (uint32_t)tid };

	return tid > 0 && sender(signum) && pid == sys0(SYS_getpid) &&
	       post(&to, signum, SI_TKILL, nothing);
}

void directed_to_self(const siginfo_t *info)
{
	const struct receiver to = { .tid = (uint32_t)sys0(SYS_gettid) };
	struct thread *self = sender(clock_signal());

	if (!self || !deliver(self, &to, info))
		sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), to.tid,
		     clock_signal(), info);
}

/* The kernel refuses what is not there, and what is said of others. */
static bool may_say(siginfo_t *to, const void *from, long tid)
{
	const struct iovec local = { to, sizeof(*to) };
	const struct iovec remote = { (void *)from, sizeof(*to) };

	if (sys6(SYS_process_vm_readv, sys0(SYS_getpid), (long)&local, 1,
		 (long)&remote, 1, 0) != sizeof(*to))
		return false;
	return (to->si_code < 0 && to->si_code != SI_TKILL) ||
	       tid == sys0(SYS_gettid);
}

bool directed_with_info(long pid, long tid, int signum, const void *info)
{
	const struct receiver to = { .tid = (uint32_t)tid };
	struct thread *self = sender(signum);
	siginfo_t copy;

	if (!self || tid <= 0 || pid != sys0(SYS_getpid) ||
	    !may_say(&copy, info, tid))
		return false;
	copy.si_signo = signum;
	return deliver(self, &to, &copy);
}

PUBLIC int pthread_kill(pthread_t thread, int signum)
{
	const struct receiver to = { .thread = thread };

	if (post(&to, signum, SI_TKILL, nothing))
		return 0;
	return NEXT(pthread_kill)(thread, signum);
}

PUBLIC int pthread_sigqueue(pthread_t thread, int signum,
			    const union sigval value)
{
	const struct receiver to = { .thread = thread };

	if (post(&to, signum, SI_QUEUE, value))
		return 0;
	return NEXT(pthread_sigqueue)(thread, signum, value);
}

PUBLIC int tgkill(pid_t pid, pid_t tid, int signum)
{
	return directed_to_tid(pid, tid, signum)
		       ? 0
		       : NEXT(tgkill)(pid, tid, signum);
}

PUBLIC int raise(int signum)
{
	const struct receiver to = { .thread = pthread_self() };

	return post(&to, signum, SI_TKILL, nothing) ? 0 : NEXT(raise)(signum);
}

PUBLIC int gsignal(int signum)
{
	return raise(signum);
}

const struct source source_sigtrap_directed = {
	.reset = directed_forget,
	.thread_start = directed_open,
	.thread_gone = directed_close,
	.dropped = directed_forget,
};
