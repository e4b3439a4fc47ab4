/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * syscalls.c [ROUNDS] - blocking system calls with time-outs, with some work
 * between them so that samples come, in two threads.  Prints how many of each
 * ended otherwise than by their time-out or their data: none, measured or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "known.h"

static int rounds = 300;

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 300000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static const struct timespec little = { 0, 300000 };

static int do_poll(void)
{
	return poll(NULL, 0, 1) != 0;
}

static int do_ppoll(void)
{
	sigset_t all;

	sigfillset(&all);
	return ppoll(NULL, 0, &little, &all) != 0;
}

static int do_select(void)
{
	struct timeval t = { 0, 300 };

	return select(0, NULL, NULL, NULL, &t) != 0;
}

static int do_nanosleep(void)
{
	return nanosleep(&little, NULL) != 0;
}

static int do_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);
	int bad = epoll_wait(fd, &event, 1, 1) != 0;

	close(fd);
	return bad;
}

static int do_semaphore(void)
{
	struct timespec end = soon(CLOCK_REALTIME);
	sem_t sem;

	sem_init(&sem, 0, 0);
	return sem_timedwait(&sem, &end) != -1 || errno != ETIMEDOUT;
}

static int do_condition(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec end = soon(CLOCK_REALTIME);
	int err;

	pthread_mutex_lock(&mutex);
	err = pthread_cond_timedwait(&condition, &mutex, &end);
	pthread_mutex_unlock(&mutex);
	return err != ETIMEDOUT;
}

static int do_sigwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &little) != -1 || errno != EAGAIN;
}

static int do_receive(void)
{
	struct timeval t = { 0, 300 };
	int fds[2], bad;
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	bad = recv(fds[0], &byte, 1, 0) != -1 || errno != EAGAIN;
	close(fds[0]);
	close(fds[1]);
	return bad;
}

static int pipe_fds[2];

static void *slow_writer(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		nanosleep(&little, NULL);
		if (write(pipe_fds[1], "x", 1) != 1)
			break;
	}
	return unused;
}

static int do_pipe_read(void)
{
	char byte;

	return read(pipe_fds[0], &byte, 1) != 1;
}

static int queue;

static int do_message(void)
{
	struct {
		long type;
		char text[8];
	} message = { 1, "" };

	if (msgsnd(queue, &message, 8, 0))
		return 1;
	return msgrcv(queue, &message, 8, 0, 0) != 8;
}

static const struct {
	const char *name;
	int (*call)(void);
} calls[] = {
	{ "poll", do_poll },
	{ "ppoll", do_ppoll },
	{ "select", do_select },
	{ "nanosleep", do_nanosleep },
	{ "epoll_wait", do_epoll },
	{ "sem_timedwait", do_semaphore },
	{ "pthread_cond_timedwait", do_condition },
	{ "sigtimedwait", do_sigwait },
	{ "recv", do_receive },
	{ "read", do_pipe_read },
	{ "msgrcv", do_message },
};
enum {
	CALLS = sizeof(calls) / sizeof(calls[0])
};

int main(int argc, char **argv)
{
	int bad[CALLS] = { 0 };
	pthread_t writer;

	if (argc > 1)
		rounds = atoi(argv[1]);
	queue = msgget(IPC_PRIVATE, 0600);
	if (queue < 0 || pipe(pipe_fds) ||
	    pthread_create(&writer, NULL, slow_writer, NULL))
		return 1;
	for (int i = 0; i < rounds; i++)
		for (int c = 0; c < CALLS; c++) {
			for (int k = 0; k < 15; k++)
				known_work();
			bad[c] += calls[c].call();
		}
	pthread_join(writer, NULL);
	msgctl(queue, IPC_RMID, NULL);
	for (int c = 0; c < CALLS; c++)
		printf("%s %d\n", calls[c].name, bad[c]);
	return 0;
}
