/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * syscalls.c [ROUNDS [BURNERS]] - every kind of system call that blocks, with
 * some work between them so that samples come, and threads that burn CPU.
 * Prints how often each ended otherwise than by its time-out, no sooner than
 * that, or by its data, all of it: never, measured or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "partner.h"

enum {
	RIGHT = 0,
	WRONG = 1,
	ABSENT = -1, /* not to be had on this machine */
	MUCH = 300000
};

static pthread_t first;
static int pipe_ends[2], pair[2], full[2], terminal[2];
static int listener, epoll, event, queue, semaphores;
static int ring; /* never closed: that interrupts later calls */
static struct sockaddr_in address;
static char buffer[MUCH], folder[] = "syscalls-XXXXXX", fifo[64];
static char mailbox[32]; /* of this process: others run this program too */

static int result_is(long is, long wanted)
{
	return is == wanted ? RIGHT : WRONG;
}

static int failed_with(long result, int error)
{
	return result == -1 && errno == error ? RIGHT : WRONG;
}

/* Calls that end by their time-out, a little later. */

static int do_poll(void)
{
	return result_is(poll(NULL, 0, 1), 0);
}

static int do_ppoll(void)
{
	sigset_t all;

	sigfillset(&all);
	return result_is(ppoll(NULL, 0, &little, &all), 0);
}

static int do_select(void)
{
	struct timeval t = { 0, LITTLE_NS / 1000 };

	return result_is(select(0, NULL, NULL, NULL, &t), 0) || t.tv_usec;
}

static int do_pselect(void)
{
	sigset_t all;

	sigfillset(&all);
	return result_is(pselect(0, NULL, NULL, NULL, &little, &all), 0);
}

static int do_epoll_wait(void)
{
	struct epoll_event ready;

	return result_is(epoll_wait(epoll, &ready, 1, 1), 0);
}

static int do_epoll_pwait(void)
{
	struct epoll_event ready;
	sigset_t all;

	sigfillset(&all);
	return result_is(epoll_pwait(epoll, &ready, 1, 1, &all), 0);
}

/* C libraries before 2.35 have none; the collector has it in any case. */
static int do_epoll_pwait2(void)
{
#if __GLIBC_PREREQ(2, 35)
	struct epoll_event ready;
	sigset_t all;
	int result;

	sigfillset(&all);
	result = epoll_pwait2(epoll, &ready, 1, &little, &all);
	return result < 0 && errno == ENOSYS ? ABSENT : result_is(result, 0);
#else
	return ABSENT;
#endif
}

static int do_nanosleep(void)
{
	struct timespec left = { 7, 7 };

	return result_is(nanosleep(&little, &left), 0) || left.tv_sec != 7;
}

static int do_clock_nanosleep(void)
{
	return result_is(clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL), 0);
}

static int do_sleep_until(void)
{
	struct timespec end = soon(CLOCK_REALTIME);

	return result_is(
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL), 0);
}

/* At an address where nothing is. */
static int do_sleep_nowhere(void)
{
	const struct timespec *volatile end = (void *)8;

	return result_is(
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, end, NULL),
		EFAULT);
}

static int do_usleep(void)
{
	return result_is(usleep(LITTLE_NS / 1000), 0);
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
	return result_is(err, ETIMEDOUT);
}

static int do_mutex(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec end = soon(CLOCK_REALTIME);

	pthread_mutex_lock(&mutex);
	return result_is(pthread_mutex_timedlock(&mutex, &end), ETIMEDOUT);
}

static int do_futex(void)
{
	int word = 0;

	return failed_with(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &little),
			   ETIMEDOUT);
}

static int do_futex_bitset(void)
{
	struct timespec end = soon(CLOCK_MONOTONIC);
	int word = 0;

	return failed_with(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &end,
				   NULL, FUTEX_BITSET_MATCH_ANY),
			   ETIMEDOUT);
}

static int do_sem_timedwait(void)
{
	struct timespec end = soon(CLOCK_REALTIME);
	sem_t sem;

	sem_init(&sem, 0, 0);
	return failed_with(sem_timedwait(&sem, &end), ETIMEDOUT);
}

static int do_semtimedop(void)
{
	struct sembuf down = { 0, -1, 0 };

	return failed_with(semtimedop(semaphores, &down, 1, &little), EAGAIN);
}

static int do_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return failed_with(sigtimedwait(&set, NULL, &little), EAGAIN);
}

static int do_recv(void)
{
	return failed_with(recv(pair[0], buffer, 1, 0), EAGAIN);
}

