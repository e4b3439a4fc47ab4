/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec-env.h - the environment that a program is executed with: without our
 * libraries, where they would be the end of it.
 *
 * A child of vfork() asks as well, which may allocate nothing: what is made
 * lies on the caller's stack.
 */
#ifndef COLLECT_TRANSPARENCY_EXEC_ENV_H
#define COLLECT_TRANSPARENCY_EXEC_ENV_H

#include <stddef.h>

#include "collect/transparency/interpose.h"

/* Once, before main() or at the first use before that. */
void fitting_init(void);

/* From now on nothing is asked: a sandbox may kill for it. */
void fitting_leave(void);

/*
 * Bytes that an environment takes without our libraries, for the program in a
 * file, as execve(), fexecve(), execveat() or execvp() find it; 0: it may stay.
 */
size_t fitting_file(const char *path, char *const env[]);
size_t fitting_open(int fd, char *const env[]);
size_t fitting_at(int dir, const char *path, int flags, char *const env[]);
size_t fitting_found(const char *file, char *const env[]);

/* It, in so many bytes. */
char *const *fitting_make(void *memory, char *const env[]);

/* `given` is what is to be passed on for `env`, as long as the caller runs. */
#define FITTING(size, env, given)                                              \
	fitting_init();                                                        \
	size_t given##_size = (size);                                          \
	char *const *given =                                                   \
		given##_size                                                   \
			? fitting_make(__builtin_alloca(given##_size), env)    \
			: (env)

#endif
