/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * credentials.c - a program that becomes another user, or has another root,
 * could not make its live profile any more, nor open a clock: both is done
 * before.  A profile without a sample is not kept.
 */
#include <unistd.h>

#include "base/hidden.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/transparency/next.h"

static void prepare_profile(void)
{
	if (!thread_is_own())
		return;
	registry_await();
	thread_keep_clock();
}

PUBLIC int setuid(uid_t uid)
{
	prepare_profile();
	return NEXT(setuid)(uid);
}

PUBLIC int seteuid(uid_t uid)
{
	prepare_profile();
	return NEXT(seteuid)(uid);
}

PUBLIC int setreuid(uid_t real, uid_t effective)
{
	prepare_profile();
	return NEXT(setreuid)(real, effective);
}

PUBLIC int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	prepare_profile();
	return NEXT(setresuid)(real, effective, saved);
}

PUBLIC int chroot(const char *path)
{
	prepare_profile();
	return NEXT(chroot)(path);
}