static int do_recvmsg(void)
{
	struct iovec to = { buffer, 1 };
	struct msghdr message = { .msg_iov = &to, .msg_iovlen = 1 };

	return failed_with(recvmsg(pair[0], &message, 0), EAGAIN);
}

static int do_recvmmsg(void)
{
	struct iovec to = { buffer, 1 };
	struct mmsghdr message = { { .msg_iov = &to, .msg_iovlen = 1 }, 0 };

	return failed_with(recvmmsg(pair[0], &message, 1, 0, NULL), EAGAIN);
}

static int do_send(void)
{
	return failed_with(send(full[0], buffer, 1, 0), EAGAIN);
}

static int do_accept_timeout(void)
{
	return failed_with(accept(listener, NULL, NULL), EAGAIN);
}

static int do_mq_receive(void)
{
	struct timespec end = soon(CLOCK_REALTIME);
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	mqd_t mq = mq_open(mailbox, O_RDWR | O_CREAT, 0600, &attr);
	int bad;

	if (mq < 0)
		return ABSENT;
	bad = failed_with(mq_timedreceive(mq, buffer, 8, NULL, &end),
			  ETIMEDOUT);
	mq_close(mq);
	mq_unlink(mailbox);
	return bad;
}

static int do_mq_send(void)
{
	struct timespec end = soon(CLOCK_REALTIME);
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	mqd_t mq = mq_open(mailbox, O_RDWR | O_CREAT, 0600, &attr);
	int bad;

	if (mq < 0)
		return ABSENT;
	mq_send(mq, "first", 5, 0);
	bad = failed_with(mq_timedsend(mq, "second", 6, 0, &end), ETIMEDOUT);
	mq_close(mq);
	mq_unlink(mailbox);
	return bad;
}

static int do_io_getevents(void)
{
	aio_context_t context = 0;
	struct timespec wait = little;
	struct io_event done;
	int bad;

	if (syscall(SYS_io_setup, 1, &context))
		return ABSENT;
	bad = result_is(syscall(SYS_io_getevents, context, 1, 1, &done, &wait),
			0);
	syscall(SYS_io_destroy, context);
	return bad;
}

/* This one may end with EINTR by itself: it runs the kernel's own errands. */
static int do_io_uring(void)
{
	struct io_uring_getevents_arg until = {
		.ts = (uint64_t)(uintptr_t)&little,
	};
	long result;

	if (ring < 0)
		return ABSENT;
	do
		result = syscall(SYS_io_uring_enter, ring, 0, 1,
				 IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
				 &until, sizeof(until));
	while (result == -1 && errno == EINTR);
	return failed_with(result, ETIME);
}

/* Calls that wait for somebody, who comes a little later. */

static void put_byte(void)
{
	known_sink += (double)write(pipe_ends[1], "x", 1);
}

static int do_pipe_read(void)
{
	later(put_byte);
	return result_is(read(pipe_ends[0], buffer, 100), 1);
}

static int do_poll_data(void)
{
	struct pollfd fd = { pipe_ends[0], POLLIN, 0 };
	int bad;

	later(put_byte);
	bad = result_is(poll(&fd, 1, -1), 1);
	return bad || result_is(read(pipe_ends[0], buffer, 1), 1);
}

static void drain_much(void)
{
	static char to[MUCH];

	for (long left = MUCH; left > 0;)
		left -= read(pipe_ends[0], to, (size_t)left);
}

static int do_pipe_write(void)
{
	later(drain_much);
	return result_is(write(pipe_ends[1], buffer, MUCH), MUCH);
}

static int do_writev(void)
{
	struct iovec from[] = { { buffer, MUCH / 2 }, { buffer, MUCH / 2 } };

	later(drain_much);
	return result_is(writev(pipe_ends[1], from, 2), MUCH);
}

static void put_two(void)
{
	known_sink += (double)send(pair[1], "one", 3, 0);
	nanosleep(&little, NULL);
	known_sink += (double)send(pair[1], "two", 3, 0);
}

static int do_recv_all(void)
{
	const struct timeval never = { 0, 0 }, time = { 0, LITTLE_NS / 1000 };
	int bad;

	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	later(put_two);
	bad = result_is(recv(pair[0], buffer, 6, MSG_WAITALL), 6);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	return bad;
}

static void type_line(void)
{
	known_sink += (double)write(terminal[0], "hello\n", 6);
}

static int do_terminal(void)
{
	if (terminal[1] < 0)
		return ABSENT;
	later(type_line);
	return result_is(read(terminal[1], buffer, 100), 6);
}

static void open_writer(void)
{
	close(open(fifo, O_WRONLY));
}

