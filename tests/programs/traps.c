/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traps.c [ROUNDS] - a SIGTRAP for one thread, sent by each way there is, to
 * one that works, sleeps, waits for it, blocks it, ignores it, is in its
 * handler or about to end; and one for all by another process.  Prints how many
 * were lost, came twice or ended a system call that they should not: the same,
 * measured or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

enum {
	PATIENCE = 2, /* seconds, for one that is lost */
	MOST_LOST = 5,
	SLEEP_MS = 3
};

static atomic_int came, wrong;
static atomic_bool over, blank; /* what a signal carries is not to be known */
static volatile int nested;
static pthread_t target;
static pid_t target_tid;
static sem_t ready;
static const struct timespec little = { 0, 50000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The ways to send one to a thread. */

static const union sigval seven = { .sival_int = 7 };

static siginfo_t some_info(void)
{
	siginfo_t info = { .si_signo = SIGTRAP, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = seven;
	return info;
}

static long by_pthread_kill(void)
{
	return pthread_kill(target, SIGTRAP);
}

static long by_pthread_sigqueue(void)
{
	return pthread_sigqueue(target, SIGTRAP, seven);
}

static long by_tgkill(void)
{
	return tgkill(getpid(), target_tid, SIGTRAP);
}

static long by_kernel_tgkill(void)
{
	return syscall(SYS_tgkill, getpid(), target_tid, SIGTRAP);
}

static long by_kernel_tkill(void)
{
	return syscall(SYS_tkill, target_tid, SIGTRAP);
}

static long by_kernel_sigqueue(void)
{
	siginfo_t info = some_info();

	return syscall(SYS_rt_tgsigqueueinfo, getpid(), target_tid, SIGTRAP,
		       &info);
}

static const struct {
	const char *name;
	long (*send)(void);
	int code;
} ways[] = {
	{ "pthread_kill", by_pthread_kill, SI_TKILL },
	{ "pthread_sigqueue", by_pthread_sigqueue, SI_QUEUE },
	{ "tgkill", by_tgkill, SI_TKILL },
	{ "SYS_tgkill", by_kernel_tgkill, SI_TKILL },
	{ "SYS_tkill", by_kernel_tkill, SI_TKILL },
	{ "SYS_rt_tgsigqueueinfo", by_kernel_sigqueue, SI_QUEUE },
};

enum {
	WAYS = sizeof(ways) / sizeof(ways[0])
};

static atomic_int code; /* of what is on its way */

static void look_at(const siginfo_t *info, int user)
{
	int said = code == SI_TKILL ? user : code;
	bool right = info->si_code == said && info->si_pid == getpid() &&
		     info->si_uid == getuid() &&
		     (code == SI_TKILL || info->si_value.sival_int == 7);

	wrong += !right && !blank;
	came++;
}

static void on_trap(int signum, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)signum;
	(void)context;
	look_at(info, SI_TKILL);
	if (nested > 0) {
		nested--;
		known_work();
		raise(SIGTRAP);
		known_work();
	}
	errno = saved;
}

static void handle(int flags)
{
	struct sigaction action = { .sa_sigaction = on_trap,
				    .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGTRAP, &action, NULL);
}

/* The states of a thread that is sent one. */

static void begins(void)
{
	target_tid = gettid();
	sem_post(&ready);
}

static void *works(void *unused)
{
	begins();
	while (!over)
		known_work();
	return unused;
}

static void *sleeps(void *unused)
{
	begins();
	while (!over)
		nanosleep(&little, NULL);
	return unused;
}

static void *waits(void *unused)
{
	const struct timespec soon = { 0, 20000 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	begins();
	while (!over)
		if (sigtimedwait(&set, &info, &soon) == SIGTRAP)
			look_at(&info, SI_USER);
	return unused;
}

/* With the signal blocked most of the time. */
static void *unblocks(void *unused)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	begins();
	while (!over) {
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		nanosleep(&little, NULL);
		known_work();
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	return unused;
}

/* With the signal let through by a call. */
static void *lets_through(void *unused)
{
	const struct timespec soon = { 0, 1000000 };
	sigset_t set, none;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	begins();
	while (!over)
		ppoll(NULL, 0, &soon, &none);
	return unused;
}

static void start(void *(*state)(void *))
{
	over = false;
	pthread_create(&target, NULL, state, NULL);
	sem_wait(&ready);
}

static void stop(void)
{
	over = true;
	pthread_join(target, NULL);
}

/* Has it come, in time? */
static bool arrives(int before)
{
	double end = now() + PATIENCE;

	while (came == before)
		if (now() > end)
			return false;
	return true;
}

static int send_all(int rounds, int *sent)
{
	int lost = 0;

	for (*sent = 0; *sent < rounds && lost < MOST_LOST; ++*sent) {
		int way = *sent % WAYS, before = came;

		code = ways[way].code;
		if (ways[way].send()) {
			printf("%s: %m\n", ways[way].name);
			return lost;
		}
		if (!arrives(before)) {
			fprintf(stderr, "lost: %s\n", ways[way].name);
			lost++;
		}
	}
	return lost;
}

static void send_to(const char *name, void *(*state)(void *), int rounds)
{
	int lost, sent;

	came = wrong = 0;
	start(state);
	lost = send_all(rounds, &sent);
	usleep(10000);
	stop();
	printf("%s: %d lost, %d twice, %d wrong\n", name, lost,
	       came - (sent - lost), (int)wrong);
}

/* Two before it is unblocked are one, and disturb nobody until then. */
static int disturbed;
static sem_t blocked, sent;

static void *blocks(void *rounds)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	begins();
	for (int i = 0; i < *(int *)rounds; i++) {
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		sem_post(&blocked);
		disturbed += poll(NULL, 0, SLEEP_MS) != 0;
		sem_wait(&sent);
		sigpending(&set);
		disturbed += !sigismember(&set, SIGTRAP) || came != i;
		sigemptyset(&set);
		sigaddset(&set, SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		disturbed += came != i + 1;
	}
	return NULL;
}

static void send_to_blocked(int rounds)
{
	came = wrong = disturbed = 0;
	code = SI_TKILL;
	sem_init(&blocked, 0, 0);
	sem_init(&sent, 0, 0);
	pthread_create(&target, NULL, blocks, &rounds);
	sem_wait(&ready);
	for (int i = 0; i < rounds; i++) {
		sem_wait(&blocked);
		usleep(1000);
		by_pthread_kill();
		by_tgkill();
		sem_post(&sent);
	}
	pthread_join(target, NULL);
	printf("blocked: %d disturbed, %d of %d, %d wrong\n", disturbed,
	       (int)came, rounds, (int)wrong);
}

/* One that ignores it does not notice it. */
static void *ignores(void *rounds)
{
	begins();
	for (int i = 0; i < *(int *)rounds; i++) {
		sem_post(&blocked);
		disturbed += poll(NULL, 0, SLEEP_MS) != 0;
	}
	return NULL;
}

static void send_to_ignoring(int rounds)
{
	came = disturbed = 0;
	signal(SIGTRAP, SIG_IGN);
	pthread_create(&target, NULL, ignores, &rounds);
	sem_wait(&ready);
	for (int i = 0; i < rounds; i++) {
		sem_wait(&blocked);
		usleep(1000);
		by_pthread_kill();
	}
	pthread_join(target, NULL);
	printf("ignored: %d disturbed\n", disturbed);
	handle(SA_RESTART);
}

/* read() ends as the handler's flags say. */
static int pipes[2], eintr, bytes;

static void *reads(void *rounds)
{
	begins();
	for (int i = 0; i < *(int *)rounds; i++) {
		char to;
		ssize_t got;

		sem_post(&blocked);
		got = read(pipes[0], &to, 1);
		eintr += got < 0 && errno == EINTR;
		if (got < 0)
			got = read(pipes[0], &to, 1);
		bytes += got == 1;
	}
	return NULL;
}

static void send_to_reader(int flags, int rounds)
{
	came = eintr = bytes = 0;
	handle(flags);
	if (pipe(pipes))
		return;
	pthread_create(&target, NULL, reads, &rounds);
	sem_wait(&ready);
	for (int i = 0; i < rounds; i++) {
		sem_wait(&blocked);
		usleep(1000);
		by_pthread_kill();
		usleep(1000);
		if (write(pipes[1], "", 1) != 1)
			return;
	}
	pthread_join(target, NULL);
	printf("reader%s: %s, %d bytes, %d came\n",
	       flags & SA_RESTART ? ", begun again" : "",
	       eintr * 2 > rounds ? "ended" : "went on", bytes, (int)came);
	handle(SA_RESTART);
}

/* From its own handler, which has it blocked. */
static void *raises(void *rounds)
{
	begins();
	for (int i = 0; i < *(int *)rounds; i++) {
		nested = 9;
		raise(SIGTRAP);
	}
	return NULL;
}

static void send_from_handler(int rounds)
{
	came = wrong = 0;
	code = SI_TKILL;
	pthread_create(&target, NULL, raises, &rounds);
	sem_wait(&ready);
	pthread_join(target, NULL);
	printf("from the handler: %d of %d, %d wrong\n", (int)came, 10 * rounds,
	       (int)wrong);
}

/* As the last thing that a thread does. */
static pthread_key_t key;

static void *ends(void *unused)
{
	pthread_setspecific(key, &key);
	begins();
	known_work();
	raise(SIGTRAP);
	return unused;
}

static void at_end(void *unused)
{
	(void)unused;
	raise(SIGTRAP);
}

/* And what is sent to it meanwhile comes once, or not at all. */
static void send_to_ending(int rounds)
{
	int more;

	came = wrong = 0;
	pthread_key_create(&key, at_end);
	for (int i = 0; i < rounds; i++) {
		pthread_create(&target, NULL, ends, NULL);
		pthread_join(target, NULL);
		sem_wait(&ready);
	}
	printf("ending: %d of %d, %d wrong\n", (int)came, 2 * rounds,
	       (int)wrong);
	came = 0;
	for (int i = 0; i < rounds; i++) {
		pthread_create(&target, NULL, ends, NULL);
		sem_wait(&ready);
		by_pthread_kill();
		by_pthread_kill();
		by_pthread_kill();
		pthread_join(target, NULL);
	}
	more = came - 2 * rounds;
	printf("meanwhile: %s\n", more <= 3 * rounds ? "right" : "too many");
}

/* One for the whole process is kept beside a thread's ticks. */
static int lost_by_kill(volatile int *seen, int rounds)
{
	int lost = 0;

	for (int i = 0; i < rounds && lost < MOST_LOST; i++) {
		double since = now();
		int before = *seen;

		kill(getppid(), SIGTRAP);
		while (*seen == before && now() - since < PATIENCE)
			nanosleep(&little, NULL);
		lost += *seen == before;
	}
	return lost;
}

static void send_from_child(int rounds)
{
	volatile int *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	came = 0;
	child = fork();
	if (!child)
		_exit(lost_by_kill(seen, rounds));
	while (!waitpid(child, &status, WNOHANG))
		*seen = came;
	printf("by another process: %d lost\n", WEXITSTATUS(status));
}

/* No room for what a signal carries: it is sent without. */
static void without_room(int rounds)
{
	setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ 0, 0 });
	blank = true;
	send_to("without room", works, rounds);
	send_to("without room, waiting", waits, rounds);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;

	sem_init(&ready, 0, 0);
	handle(SA_RESTART);
	send_to("working", works, rounds);
	send_to("sleeping", sleeps, rounds);
	send_to("waiting", waits, rounds);
	send_to("unblocking", unblocks, rounds);
	send_to("letting through", lets_through, rounds);
	send_to_blocked(rounds / 20);
	send_to_ignoring(rounds / 20);
	send_to_reader(0, rounds / 20);
	send_to_reader(SA_RESTART, rounds / 20);
	send_from_handler(rounds / 10);
	send_to_ending(rounds / 5);
	send_from_child(rounds);
	without_room(rounds / 2);
	return 0;
}
