/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote-stack.h - the call path of a thread of another process that sleeps in
 * a system call.  Nobody is stopped: its stack is read while it sleeps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_thread {
	pid_t pid, tid;
	uint64_t sp, pc;   /* as /proc/PID/syscall has them */
	const void *stack; /* what is at `sp`, as far as it has been read */
	size_t stack_size; /* bytes of it; the rest is read from the process */
};

/*
 * "poll ← wait_for ← main", as far as frames can be found without the other
 * registers.  `shorten` makes of a name one for sentences, which is freed.  To
 * be freed; NULL: not known, or memory of that process may not
 * be read.
 */
char *remote_stack(const struct remote_thread *thread,
		   char *(*shorten)(const char *name));
