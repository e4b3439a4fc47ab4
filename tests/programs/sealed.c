/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sealed.c - children that forbid themselves nearly all system calls while
 * memory is allocated and files are read, and go on with both: what was
 * allocated before is freed, and a thread is inside pread() as another one
 * seals all.  And one that is forked in a handler within read(), and goes on
 * from there.  Prints how each ended.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BLOCKS = 400,
	BLOCK_BYTES = 100000,
	READS = 200000,
	TRIES = 10
};

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter rules[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(pread64),
	ALLOW(write),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(futex),
	ALLOW(rt_sigreturn),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static void seal(unsigned flags)
{
	struct sock_fprog program = { sizeof(rules) / sizeof(*rules), rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
		_exit(77);
}

static void *blocks[BLOCKS];

static void allocate(void)
{
	/* Nothing of it goes to the system, or comes from there. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		memset(blocks[i], 1, BLOCK_BYTES);
	}
}

static void frees_blocks(void)
{
	allocate();
	seal(0);
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(BLOCK_BYTES);
}

static int fd;
static volatile int reading;

static void *read_on(void *unused)
{
	char block[1000];

	/* Its end would ask for more. */
	for (int i = 0; unused || i < READS; i++) {
		reading = 1;
		if (pread(fd, block, sizeof(block), i % 100) < 0)
			_exit(2);
	}
	return unused;
}

static void reads_file(void)
{
	pthread_t thread;

	fd = open("/proc/self/exe", O_RDONLY);
	allocate();
	pthread_create(&thread, NULL, read_on, blocks);
	while (!reading)
		;
	seal(SECCOMP_FILTER_FLAG_TSYNC);
	read_on(NULL);
}

static int ends_of[2];

/* The parent has each of both find a byte. */
static void on_alarm(int signal)
{
	pid_t pid = fork();

	(void)signal;
	reading = pid ? (int)pid : -1;
	if (pid && write(ends_of[1], "ab", 2) != 2)
		_exit(3);
}

/* Each time 1 ms later, however long a fork takes. */
static void forks_inside(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 1000 } };
	int status;
	char byte;

	if (pipe(ends_of))
		_exit(2);
	signal(SIGALRM, on_alarm);
	for (int i = 0; i < 50; i++) {
		setitimer(ITIMER_REAL, &once, NULL);
		if (read(ends_of[0], &byte, 1) != 1)
			_exit(2);
		if (reading < 0)
			_exit(0);
		waitpid(reading, &status, 0);
		if (status)
			_exit(4);
	}
}

static int ends(void (*child)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		child();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void try_child(const char *name, void (*child)(void))
{
	int status = 0;

	for (int i = 0; i < TRIES && !status; i++)
		status = ends(child);
	printf("%s: %s %d\n", name, WIFEXITED(status) ? "exit" : "signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	try_child("frees", frees_blocks);
	try_child("reads", reads_file);
	try_child("forks", forks_inside);
	return 0;
}
