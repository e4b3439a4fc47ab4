/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * families.c - families KIND COUNT MS: so many short lives, one after the
 * other, each with so many ms of CPU time in work().
 *
 *   fork     children that end by _exit()
 *   exec     children that execute another program, which works
 *   spawn    the same by posix_spawn()
 *   vfork    the same by vfork()
 *   chain    one child that executes itself again and again
 *   killed   children that kill themselves behind their work
 *   threads  threads
 *   daemon   a child's child, in a session of its own, that is not waited for:
 *            it begins to work when the file FAMILIES_GO, if any, is there
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

enum {
	SHARED = 100 /* descriptor: what all have worked, in seconds */
};

static double *worked;
static double seconds;
static char *self, *milliseconds;

static KEPT void work(void)
{
	*worked += work_for(seconds);
}

static void share(void)
{
	if (fcntl(SHARED, F_GETFD) < 0) {
		int fd = memfd_create("worked", 0);

		if (ftruncate(fd, sizeof(*worked)) || dup2(fd, SHARED) < 0)
			abort();
		close(fd);
	}
	worked = mmap(NULL, sizeof(*worked), PROT_READ | PROT_WRITE, MAP_SHARED,
		      SHARED, 0);
	if (worked == MAP_FAILED)
		abort();
}

static double used(int by_whom)
{
	struct rusage u;

	getrusage(by_whom, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static char **image(const char *kind, int left)
{
	static char text[32];
	static char *argv[5];

	snprintf(text, sizeof(text), "%d", left);
	argv[0] = self;
	argv[1] = (char *)kind;
	argv[2] = text;
	argv[3] = milliseconds;
	return argv;
}

static void wait_until_it_may(void)
{
	const char *go = getenv("FAMILIES_GO");

	while (go && access(go, F_OK))
		usleep(10000);
}

static void be_daemon(void)
{
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	wait_until_it_may();
	work();
	_exit(0);
}

static void be_child(const char *kind, int count)
{
	if (!strcmp(kind, "exec"))
		execv(self, image("image", 1));
	if (!strcmp(kind, "chain"))
		execv(self, image("link", count));
	if (!strcmp(kind, "daemon"))
		be_daemon();
	work();
	if (!strcmp(kind, "killed"))
		raise(SIGKILL);
	_exit(0);
}

static void *be_thread(void *unused)
{
	work();
	return unused;
}

static void one(const char *kind, int count)
{
	pthread_t thread;
	pid_t child = 0;

	if (!strcmp(kind, "threads")) {
		if (!pthread_create(&thread, NULL, be_thread, NULL))
			pthread_join(thread, NULL);
		return;
	}
	if (!strcmp(kind, "spawn")) {
		posix_spawn(&child, self, NULL, NULL, image("image", 1),
			    environ);
	} else if (!strcmp(kind, "vfork")) {
		char **argv = image("image", 1);

		child = vfork();
		if (!child) {
			execv(self, argv);
			_exit(127);
		}
	} else {
		child = fork();
		if (!child)
			be_child(kind, count);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 4 ? argv[1] : "";
	int count = argc == 4 ? atoi(argv[2]) : 0;

	if (!count)
		return 2;
	self = argv[0];
	milliseconds = argv[3];
	seconds = atof(milliseconds) / 1000;
	share();
	cpu_seconds(); /* its lookup takes longer than some of the works */
	if (!strcmp(kind, "image") || !strcmp(kind, "link")) {
		work();
		if (!strcmp(kind, "link") && count > 1)
			execv(self, image("link", count - 1));
		return 0;
	}
	for (int i = 0; i < (strcmp(kind, "chain") ? count : 1); i++)
		one(kind, count);
	truth("work", *worked);
	printf("usage %.6f\n", used(RUSAGE_SELF) + used(RUSAGE_CHILDREN));
	return 0;
}
