/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * credentials.c - a program that becomes another user, or has another root,
 * could not make its live profile any more: it is made before.  One without a
 * sample is not kept.
 */
#include <dlfcn.h>
#include <unistd.h>

#include "collect/transparency/interpose.h"
#include "collect/registry.h"
#include "collect/thread.h"

#define PUBLIC __attribute__((visibility("default")))

/* Mutable: found once, before main(). */
static struct {
	int (*setuid)(uid_t);
	int (*seteuid)(uid_t);
	int (*setreuid)(uid_t, uid_t);
	int (*setresuid)(uid_t, uid_t, uid_t);
	int (*chroot)(const char *);
} next;

void credentials_init(void)
{
#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name)
	if (next.setuid)
		return;
	FIND(chroot);
	FIND(seteuid);
	FIND(setreuid);
	FIND(setresuid);
	FIND(setuid);
#undef FIND
}

static void prepare_profile(void)
{
	credentials_init();
	if (thread_is_own())
		registry_open();
}

PUBLIC int setuid(uid_t uid)
{
	prepare_profile();
	return next.setuid(uid);
}

PUBLIC int seteuid(uid_t uid)
{
	prepare_profile();
	return next.seteuid(uid);
}

PUBLIC int setreuid(uid_t real, uid_t effective)
{
	prepare_profile();
	return next.setreuid(real, effective);
}

PUBLIC int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	prepare_profile();
	return next.setresuid(real, effective, saved);
}

PUBLIC int chroot(const char *path)
{
	prepare_profile();
	return next.chroot(path);
}
