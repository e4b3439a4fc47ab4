/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interrupts.c [ROUNDS [BURNERS]] - system calls that a signal of the program
 * ends: with SA_RESTART and without it, blocked before and let through by the
 * call, with some work between them.  Prints how often a call ended without
 * EINTR where it should, with EINTR where it should not, or before the
 * signal's handler had run: never, measured or not; and what such a call did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "partner.h"

static pthread_t first;
static sigset_t none;
static sem_t posted;
static int ends[2], pair[2], epoll, event, queue, semaphores, listener;
static int mine, held;
static struct sockaddr_in address;
static char folder[] = "interrupts-XXXXXX", locked[64];
static const struct timespec second = { 1, 0 };
static volatile sig_atomic_t handled;
static bool over; /* the call has ended */

static void on_signal(int signum)
{
	handled += signum == SIGUSR1 || signum == SIGALRM;
}

/* Each gives the result of a call that would block for a second, or ever. */

static long do_read(void)
{
	char to[8];

	return read(ends[0], to, 1);
}

static long do_recv(void)
{
	char to[8];

	return recv(pair[0], to, 1, 0);
}

/* With a time-out it is ended even where SA_RESTART is set. */
static long do_recv_timeout(void)
{
	const struct timeval never = { 0, 0 }, time = { 1, 0 };
	long result;

	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	result = do_recv();
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	return result;
}

static long do_accept(void)
{
	int fd = accept(listener, NULL, NULL);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long do_poll(void)
{
	return poll(NULL, 0, 1000);
}

static long do_ppoll(void)
{
	return ppoll(NULL, 0, &second, &none);
}

static long do_select(void)
{
	struct timeval time = { 1, 0 };

	return select(0, NULL, NULL, NULL, &time);
}

static long do_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &second, &none);
}

static long do_epoll_wait(void)
{
	struct epoll_event ready;

	return epoll_wait(epoll, &ready, 1, 1000);
}

static long do_epoll_pwait(void)
{
	struct epoll_event ready;

	return epoll_pwait(epoll, &ready, 1, 1000, &none);
}

static long do_sigsuspend(void)
{
	return sigsuspend(&none);
}

static long do_pause(void)
{
	return pause();
}

static long do_nanosleep(void)
{
	struct timespec left = { 7, 0 };
	long result = nanosleep(&second, &left);

	/* Between a little and a second are left of it. */
	return left.tv_sec <= 1 ? result : 0;
}

static long do_clock_nanosleep(void)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
	return errno ? -1 : 0;
}

static long do_sem_wait(void)
{
	return sem_wait(&posted);
}

static long do_futex(void)
{
	int word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &second);
}

static long do_semop(void)
{
	struct sembuf down = { 0, -1, 0 };

	return semop(semaphores, &down, 1);
}

static long do_msgrcv(void)
{
	struct {
		long type;
		char text[8];
	} message;

	return msgrcv(queue, &message, 8, 0, 0);
}

static long do_sigwaitinfo(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigwaitinfo(&set, NULL);
}

static long do_eventfd(void)
{
	eventfd_t value;

	return eventfd_read(event, &value);
}

static long do_flock(void)
{
	long result = flock(mine, LOCK_EX);

	flock(mine, LOCK_UN);
	return result;
}

static long do_record_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	long result = fcntl(mine, F_OFD_SETLKW, &lock);

	lock.l_type = F_UNLCK;
	fcntl(mine, F_OFD_SETLK, &lock);
	return result;
}

/* What lets a call go on that is begun again. */

static void feed_pipe(void)
{
	known_sink += (double)write(ends[1], "x", 1);
}

static void feed_socket(void)
{
	known_sink += (double)send(pair[1], "x", 1, 0);
}

static void feed_listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	known_sink += connect(fd, (struct sockaddr *)&address, sizeof(address));
	close(fd);
}

static void feed_semaphore(void)
{
	sem_post(&posted);
}

static void feed_event(void)
{
	eventfd_write(event, 1);
}

static void feed_flock(void)
{
	flock(held, LOCK_UN);
}

static void feed_record_lock(void)
{
	struct flock lock = { .l_type = F_UNLCK, .l_len = 1 };

	fcntl(held, F_OFD_SETLK, &lock);
}

static void hold_flock(void)
{
	flock(held, LOCK_EX);
}

static void hold_record_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };

	fcntl(held, F_OFD_SETLK, &lock);
}

