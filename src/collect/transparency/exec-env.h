/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec-env.h - the environment that a program is executed with: without our
 * libraries, where they would be the end of it.
 *
 * A child of vfork() asks as well, which may allocate nothing: what is made
 * lies on the caller's stack.
 */
#pragma once

#include <stddef.h>

#include "collect/transparency/interpose.h"

/* Once, before main() or at the first use before that. */
void exec_env_init(void);

/* From now on nothing is asked: a sandbox may kill for it. */
void exec_env_leave(void);

/*
 * The process has other limits.  Where they are tight, its own environment goes
 * without our libraries from now on: system() and popen() hand that on, and are
 * not seen.
 */
void exec_env_follow_limits(void);

/*
 * Bytes that an environment takes without our libraries, for the program in a
 * file, as execve(), fexecve(), execveat() or execvp() find it; 0: it may stay.
 */
size_t exec_env_file(const char *path, char *const env[]);
size_t exec_env_open(int fd, char *const env[]);
size_t exec_env_at(int dir, const char *path, int flags, char *const env[]);
size_t exec_env_found(const char *file, char *const env[]);

/* It, in so many bytes. */
char *const *exec_env_make(void *memory, char *const env[]);

/* `given` is what is to be passed on for `env`, as long as the caller runs. */
#define EXEC_ENV(size, env, given)                                             \
	exec_env_init();                                                       \
	size_t given##_size = (size);                                          \
	char *const *given =                                                   \
		given##_size                                                   \
			? exec_env_make(__builtin_alloca(given##_size), env)   \
			: (env)