static int do_fifo(void)
{
	int fd;

	later(open_writer);
	fd = open(fifo, O_RDONLY);
	close(fd);
	return fd < 0;
}

static void call_listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	known_sink += connect(fd, (struct sockaddr *)&address, sizeof(address));
	close(fd);
}

static int do_accept(void)
{
	const struct timeval never = { 0, 0 }, time = { 0, LITTLE_NS / 1000 };
	int fd;

	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	later(call_listener);
	fd = accept(listener, NULL, NULL);
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	close(fd);
	return fd < 0;
}

static int accepted;

static void answer(void)
{
	close(accept(accepted, NULL, NULL));
}

/* A Unix socket with a queue of one: the second caller waits for room. */
static int do_connect(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(name.sun_family);
	int one, two, bad;

	accepted = socket(AF_UNIX, SOCK_STREAM, 0);
	one = socket(AF_UNIX, SOCK_STREAM, 0);
	two = socket(AF_UNIX, SOCK_STREAM, 0);
	bad = bind(accepted, (struct sockaddr *)&name, length);
	length = sizeof(name);
	bad |= getsockname(accepted, (struct sockaddr *)&name, &length);
	bad |= listen(accepted, 0);
	bad |= connect(one, (struct sockaddr *)&name, length);
	later(answer);
	bad |= connect(two, (struct sockaddr *)&name, length);
	later_done();
	later(answer);
	close(one);
	close(two);
	return bad ? WRONG : RIGHT;
}

static int do_connect_poll(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct pollfd wait = { fd, POLLOUT, 0 };
	int err = -1, bad = WRONG, to;
	socklen_t size = sizeof(err);

	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    errno == EINPROGRESS)
		bad = result_is(poll(&wait, 1, -1), 1) ||
		      getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) || err;
	to = accept(listener, NULL, NULL);
	close(to);
	close(fd);
	return bad || to < 0;
}

static struct {
	long type;
	char text[8];
} message = { 1, "" };

static void send_message(void)
{
	known_sink += msgsnd(queue, &message, 8, 0);
}

static int do_msgrcv(void)
{
	later(send_message);
	return result_is(msgrcv(queue, &message, 8, 0, 0), 8);
}

static void receive_message(void)
{
	known_sink += (double)msgrcv(queue, &message, 8, 0, 0);
}

static int do_msgsnd(void)
{
	int sent = 0, bad;

	while (!msgsnd(queue, &message, 8, IPC_NOWAIT))
		sent++;
	later(receive_message);
	bad = result_is(msgsnd(queue, &message, 8, 0), 0);
	while (sent-- > 0)
		bad |= result_is(msgrcv(queue, &message, 8, 0, 0), 8);
	return bad;
}

static sem_t posted;

static void post(void)
{
	sem_post(&posted);
}

static int do_sem_wait(void)
{
	later(post);
	return result_is(sem_wait(&posted), 0);
}

static void up(void)
{
	struct sembuf one = { 0, 1, 0 };

	semop(semaphores, &one, 1);
}

static int do_semop(void)
{
	struct sembuf down = { 0, -1, 0 };

	later(up);
	return result_is(semop(semaphores, &down, 1), 0);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opens = PTHREAD_COND_INITIALIZER;
static bool gate_open;

static void open_gate(void)
{
	pthread_mutex_lock(&gate);
	gate_open = true;
	pthread_cond_signal(&gate_opens);
	pthread_mutex_unlock(&gate);
}

static int do_cond_wait(void)
{
	int bad = 0;

	gate_open = false;
	later(open_gate);
	pthread_mutex_lock(&gate);
	while (!gate_open && !bad)
		bad = pthread_cond_wait(&gate_opens, &gate);
	pthread_mutex_unlock(&gate);
	return bad != 0;
}

static void put_event(void)
{
	eventfd_write(event, 7);
}

static int do_eventfd(void)
{
	eventfd_t value = 0;

	later(put_event);
	return result_is(eventfd_read(event, &value), 0) || value != 7;
}

static int do_timerfd(void)
{
	const struct itimerspec once = { .it_value = little };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), bad;
	uint64_t times = 0;

	timerfd_settime(fd, 0, &once, NULL);
	bad = result_is(read(fd, &times, sizeof(times)), sizeof(times));
	close(fd);
	return bad || times != 1;
}

static void signal_first(void)
{
	pthread_kill(first, SIGUSR2);
}

static int do_signalfd(void)
{
	struct signalfd_siginfo info = { 0 };
	sigset_t set;
	int fd, bad;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	fd = signalfd(-1, &set, 0);
	later(signal_first);
	bad = result_is(read(fd, &info, sizeof(info)), sizeof(info));
	close(fd);
	return bad || info.ssi_signo != SIGUSR2;
}

