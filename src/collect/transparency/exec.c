/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.c - the exec functions: a timer signal that comes while the kernel
 * replaces the program would be delivered to the new one, which has no handler
 * yet and would die of it.  So the clock stands still meanwhile.
 *
 * A child of vfork() borrows its parent's memory, thread record included, but
 * has no clock of its own: the thread id tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/enlist.h"
#include "collect/thread.h"
#include "collect/transparency/exec-env.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"
#include "collect/transparency/sigtrap-blocked.h"

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const[], char *const[]);

/*
 * A timer signal that is pending behind a mask would outlive the program; what
 * is the program's comes again.
 */
static void drop_timer_signals(const struct thread *t)
{
	const struct timespec now = { 0 };
	uint64_t set = (uint64_t)1 << (clock_signal() - 1);
	siginfo_t info, other;
	bool has_other = false;

	while (sys4(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set)) > 0) {
		if (clock_timer_signal(&info) != TIMER_NONE ||
		    counters_timer_signal(&info))
			continue;
		other = info;
		has_other = true;
	}
	if (has_other)
		sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), t->tid,
		     clock_signal(), &other);
}

struct thread *exec_begin(void)
{
	struct thread *t = thread_self();
	uint64_t mask;

	if (!t || t->tid != (uint32_t)sys0(SYS_gettid))
		return NULL;
	enlist_exec();
	mask = sys_mask(SYS_MASK_ALL);
	clock_stop(&t->clock);
	counters_stop(t);
	drop_timer_signals(t);
	sys_mask(mask);
	return t;
}

int exec_failed(struct thread *t, int result)
{
	int saved = errno;
	uint64_t mask;

	if (!t)
		return result;
	mask = sys_mask(SYS_MASK_ALL);
	if (!collect_paused() &&
	    sample_period_take_over(&t->period, &t->next_period))
		clock_start(&t->clock, t->tid, t->period.period_ns);
	counters_start(t);
	sys_mask(mask);
	errno = saved;
	return result;
}

PUBLIC int execve(const char *path, char *const argv[], char *const env[])
{
	EXEC_ENV(exec_env_file(path, env), env, given);
	struct thread *t = exec_begin();

	return exec_failed(t, NEXT(execve)(path, argv, given));
}

PUBLIC int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const env[])
{
	EXEC_ENV(exec_env_found(file, env), env, given);
	struct thread *t = exec_begin();

	return exec_failed(t, NEXT(execvpe)(file, argv, given));
}

PUBLIC int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

PUBLIC int fexecve(int fd, char *const argv[], char *const env[])
{
	EXEC_ENV(exec_env_open(fd, env), env, given);
	struct thread *t = exec_begin();

	return exec_failed(t, NEXT(fexecve)(fd, argv, given));
}

/* Headers have it since glibc 2.34. */
int execveat(int dir, const char *path, char *const argv[], char *const env[],
	     int flags);

static int execute_by_kernel(int dir, const char *path, char *const argv[],
			     char *const env[], int flags)
{
	return next_result(sys6(SYS_execveat, (long)dir, (long)path, (long)argv,
				(long)env, (long)flags, 0));
}

PUBLIC int execveat(int dir, const char *path, char *const argv[],
		    char *const env[], int flags)
{
	EXEC_ENV(exec_env_at(dir, path, flags, env), env, given);
	__typeof__(&execveat) next = NEXT(execveat);
	struct thread *t = exec_begin();

	if (!next)
		next = execute_by_kernel;
	return exec_failed(t, next(dir, path, argv, given, flags));
}

/* Its child has no clock, and executes by the C library's own functions. */
PUBLIC UNWIND_SHOWN int posix_spawn(pid_t *pid, const char *path,
				    const posix_spawn_file_actions_t *actions,
				    const posix_spawnattr_t *attributes,
				    char *const argv[], char *const env[])
{
	EXEC_ENV(exec_env_file(path, env), env, given);
	return NEXT(posix_spawn)(pid, path, actions, attributes, argv, given);
}

PUBLIC UNWIND_SHOWN int posix_spawnp(pid_t *pid, const char *file,
				     const posix_spawn_file_actions_t *actions,
				     const posix_spawnattr_t *attributes,
				     char *const argv[], char *const env[])
{
	EXEC_ENV(exec_env_found(file, env), env, given);
	return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, given);
}

/* How many words a list has, its closing NULL included. */
static size_t count_words(const char *first, va_list list)
{
	size_t count = 1;

	if (first)
		while (count++, va_arg(list, char *))
			;
	return count;
}

static void copy_arguments(char **to, const char *first, va_list *list)
{
	*to = (char *)first;
	while (*to)
		*++to = va_arg(*list, char *);
}

/*
 * argv from the words of a call; on the stack, since a child of vfork() may
 * allocate nothing.
 */
#define WORDS(argv, first)                                                     \
	va_list list;                                                          \
	char **argv;                                                           \
                                                                               \
	va_start(list, first);                                                 \
	argv = __builtin_alloca(count_words(first, list) * sizeof(*argv));     \
	va_end(list);                                                          \
	va_start(list, first);                                                 \
	copy_arguments(argv, first, &list)

PUBLIC int execl(const char *path, const char *first, ...)
{
	WORDS(argv, first);
	va_end(list);
	return execve(path, argv, environ);
}

PUBLIC int execlp(const char *file, const char *first, ...)
{
	WORDS(argv, first);
	va_end(list);
	return execvpe(file, argv, environ);
}

PUBLIC int execle(const char *path, const char *first, ...)
{
	char *const *env;

	WORDS(argv, first);
	env = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, env);
}
