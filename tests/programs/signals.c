/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signals.c - a program that does with signals what the sampler might break:
 * it takes SIGTRAP for itself, by every door, blocks everything, uses SIGPROF,
 * SIGALRM and real-time signals, an alternate stack, siglongjmp, coroutines and
 * deep recursion.  Prints counts that are the same whether it is measured or
 * not.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "known.h"

static volatile sig_atomic_t traps, reals, alarms, jumps;
static volatile long turns;

static void on_trap(int signum)
{
	traps += signum == SIGTRAP;
}

static void on_real(int signum)
{
	(void)signum;
	reals++;
}

static void on_alarm(int signum)
{
	(void)signum;
	alarms++;
	for (int i = 0; i < 20; i++)
		known_work();
}

static void work(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		known_work();
}

static void own_traps(void)
{
	struct sigaction action = { .sa_handler = on_trap }, old;

	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 100; i++) {
		work(0.0005);
		__asm__ volatile("int3");
	}
	sigaction(SIGTRAP, NULL, &old);
	printf("traps %d, handler %s\n", (int)traps,
	       old.sa_handler == on_trap ? "kept" : "lost");
}

/* They are deprecated, all of them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* An action as the kernel has it. */
static struct {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
} kernel_action = { on_trap, SA_RESTART, NULL, 0 };

/* What the kernel has: by the instruction, which nobody stands in front of. */
static void ask_kernel(long signum, void *action)
{
	register long size __asm__("r10") = 8;
	long result = SYS_rt_sigaction;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(signum), "S"(NULL), "d"(action), "r"(size)
			 : "rcx", "r11", "memory");
}

/*
 * The C library's own signals, 32 and 33, don't interrupt a handler of SIGTRAP
 * that is there before the program's: glibc 2.41 forgets a cancellation that
 * comes to one.
 */
static void kept_out(void)
{
	const unsigned long own = 3ul << 31;
	__typeof__(kernel_action) is = { 0 };

	ask_kernel(SIGTRAP, &is);
	printf("a cancellation %s\n", !is.handler || (is.mask & own) == own
					      ? "waits"
					      : "is forgotten");
}

static void trap(const char *door)
{
	traps = 0;
	for (int i = 0; i < 20; i++) {
		work(0.0005);
		__asm__ volatile("int3");
	}
	printf("%s %d\n", door, (int)traps);
	signal(SIGTRAP, SIG_DFL);
}

/* Its default action, in a child: it must die of it. */
static void unhandled(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		work(0.01);
		__asm__ volatile("int3");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("unhandled: dies of %d\n", WTERMSIG(status));
}

/* The C library's older ways to a handler, and the kernel's. */
static void other_doors(void)
{
	void (*was)(int);

	signal(SIGTRAP, on_trap);
	siginterrupt(SIGTRAP, 1);
	trap("signal");
	sigset(SIGTRAP, on_trap);
	trap("sigset");
	syscall(SYS_rt_sigaction, SIGTRAP, &kernel_action, NULL, 8);
	was = signal(SIGTRAP, on_trap);
	printf("handler %s\n", was == on_trap ? "kept" : "lost");
	trap("rt_sigaction");
	sigignore(SIGTRAP);
	was = sysv_signal(SIGTRAP, on_trap);
	printf("ignored %s\n", was == SIG_IGN ? "kept" : "lost");
	work(0.001);
	__asm__ volatile("int3");
	was = signal(SIGTRAP, SIG_DFL);
	printf("once, then %s\n", was == SIG_DFL ? "no more" : "still there");
	unhandled();
}

/* Each way to block all signals, some of which the sampler needs. */
static void older_masks(void)
{
	unsigned long all = ~0ul, old = 0;

	sighold(SIGTRAP);
	work(0.02);
	sigrelse(SIGTRAP);
	sigsetmask(~0);
	work(0.02);
	sigsetmask(0);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	work(0.02);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
	printf("masks %s\n", old ? "wrong" : "right");
}

static void blocked(void)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	work(0.2);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Takes SIGTRAPs until another signal; work goes on beside it. */
static void *wait_for_traps(void *count)
{
	sigset_t all;
	int signum;

	sigfillset(&all);
	while (!sigwait(&all, &signum) && signum == SIGTRAP)
		++*(volatile int *)count;
	*(volatile int *)count += signum == SIGUSR2 ? 0 : 1000;
	return NULL;
}

/*
 * Until the thread has taken one: how often one was lost.  The kernel drops it
 * behind a timer signal (doc/decisions/program-sigtrap.md).
 */
