/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.c - files opened, read, written, closed and given other numbers by many
 * threads at once, in children, in handlers that jump out of a call, and in
 * threads that are cancelled in one: each byte has to be where it was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "storm.h"

static char folder[] = "/tmp/storm-files.XXXXXX";

static void name_of(char *to, const char *what, int which)
{
	snprintf(to, 64, "%s/%s-%d", folder, what, which);
}

static void expect(bool good, const char *what)
{
	if (!good)
		storm_broken(what);
}

static int new_file(const char *what, int which)
{
	char name[64];
	int fd;

	name_of(name, what, which);
	fd = open(name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	expect(fd >= 0, "open");
	return fd;
}

/* Numbers are given back and taken by all threads in turn. */
static KEPT void churn(int which)
{
	char name[64], text[32], back[32] = "";
	int fd = new_file("churn", which), other;
	int length = snprintf(text, sizeof(text), "text %d", which);
	struct stat st;

	expect(write(fd, text, (size_t)length) == length, "write");
	other = dup(fd);
	expect(other >= 0 && !close(fd), "dup");
	expect(lseek(other, 0, SEEK_SET) == 0, "lseek");
	expect(read(other, back, sizeof(back)) == length, "read");
	expect(!strcmp(text, back), "bytes");
	expect(!fstat(other, &st) && st.st_size == length, "fstat");
	fd = new_file("other", which);
	expect(dup2(other, fd) == fd && !close(other), "dup2");
	expect(pread(fd, back, 4, 0) == 4 && !memcmp(back, "text", 4), "pread");
	expect(!close(fd), "close");
	name_of(name, "churn", which);
	expect(!unlink(name) && stat(name, &st) < 0 && errno == ENOENT,
	       "unlink");
}

static void *churns(void *unused)
{
	for (int i = 0; storm_lasts(); i++)
		churn(gettid() * 10 + i % 7);
	return unused;
}

static KEPT void use_stream(int which)
{
	char name[64], line[64];
	FILE *f;
	int lines = 0;

	name_of(name, "stream", which);
	f = fopen(name, "w+e");
	expect(f != NULL, "fopen");
	for (int i = 0; i < 50; i++)
		expect(fprintf(f, "line %d\n", i) > 0, "fprintf");
	rewind(f);
	while (fgets(line, sizeof(line), f))
		expect(atoi(line + 5) == lines++, "fgets");
	expect(lines == 50 && !fclose(f), "lines");
}

static void *streams(void *unused)
{
	while (storm_lasts())
		use_stream(gettid());
	return unused;
}

/* Both kinds of children begin with what was known of their parent's files. */
static KEPT void have_children(int fd)
{
	pid_t child = fork();
	char text[8];

	if (!child) {
		expect(pwrite(fd, "child", 5, 0) == 5, "write in a child");
		churn(getpid());
		_exit(0);
	}
	expect(child > 0 && waitpid(child, NULL, 0) == child, "fork");
	expect(pread(fd, text, 5, 0) == 5 && !memcmp(text, "child", 5),
	       "what a child wrote");
	child = vfork();
	if (!child) {
		close(fd);
		if (open("/dev/null", O_RDONLY) < 0)
			_exit(1);
		_exit(0);
	}
	expect(child > 0 && waitpid(child, NULL, 0) == child, "vfork");
	expect(pwrite(fd, "own", 3, 0) == 3, "write behind vfork");
}

static void *children(void *unused)
{
	int fd = new_file("children", 0);

	while (storm_lasts())
		have_children(fd);
	close(fd);
	return unused;
}

/* Cancelled where it reads from an empty pipe, or at a file. */
static void *reads_for_ever(void *at)
{
	int *fds = at;
	char c[100];

	for (;;) {
		expect(pread(fds[2], c, 100, 0) == 100, "pread for ever");
		if (read(fds[0], c, 1) < 0)
			break;
	}
	return NULL;
}

static void *cancelled(void *unused)
{
	int fds[3];
	char block[100] = "";

	expect(!pipe2(fds, O_CLOEXEC), "pipe2");
	fds[2] = new_file("cancelled", 0);
	expect(write(fds[2], block, 100) == 100, "write");
	while (storm_lasts()) {
		pthread_t reader;

		expect(!pthread_create(&reader, NULL, reads_for_ever, fds),
		       "pthread_create");
		for (int i = 0; i < 5; i++)
			expect(write(fds[1], "x", 1) == 1, "write to a pipe");
		expect(!pthread_cancel(reader), "pthread_cancel");
		expect(!pthread_join(reader, NULL), "pthread_join");
	}
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	return unused;
}

static __thread sigjmp_buf away __attribute__((tls_model("initial-exec")));
static __thread volatile bool may_jump
	__attribute__((tls_model("initial-exec")));

static void on_signal(int signal)
{
	char text[2];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)signal;
	if (fd >= 0) {
		expect(read(fd, text, 2) == 2, "read in a handler");
		close(fd);
	}
	if (may_jump) {
		may_jump = false;
		siglongjmp(away, 1);
	}
}

/* Out of a call that is measured, and of what measures it. */
static KEPT void jump_out(int fd)
{
	char block[4096];

	if (sigsetjmp(away, 1))
		return;
	may_jump = true;
	for (int i = 0; i < 1000 && may_jump; i++)
		expect(pread(fd, block, sizeof(block), 0) == sizeof(block),
		       "pread");
	may_jump = false;
}

static void *jumps(void *unused)
{
	int fd = new_file("jumps", 0);
	char block[4096] = "";
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGUSR1 };
	struct itimerspec every = { { 0, 300000 }, { 0, 300000 } };

	event._sigev_un._tid = gettid();
	expect(write(fd, block, sizeof(block)) == sizeof(block), "write");
	expect(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
	expect(!timer_settime(timer, 0, &every, NULL), "timer_settime");
	while (storm_lasts())
		jump_out(fd);
	timer_delete(timer);
	close(fd);
	return unused;
}

int main(int argc, char **argv)
{
	static void *(*const functions[])(void *) = {
		churns, churns, streams, children, cancelled, jumps,
	};
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	char command[128];

	storm_begins(argc, argv);
	expect(mkdtemp(folder) != NULL, "mkdtemp");
	sigaction(SIGUSR1, &action, NULL);
	storm_threads(functions, STORM_COUNT(functions));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	expect(!system(command), "rm");
	puts("each byte is where it was written");
	return 0;
}