static int do_sigwaitinfo(void)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	later(signal_first);
	return result_is(sigwaitinfo(&set, &info), SIGUSR2);
}

static int do_sigwait(void)
{
	sigset_t set;
	int signum = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	later(signal_first);
	return result_is(sigwait(&set, &signum), 0) || signum != SIGUSR2;
}

static void touch_folder(void)
{
	close(open(fifo, O_RDWR));
}

static int do_inotify(void)
{
	int fd = inotify_init(), bad;

	inotify_add_watch(fd, folder, IN_OPEN);
	later(touch_folder);
	bad = read(fd, buffer, 4096) < (long)sizeof(struct inotify_event);
	close(fd);
	return bad;
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		nanosleep(&little, NULL);
		_exit(7);
	}
	return pid;
}

static int do_waitpid(void)
{
	pid_t pid = start_child();
	int status = 0;

	return result_is(waitpid(pid, &status, 0), pid) ||
	       WEXITSTATUS(status) != 7;
}

static int do_waitid(void)
{
	siginfo_t info = { 0 };
	pid_t pid = start_child();

	return result_is(waitid(P_PID, (id_t)pid, &info, WEXITED), 0) ||
	       info.si_status != 7;
}

static int held;

static void release_held(void)
{
	close(held);
}

static int do_flock(void)
{
	int fd = open(fifo, O_RDWR), bad;

	held = open(fifo, O_RDWR);
	flock(held, LOCK_EX);
	later(release_held);
	bad = result_is(flock(fd, LOCK_EX), 0);
	later_done();
	held = fd;
	later(release_held);
	return bad;
}

static int do_record_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	char name[80];
	int fd, bad;

	snprintf(name, sizeof(name), "%s/locked", folder);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	held = open(name, O_RDWR);
	bad = fcntl(held, F_OFD_SETLK, &lock);
	later(release_held);
	bad |= fcntl(fd, F_OFD_SETLKW, &lock);
	close(fd);
	unlink(name);
	return bad ? WRONG : RIGHT;
}

static int do_getrandom(void)
{
	return result_is(getrandom(buffer, 100000, 0), 100000);
}

static int do_splice(void)
{
	int to = open("/dev/null", O_WRONLY), bad;

	later(put_byte);
	bad = result_is(splice(pipe_ends[0], NULL, to, NULL, 100, 0), 1);
	close(to);
	return bad;
}

static int do_tee(void)
{
	int other[2], bad;

	if (pipe(other))
		return WRONG;
	later(put_byte);
	bad = result_is(tee(pipe_ends[0], other[1], 100, 0), 1) ||
	      result_is(read(pipe_ends[0], buffer, 1), 1);
	close(other[0]);
	close(other[1]);
	return bad;
}

/* It gives what fits into the pipe, and then the rest. */
static int do_sendfile(void)
{
	int from = memfd_create("syscalls", 0), bad;
	long left = MUCH, sent = 1;

	bad = ftruncate(from, MUCH);
	later(drain_much);
	for (; left > 0 && sent > 0; left -= sent)
		sent = sendfile(pipe_ends[1], from, NULL, (size_t)left);
	close(from);
	return bad || left;
}

