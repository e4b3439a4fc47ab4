/* SPDX-License-Identifier: BSD-3-Clause */
/* sigtrap-blocked.c - keeping the program's SIGTRAP, and the calls that wait
 * for it. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/collect.h"
#include "collect/sampling/counters.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	EMPTY,
	CHANGING,
	FULL,
	CALL = 0x5ca1f /* what a wake-up signal carries */
};

static __thread bool blocks __attribute__((tls_model("initial-exec")));

/* Mutable: the one signal that is kept, and the last thread that waits. */
static struct {
	int state;
	siginfo_t info;
	volatile uint32_t waiter;
	bool rung; /* a wake-up signal was sent that has not come */
} kept;

bool sigtrap_blocked(void)
{
	return blocks;
}

/* Changes the true mask of the calling thread, and says what it was. */
static uint64_t mask_ours(int how)
{
	uint64_t ours = (uint64_t)1 << (clock_signal() - 1), old = 0;

	sys4(SYS_rt_sigprocmask, how, &ours, &old, sizeof(old));
	return old;
}

uint64_t sigtrap_before_start(void)
{
	return mask_ours(blocks ? SIG_BLOCK : SIG_UNBLOCK);
}

void sigtrap_after_start(uint64_t mask)
{
	sys_mask(mask);
}

void sigtrap_started(void)
{
	uint64_t ours = (uint64_t)1 << (clock_signal() - 1);

	blocks = mask_ours(SIG_BLOCK) & ours;
	mask_ours(SIG_UNBLOCK);
}

SIGSAFE static bool change_state(int from, int to)
{
	return __atomic_compare_exchange_n(&kept.state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* To one thread of the process, from whoever `info` says. */
SIGSAFE static void send_to_thread(uint32_t tid, const siginfo_t *info)
{
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), tid, clock_signal(),
	     info);
}

/* Another thread that waits is told to come and take it. */
SIGSAFE static void wake_waiter(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	if (!kept.waiter)
		return;
	info.si_value.sival_int = CALL;
	__atomic_store_n(&kept.rung, true, __ATOMIC_RELEASE);
	send_to_thread(kept.waiter, &info);
}

/*
 * Is it that, and no signal of the program?  Beyond RLIMIT_SIGPENDING the
 * kernel sends it without what it carries.
 */
SIGSAFE static bool is_wake_up(const siginfo_t *info)
{
	bool carries =
		info->si_code == SI_QUEUE && info->si_value.sival_int == CALL;
	bool blank = info->si_code == SI_USER && !info->si_pid && !info->si_uid;

	return (carries || blank) &&
	       (__atomic_exchange_n(&kept.rung, false, __ATOMIC_ACQ_REL) ||
		carries);
}

/* All signals are blocked between the two changes. */
SIGSAFE bool sigtrap_keep(const siginfo_t *info)
{
	if (is_wake_up(info))
		return true;
	if (!blocks)
		return false;
	if (change_state(EMPTY, CHANGING)) {
		sys_copy(&kept.info, info, sizeof(*info));
		change_state(CHANGING, FULL);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		wake_waiter();
	}
	return true;
}

static bool take_blocked(siginfo_t *info)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);
	bool taken = change_state(FULL, CHANGING);

	if (taken) {
		sys_copy(info, &kept.info, sizeof(*info));
		change_state(CHANGING, EMPTY);
	}
	sys_mask(mask);
	return taken;
}

bool sigtrap_will_block(int how, const sigset_t *set)
{
	bool named = set && sigismember(set, clock_signal()) > 0;

	if (set && how == SIG_SETMASK)
		return named;
	return named ? how == SIG_BLOCK : blocks;
}

/* At once, unless the program is in a handler that has it blocked in truth. */
static void give_back(void)
{
	siginfo_t info;

	if (take_blocked(&info))
		send_to_thread((uint32_t)sys0(SYS_gettid), &info);
}

/*
 * A child of vfork() leaves its parent's record alone.  In a sandbox there is
 * none, and nothing is asked.
 */
static bool is_own_thread(const struct thread *t)
{
	return !t || t->tid == (uint32_t)sys0(SYS_gettid);
}

void sigtrap_follow_mask(bool wish, sigset_t *old)
{
	bool was = blocks;

	if (!collect_active())
		return;
	if (old && was)
		sigaddset(old, clock_signal());
	blocks = wish;
	if (was && !wish && is_own_thread(thread_self()))
		give_back();
}

PUBLIC int sigpending(sigset_t *set)
{
	long result = sys2(SYS_rt_sigpending, set, sizeof(uint64_t));

	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	if (blocks && __atomic_load_n(&kept.state, __ATOMIC_ACQUIRE) == FULL)
		sigaddset(set, clock_signal());
	return 0;
}

static void set_waits(bool waits)
{
	kept.waiter = waits ? (uint32_t)sys0(SYS_gettid) : 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The signal is blocked meanwhile, so that none is missed before the wait. */
static int wait_once(const sigset_t *set, siginfo_t *info,
		     const struct timespec *time)
{
	uint64_t mask = mask_ours(SIG_BLOCK);
	int result;

	set_waits(true);
	if (take_blocked(info))
		result = clock_signal();
	else
		result = NEXT(sigtimedwait)(set, info, time);
	set_waits(false);
	sys_mask(mask);
	return result;
}

/* Whose time goes to the next one; or a wake-up signal, perhaps one that was
 * too late. */
static bool is_nothing(int result, siginfo_t *info)
{
	return result == clock_signal() &&
	       (clock_timer_signal(info) != TIMER_NONE ||
		counters_timer_signal(info) ||
		(is_wake_up(info) && !take_blocked(info)));
}

PUBLIC int sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *time)
{
	uint64_t end = 0, now;
	struct timespec left;
	siginfo_t own;
	int result;

	if (!collect_active() || sigismember(set, clock_signal()) <= 0)
		return NEXT(sigtimedwait)(set, info, time);
	if (time) {
		left = *time;
		end = time_now(CLOCK_MONOTONIC) +
		      (uint64_t)time->tv_sec * 1000000000u +
		      (uint64_t)time->tv_nsec;
	}
	while (is_nothing(result = wait_once(set, &own, time ? &left : NULL),
			  &own)) {
		now = time_now(CLOCK_MONOTONIC);
		now = now < end ? end - now : 0;
		left = (struct timespec){ (time_t)(now / 1000000000u),
					  (long)(now % 1000000000u) };
	}
	/* As the C library says it. */
	if (result > 0 && own.si_code == SI_TKILL)
		own.si_code = SI_USER;
	if (info && result > 0)
		*info = own;
	return result;
}

PUBLIC int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return sigtimedwait(set, info, NULL);
}

/* The one that says its errors, and goes on after handlers. */
PUBLIC int sigwait(const sigset_t *set, int *signum)
{
	int result;

	do
		result = sigtimedwait(set, NULL, NULL);
	while (result < 0 && errno == EINTR);
	if (result < 0)
		return errno;
	*signum = result;
	return 0;
}
