/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signals.c - the C library's older ways to handlers and masks, which would
 * reach our signal past sigaction() and sigprocmask(): said with these.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/collect.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"

/* Names that no header declares any more. */
PUBLIC int __sigaction(int, const struct sigaction *, struct sigaction *);
PUBLIC int __sigsuspend(const sigset_t *);
PUBLIC int __xpg_sigpause(int);
PUBLIC __sighandler_t bsd_signal(int, __sighandler_t);
/* The header has this name mean __xpg_sigpause(). */
PUBLIC int signals_sigpause(int) __asm__("sigpause");

PUBLIC int __sigaction(int signum, const struct sigaction *action,
		       struct sigaction *old)
{
	return sigaction(signum, action, old);
}

PUBLIC int __sigsuspend(const sigset_t *mask)
{
	return sigsuspend(mask);
}

PUBLIC __sighandler_t bsd_signal(int signum, __sighandler_t handler)
{
	return signal(signum, handler);
}

PUBLIC __sighandler_t ssignal(int signum, __sighandler_t handler)
{
	return signal(signum, handler);
}

/* The handler that was, or SIG_ERR. */
static __sighandler_t set_handler(int signum, __sighandler_t handler, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return sigaction(signum, &action, &old) ? SIG_ERR : old.sa_handler;
}

PUBLIC __sighandler_t __sysv_signal(int signum, __sighandler_t handler)
{
	return set_handler(signum, handler, SA_RESETHAND | SA_NODEFER);
}

PUBLIC __sighandler_t sysv_signal(int signum, __sighandler_t handler)
{
	return __sysv_signal(signum, handler);
}

PUBLIC int sigignore(int signum)
{
	return set_handler(signum, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

static int mask_one(int how, int signum, sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	return sigaddset(&set, signum) ? -1 : sigprocmask(how, &set, old);
}

PUBLIC int sighold(int signum)
{
	return mask_one(SIG_BLOCK, signum, NULL);
}

PUBLIC int sigrelse(int signum)
{
	return mask_one(SIG_UNBLOCK, signum, NULL);
}

PUBLIC __sighandler_t sigset(int signum, __sighandler_t handler)
{
	bool hold = handler == SIG_HOLD;
	struct sigaction action = { .sa_handler = handler }, old;
	sigset_t mask;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (sigaction(signum, hold ? NULL : &action, &old) ||
	    mask_one(hold ? SIG_BLOCK : SIG_UNBLOCK, signum, &mask))
		return SIG_ERR;
	return sigismember(&mask, signum) ? SIG_HOLD : old.sa_handler;
}

/* The first signals, as a word of bits. */
static void signal_set_of_word(sigset_t *set, int word)
{
	uint64_t bits = (unsigned int)word;

	sigemptyset(set);
	sys_copy(set, &bits, sizeof(bits));
}

static int mask_word(int how, int word)
{
	sigset_t set, old;
	uint64_t bits = 0;

	signal_set_of_word(&set, word);
	if (sigprocmask(how, &set, &old))
		return -1;
	sys_copy(&bits, &old, sizeof(bits));
	return (int)bits;
}

PUBLIC int sigblock(int word)
{
	return mask_word(SIG_BLOCK, word);
}

PUBLIC int sigsetmask(int word)
{
	return mask_word(SIG_SETMASK, word);
}

PUBLIC int signals_sigpause(int word)
{
	sigset_t set;

	signal_set_of_word(&set, word);
	return sigsuspend(&set);
}

PUBLIC int __xpg_sigpause(int signum)
{
	sigset_t set;

	if (sigprocmask(SIG_BLOCK, NULL, &set) || sigdelset(&set, signum))
		return -1;
	return sigsuspend(&set);
}

/* A deprecated name; for other signals the C library also remembers it for
 * signal(). */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
PUBLIC int siginterrupt(int signum, int interrupt)
{
	struct sigaction action;

	if (!collect_active() || signum != clock_signal())
		return NEXT(siginterrupt)(signum, interrupt);
	if (sigaction(signum, NULL, &action))
		return -1;
	action.sa_flags &= ~SA_RESTART;
	if (!interrupt)
		action.sa_flags |= SA_RESTART;
	return sigaction(signum, &action, NULL);
}