static const struct call {
	const char *name;
	int (*call)(void);
	uint64_t least_ns; /* its time-out */
	bool partner;      /* was asked to do something later */
} calls[] = {
	{ "poll", do_poll, 1000000, false },
	{ "ppoll", do_ppoll, LITTLE_NS, false },
	{ "select", do_select, LITTLE_NS, false },
	{ "pselect", do_pselect, LITTLE_NS, false },
	{ "epoll_wait", do_epoll_wait, 1000000, false },
	{ "epoll_pwait", do_epoll_pwait, 1000000, false },
	{ "epoll_pwait2", do_epoll_pwait2, LITTLE_NS, false },
	{ "nanosleep", do_nanosleep, LITTLE_NS, false },
	{ "clock_nanosleep", do_clock_nanosleep, LITTLE_NS, false },
	{ "clock_nanosleep until", do_sleep_until, 0, false },
	{ "clock_nanosleep nowhere", do_sleep_nowhere, 0, false },
	{ "usleep", do_usleep, LITTLE_NS, false },
	{ "pthread_cond_timedwait", do_condition, 0, false },
	{ "pthread_mutex_timedlock", do_mutex, 0, false },
	{ "futex", do_futex, LITTLE_NS, false },
	{ "futex bitset", do_futex_bitset, LITTLE_NS, false },
	{ "sem_timedwait", do_sem_timedwait, 0, false },
	{ "semtimedop", do_semtimedop, LITTLE_NS, false },
	{ "sigtimedwait", do_sigtimedwait, LITTLE_NS, false },
	{ "recv", do_recv, 0, false },
	{ "recvmsg", do_recvmsg, 0, false },
	{ "recvmmsg", do_recvmmsg, 0, false },
	{ "send", do_send, 0, false },
	{ "accept timeout", do_accept_timeout, 0, false },
	{ "mq_timedreceive", do_mq_receive, 0, false },
	{ "mq_timedsend", do_mq_send, 0, false },
	{ "io_getevents", do_io_getevents, LITTLE_NS, false },
	{ "io_uring_enter", do_io_uring, LITTLE_NS, false },
	{ "read pipe", do_pipe_read, 0, true },
	{ "poll data", do_poll_data, 0, true },
	{ "write pipe", do_pipe_write, 0, true },
	{ "writev pipe", do_writev, 0, true },
	{ "recv all", do_recv_all, 0, true },
	{ "read terminal", do_terminal, 0, true },
	{ "open fifo", do_fifo, 0, true },
	{ "accept", do_accept, 0, true },
	{ "connect", do_connect, 0, true },
	{ "connect, poll", do_connect_poll, 0, false },
	{ "msgrcv", do_msgrcv, 0, true },
	{ "msgsnd", do_msgsnd, 0, true },
	{ "sem_wait", do_sem_wait, 0, true },
	{ "semop", do_semop, 0, true },
	{ "pthread_cond_wait", do_cond_wait, 0, true },
	{ "read eventfd", do_eventfd, 0, true },
	{ "read timerfd", do_timerfd, LITTLE_NS, false },
	{ "read signalfd", do_signalfd, 0, true },
	{ "sigwaitinfo", do_sigwaitinfo, 0, true },
	{ "sigwait", do_sigwait, 0, true },
	{ "read inotify", do_inotify, 0, true },
	{ "waitpid", do_waitpid, 0, false },
	{ "waitid", do_waitid, 0, false },
	{ "flock", do_flock, 0, true },
	{ "fcntl lock", do_record_lock, 0, true },
	{ "getrandom", do_getrandom, 0, false },
	{ "splice", do_splice, 0, true },
	{ "tee", do_tee, 0, true },
	{ "sendfile", do_sendfile, 0, true },
};
enum {
	CALLS = sizeof(calls) / sizeof(calls[0])
};

static bool make_terminal(void)
{
	terminal[0] = posix_openpt(O_RDWR | O_NOCTTY);
	terminal[1] = -1;
	if (terminal[0] >= 0 && !grantpt(terminal[0]) && !unlockpt(terminal[0]))
		terminal[1] = open(ptsname(terminal[0]), O_RDWR | O_NOCTTY);
	return true;
}

static bool make_sockets(void)
{
	const struct timeval t = { 0, LITTLE_NS / 1000 };
	socklen_t length = sizeof(address);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, 16) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, full))
		return false;
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(full[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	while (send(full[0], buffer, 4096, MSG_DONTWAIT) > 0)
		;
	return true;
}

static bool set_up(int burners)
{
	struct io_uring_params params = { 0 };
	sigset_t set;

	first = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&posted, 0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	epoll = epoll_create1(0);
	event = eventfd(0, 0);
	ring = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (!mkdtemp(folder))
		return false;
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	snprintf(mailbox, sizeof(mailbox), "/syscalls-%d", (int)getpid());
	return queue >= 0 && semaphores >= 0 && !pipe(pipe_ends) &&
	       !mkfifo(fifo, 0600) && make_sockets() && make_terminal() &&
	       start_threads(burners);
}

static void tear_down(void)
{
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
	unlink(fifo);
	rmdir(folder);
}

static int one_round(const struct call *call)
{
	uint64_t start;
	int bad;

	for (int i = 0; i < 3; i++)
		known_work();
	start = time_ns();
	bad = call->call();
	if (call->partner && bad != ABSENT)
		later_done();
	if (bad == RIGHT && time_ns() - start < call->least_ns)
		bad = WRONG;
	return bad;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int bad[CALLS] = { 0 };

	if (!set_up(argc > 2 ? atoi(argv[2]) : 0))
		return 1;
	for (int i = 0; i < rounds; i++)
		for (int c = 0; c < CALLS; c++)
			bad[c] += one_round(&calls[c]);
	tear_down();
	for (int c = 0; c < CALLS; c++)
		if (bad[c] < 0)
			printf("%s is not here\n", calls[c].name);
		else
			printf("%s %d\n", calls[c].name, bad[c]);
	return 0;
}
