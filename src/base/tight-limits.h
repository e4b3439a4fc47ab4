/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tight-limits.h - limits of a process that leave no room for our libraries
 * beside the program: its loader would end it, or the program would find that
 * we have what is left.
 *
 * Signals   Makes system calls only, so a child of vfork() may ask.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* To load one library it needs 16 KiB, and room for the environment. */
#define TIGHT_STACK (64 << 10)

static inline bool limit_is_below(int resource, rlim_t least)
{
	struct rlimit limit;

	return !getrlimit((__rlimit_resource_t)resource, &limit) &&
	       limit.rlim_cur < least;
}

static inline bool limits_stack_is_tight(void)
{
	return limit_is_below(RLIMIT_STACK, TIGHT_STACK);
}

/*
 * What a program that this process executes is given too little of; NULL:
 * nothing.  Our libraries take 6 MiB of addresses, 2 of them of data, MPI's
 * messages 6 more.  With a few descriptors, or signals that wait, one of ours
 * is one that the program lacks.
 */
static inline const char *limit_too_tight(void)
{
	if (limits_stack_is_tight())
		return "is given less than 64 KiB of stack (ulimit -s), too "
		       "little to load our libraries as well";
	if (limit_is_below(RLIMIT_AS, 128 << 20))
		return "is given less than 128 MiB of address space (ulimit "
		       "-v), too little for a profile as well";
	if (limit_is_below(RLIMIT_DATA, 64 << 20))
		return "is given less than 64 MiB of data (ulimit -d), too "
		       "little for our libraries as well";
	if (limit_is_below(RLIMIT_NOFILE, 16))
		return "is given less than 16 open files (ulimit -n), too "
		       "few for ours as well";
	if (limit_is_below(RLIMIT_SIGPENDING, 64))
		return "is given less than 64 pending signals (ulimit -i), "
		       "too few for a clock as well";
	return NULL;
}