static int send_trap(pthread_t thread, volatile int *count, int before)
{
	double late = elapsed_seconds() + 1;
	int lost = 0;

	pthread_kill(thread, SIGTRAP);
	while (*count == before) {
		known_work();
		if (elapsed_seconds() < late)
			continue;
		lost++;
		late += 1;
		pthread_kill(thread, SIGTRAP);
	}
	return lost;
}

/* What is sent to a thread that has just been made waits for it as well. */
static void waits_from_birth(void)
{
	volatile int count = 0;
	pthread_t thread;
	int lost = 0;

	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, wait_for_traps, (void *)&count);
		lost += send_trap(thread, &count, i);
		pthread_kill(thread, SIGUSR2);
		pthread_join(thread, NULL);
	}
	printf("waited from birth for %d\n", count);
	if (lost > 10)
		printf("%d were lost\n", lost);
}

/* A thread that waits gets what is sent to the process, and nothing else. */
static void waits_beside(void)
{
	volatile int count = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_traps, (void *)&count);
	for (int i = 0; i < 20; i++) {
		kill(getpid(), SIGTRAP);
		while (count == i)
			known_work();
	}
	pthread_kill(thread, SIGUSR2);
	pthread_join(thread, NULL);
	printf("waited beside for %d\n", count);
}

/* Blocked and waited for, as programs do that want no handlers. */
static void waits(void)
{
	const struct timespec little = { 0, 200000 };
	int own = 0, others = 0;
	sigset_t all, old, now;
	siginfo_t info;

	traps = 0;
	signal(SIGTRAP, on_trap);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	for (int i = 0; i < 50; i++) {
		work(0.0005);
		others += sigtimedwait(&all, NULL, &little) != -1;
		raise(SIGTRAP);
		work(0.0005);
		sigpending(&now);
		own += sigismember(&now, SIGTRAP) &&
		       sigwaitinfo(&all, &info) == SIGTRAP &&
		       info.si_pid == getpid();
	}
	waits_from_birth();
	waits_beside();
	printf("waited for %d, %d not ours, %d handled\n", own, others,
	       (int)traps);
	raise(SIGTRAP);
	sigprocmask(SIG_SETMASK, &old, &now);
	printf("blocked %d, then %d handled\n", sigismember(&now, SIGTRAP),
	       (int)traps);
	signal(SIGTRAP, SIG_DFL);
}

static void real_time(void)
{
	struct sigaction action = { .sa_handler = on_real };

	sigaction(SIGRTMIN + 1, &action, NULL);
	for (int i = 0; i < 200; i++) {
		raise(SIGRTMIN + 1);
		work(0.0002);
	}
	printf("real-time %d\n", (int)reals);
}

static void timers(void)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval every = { { 0, 3000 }, { 0, 3000 } }, none = { 0 };

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	work(0.3);
	setitimer(ITIMER_REAL, &none, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	printf("timers %s\n", alarms > 20 ? "ran" : "stood still");
}

static sigjmp_buf back;
static volatile int *volatile nowhere = (volatile int *)8;

/* On a stack of its own: a path through all pages of the other is long. */
static void on_fault(int signum)
{
	jumps++;
	work(0.005);
	siglongjmp(back, signum);
}

static int deeper(int n)
{
	volatile char room[512];

	memset((char *)room, n, sizeof(room));
	return n ? deeper(n - 1) + room[n % 512] : room[0];
}

static __attribute__((noinline)) int endless(volatile int *n)
{
	volatile char room[4096];

	room[0] = (char)(*n)++;
	return *n < 1000000000 ? endless(n) + room[0] : 0;
}

/* Faults that the program survives, stack overflow among them. */
static void faults(void)
{
	struct sigaction action = { .sa_handler = on_fault,
				    .sa_flags = SA_ONSTACK | SA_NODEFER };
	volatile int n = 0;

	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 50; i++)
		if (!sigsetjmp(back, 1)) {
			work(0.001);
			*nowhere = 1;
		}
	if (!sigsetjmp(back, 1))
		endless(&n);
	for (int i = 0; i < 50; i++)
		known_sink += deeper(2000);
	work(0.1);
	printf("faults %d\n", (int)jumps);
}

static ucontext_t home, other;

static void coroutine(void)
{
	for (;;) {
		work(0.0004);
		turns++;
		swapcontext(&other, &home);
	}
}

static void coroutines(void)
{
	size_t size = 128 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = size;
	makecontext(&other, coroutine, 0);
	for (int i = 0; i < 500; i++)
		swapcontext(&home, &other);
	munmap(stack, size);
	work(0.1);
	printf("coroutine %ld\n", turns);
}

int main(void)
{
	kept_out();
	own_traps();
	other_doors();
	older_masks();
	blocked();
	waits();
	real_time();
	timers();
	coroutines();
	faults();
	return 0;
}