static const struct call {
	const char *name;
	long (*call)(void);
	bool masked;         /* the call lets the signal through */
	void (*feed)(void);  /* a call that SA_RESTART begins again */
	void (*block)(void); /* makes the call block */
} calls[] = {
	{ "read", do_read, false, feed_pipe, NULL },
	{ "recv", do_recv, false, feed_socket, NULL },
	{ "recv, time-out", do_recv_timeout, false, NULL, NULL },
	{ "accept", do_accept, false, feed_listener, NULL },
	{ "poll", do_poll, false, NULL, NULL },
	{ "ppoll", do_ppoll, true, NULL, NULL },
	{ "select", do_select, false, NULL, NULL },
	{ "pselect", do_pselect, true, NULL, NULL },
	{ "epoll_wait", do_epoll_wait, false, NULL, NULL },
	{ "epoll_pwait", do_epoll_pwait, true, NULL, NULL },
	{ "sigsuspend", do_sigsuspend, true, NULL, NULL },
	{ "pause", do_pause, false, NULL, NULL },
	{ "nanosleep", do_nanosleep, false, NULL, NULL },
	{ "clock_nanosleep", do_clock_nanosleep, false, NULL, NULL },
	{ "sem_wait", do_sem_wait, false, feed_semaphore, NULL },
	{ "futex", do_futex, false, NULL, NULL },
	{ "semop", do_semop, false, NULL, NULL },
	{ "msgrcv", do_msgrcv, false, NULL, NULL },
	{ "sigwaitinfo", do_sigwaitinfo, false, NULL, NULL },
	{ "eventfd", do_eventfd, false, feed_event, NULL },
	{ "flock", do_flock, false, feed_flock, hold_flock },
	{ "fcntl lock", do_record_lock, false, feed_record_lock,
	  hold_record_lock },
};
enum {
	CALLS = sizeof(calls) / sizeof(calls[0]),
	KICKS = 3
};

static const struct call *current;

/* Until the call has ended: it may not have begun yet. */
static void kick(void)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		pthread_kill(first, SIGUSR1);
		nanosleep(&little, NULL);
	}
}

static void kick_and_feed(void)
{
	for (int i = 0; i < KICKS; i++) {
		pthread_kill(first, SIGUSR1);
		nanosleep(&little, NULL);
	}
	current->feed();
}

static void take_signals(int signum, int flags)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = flags };

	sigaction(signum, &action, NULL);
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(how, &set, NULL);
}

static void tell(const struct call *call, bool restart, long result, int error,
		 uint64_t since)
{
	fprintf(stderr,
		"%s%s: result %ld, errno %d, %d handled, after %.1f ms\n",
		call->name, restart ? ", restarted" : "", result, error,
		(int)handled, (double)(time_ns() - since) / 1e6);
}

/* True when it ended as it should. */
static bool one_call(const struct call *call, bool restart)
{
	bool fed = restart && call->feed, right;
	uint64_t since;
	long result;
	int error;

	for (int i = 0; i < 3; i++)
		known_work();
	if (call->block)
		call->block();
	current = call;
	over = false;
	handled = 0;
	take_signals(SIGUSR1, restart ? SA_RESTART : 0);
	if (call->masked)
		block(SIG_BLOCK);
	later(fed ? kick_and_feed : kick);
	since = time_ns();
	errno = 0;
	result = call->call();
	error = errno;
	right = fed ? result >= 0 : result == -1 && error == EINTR && handled;
	if (!right)
		tell(call, restart, result, error, since);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	later_done();
	if (call->masked)
		block(SIG_UNBLOCK);
	if (call->block && !fed)
		call->feed();
	return right;
}

/* alarm() and read(), as time-outs have been made for fifty years. */
static bool alarmed_read(void)
{
	const struct itimerval every = { { 0, 300 }, { 0, 300 } }, no = { 0 };
	bool right;

	handled = 0;
	take_signals(SIGALRM, 0);
	setitimer(ITIMER_REAL, &every, NULL);
	right = do_read() == -1 && errno == EINTR && handled;
	setitimer(ITIMER_REAL, &no, NULL);
	return right;
}

static bool set_up(int burners)
{
	socklen_t length = sizeof(address);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	first = pthread_self();
	sem_init(&posted, 0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	epoll = epoll_create1(0);
	event = eventfd(0, 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (!mkdtemp(folder) || pipe(ends) || queue < 0 || semaphores < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		return false;
	snprintf(locked, sizeof(locked), "%s/locked", folder);
	mine = open(locked, O_RDWR | O_CREAT, 0600);
	held = open(locked, O_RDWR);
	return mine >= 0 && held >= 0 && start_threads(burners);
}

static void tear_down(void)
{
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
	unlink(locked);
	rmdir(folder);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int bad[CALLS][2] = { { 0 } }, bad_alarms = 0;

	if (!set_up(argc > 2 ? atoi(argv[2]) : 0))
		return 1;
	for (int i = 0; i < rounds; i++) {
		for (int c = 0; c < CALLS; c++)
			for (int restart = 0; restart < 2; restart++)
				bad[c][restart] +=
					!one_call(&calls[c], restart);
		bad_alarms += !alarmed_read();
	}
	tear_down();
	for (int c = 0; c < CALLS; c++)
		printf("%s %d %d\n", calls[c].name, bad[c][0], bad[c][1]);
	printf("read with an alarm %d\n", bad_alarms);
	return 0;
}
