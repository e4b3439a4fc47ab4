/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made.c - a program of a made CUDA (made-cuda.h) whose answers follow from its
 * text.  `made MODE [N]`.
 */
#include "made-allocs.h"
#include "made-cuda.h"
#include "made-ranges.h"
#include "made-stalls.h"
#include "made-wide.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;

/* 20 alphas of 1 ms each and 10 betas of 3 ms. */
NOINLINE static void solve(void)
{
	for (int i = 0; i < 20; i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 0, 1000000);
	for (int i = 0; i < 10; i++)
		made_cudaLaunchKernel("_Z4betaPf", 1, 3000000);
	sink++;
}

/* 5 alphas of 2 ms by the driver's function. */
NOINLINE static void direct(void)
{
	for (int i = 0; i < 5; i++)
		made_cuLaunchKernel("_Z5alphaPfi", 2, 2000000);
	sink++;
}

/* 8 copies of 1 MiB to the device, 4 back, 2 within, 3 memsets, 6 graphs. */
NOINLINE static void move(void)
{
	for (int i = 0; i < 8; i++)
		made_cudaMemcpyAsync(MADE_TO, 1 << 20, 500000);
	for (int i = 0; i < 4; i++)
		made_cudaMemcpyAsync(MADE_FROM, 1 << 20, 250000);
	for (int i = 0; i < 2; i++)
		made_cudaMemcpyAsync(MADE_WITHIN, 1 << 10, 1000);
	for (int i = 0; i < 3; i++)
		made_cudaMemsetAsync(1 << 12, 2000);
	for (int i = 0; i < 6; i++)
		made_cudaGraphLaunch(3, 4000000);
	sink++;
}

/* 7 failures of 10, 3 answers that are none, and 100 ms of waiting. */
NOINLINE static void ask(void)
{
	for (int i = 0; i < 10; i++)
		made_cudaMalloc(i < 7 ? (uint64_t)1 << 41 : 1 << 10);
	for (int i = 0; i < 3; i++)
		made_cudaStreamQuery();
	made_cudaDeviceSynchronize(100000000);
	sink++;
}

/* Two alphas here and one beta by the caller, launched as a graph 3 times. */
NOINLINE static void capture(void)
{
	made_capture("_Z5alphaPfi");
	made_capture("_Z5alphaPfi");
	sink++;
}

NOINLINE static void graph(void)
{
	capture();
	made_capture("_Z4betaPf");
	made_cudaGraphInstantiate();
	for (int i = 0; i < 3; i++)
		made_cudaGraphLaunch(3, 6000000);
	sink++;
}

/* The same function from n frames down. */
NOINLINE static void deep(int n)
{
	if (n > 1)
		deep(n - 1);
	else
		made_cudaLaunchKernel("_Z4deepv", 0, 1000);
	sink++;
}

static void *in_thread(void *unused)
{
	solve();
	return unused;
}

static void all(void)
{
	pthread_t threads[3];

	solve();
	direct();
	move();
	ask();
	for (int i = 1; i <= 4; i++)
		deep(4 * i);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* What is launched outside of the two words is not measured. */
static void profiled(void)
{
	direct();
	made_cudaProfilerStart();
	solve();
	made_cudaProfilerStop();
	direct();
}

static void forked(void)
{
	int status = 0;
	pid_t child;

	solve();
	child = fork();
	if (!child) {
		direct();
		exit(0);
	}
	waitpid(child, &status, 0);
	direct();
}

NOINLINE static void launch_many(long n, int depth)
{
	if (depth > 1) {
		launch_many(n, depth - 1);
		sink++;
		return;
	}
	for (long i = 0; i < n; i++)
		made_cudaLaunchKernel("_Z5emptyv", 0, 1);
	sink++;
}

static void fail_assert(void)
{
	__assert_fail("work", __FILE__, __LINE__, __func__);
}

static void by_exit(void)
{
	_exit(7);
}

static void by_quick_exit(void)
{
	quick_exit(7);
}

/* As a worker of multiprocessing: the parent has no GPU. */
static void in_child(void)
{
	int status = 0;

	if (fork())
		wait(&status);
	else {
		solve();
		_exit(7);
	}
	exit(WEXITSTATUS(status));
}

/* A child of vfork() ends in this one's memory, which goes on. */
static void beside_child(void)
{
	solve();
	if (!vfork())
		_exit(0);
	direct();
}

static void from_handler(int unused)
{
	(void)unused;
	_exit(7);
}

static void by_handler(void)
{
	signal(SIGALRM, from_handler);
	alarm(1);
	for (;;)
		made_cudaLaunchKernel("_Z5emptyv", 0, 1);
}

/* All is done in time, and none of atexit() is called.  0: it is none. */
static int leave(const char *mode)
{
	static const struct {
		const char *mode;
		void (*go)(void);
		int works;
	} ways[] = {
		{ "leave-_exit", by_exit, 1 },
		{ "leave-quick_exit", by_quick_exit, 1 },
		{ "leave-abort", abort, 1 },
		{ "leave-assert", fail_assert, 1 },
		{ "leave-handler", by_handler, 1 },
		{ "leave-child", in_child, 0 },
		{ "leave-vfork", beside_child, 0 },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].mode, mode)) {
			if (ways[i].works)
				solve();
			ways[i].go();
			return 1;
		}
	return 0;
}

/* Long enough for samples, that there is a profile in any case. */
static void busy(void)
{
	clock_t until = clock() + CLOCKS_PER_SEC / 10;

	solve();
	while (clock() < until)
		sink++;
}

/* What CPU time each of n launches takes, from depth 15. */
static void many(long n)
{
	struct timespec a, b;

	launch_many(n / 10, 15);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	launch_many(n, 15);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	printf("%.1f ns\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 +
			     (double)(b.tv_nsec - a.tv_nsec)) /
				    (double)n);
}

/* 64 functions that call something. */
#define SITE(n)                                                                \
	NOINLINE static void site_##n(void (*go)(void *), void *arg)           \
	{                                                                      \
		go(arg);                                                       \
		sink += n;                                                     \
	}
/* clang-format off */
#define EACH(F) \
	F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) \
	F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) \
	F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23) \
	F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31) \
	F(32) F(33) F(34) F(35) F(36) F(37) F(38) F(39) \
	F(40) F(41) F(42) F(43) F(44) F(45) F(46) F(47) \
	F(48) F(49) F(50) F(51) F(52) F(53) F(54) F(55) \
	F(56) F(57) F(58) F(59) F(60) F(61) F(62) F(63)
/* clang-format on */
EACH(SITE)

static void (*const sites[])(void (*go)(void *), void *arg) = {
#define WORD(n) site_##n,
	EACH(WORD)
};

static void site(unsigned int i, void (*go)(void *), void *arg)
{
	sites[i](go, arg);
}

NOINLINE static int play(const char *path)
{
	int err = path ? made_play(path, site) : 1;

	sink++;
	return err;
}

/* When its records have come. */
static void killed(void)
{
	made_told();
	kill(getpid(), SIGKILL);
}

static void killed_allocs(void)
{
	allocs();
	killed();
}

/* All that is kept of GPUs, with samples. */
static void facts(void)
{
	busy();
	allocs();
	allocs_shapes();
	sink++;
}

/* Modes of made-allocs.c; false: it is none. */
static int allocate(const char *mode)
{
	static const struct {
		const char *mode;
		void (*go)(void);
	} modes[] = {
		{ "allocs", allocs },
		{ "leak", allocs_leak },
		{ "late", allocs_late },
		{ "once", allocs_once },
		{ "killed-allocs", killed_allocs },
		{ "facts", facts },
		{ "alloc-reset", allocs_reset },
		{ "shapes", allocs_shapes },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].mode, mode)) {
			modes[i].go();
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "all";

	if (!strcmp(mode, "all"))
		all();
	else if (!strcmp(mode, "solve"))
		solve();
	else if (!strcmp(mode, "graph"))
		graph();
	else if (!strcmp(mode, "busy"))
		busy();
	else if (!strcmp(mode, "play"))
		return play(argv[2]);
	else if (!strcmp(mode, "stalls"))
		stalls(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : "");
	else if (!strcmp(mode, "ranges"))
		ranges(direct);
	else if (!strcmp(mode, "steps"))
		ranges_steps(argc > 2 ? atoi(argv[2]) : 40);
	else if (!strcmp(mode, "many-ranges"))
		ranges_many(40000);
	else if (!strcmp(mode, "paused-ranges"))
		ranges_paused();
	else if (!strcmp(mode, "profiled"))
		profiled();
	else if (!strcmp(mode, "forked"))
		forked();
	else if (!strcmp(mode, "reset"))
		solve(), made_cudaDeviceReset(), direct();
	else if (!strcmp(mode, "wide"))
		wide(argc > 2 ? atol(argv[2]) : 20);
	else if (!strcmp(mode, "many"))
		many(argc > 2 ? atol(argv[2]) : 1000000);
	else if (!strcmp(mode, "killed"))
		solve(), killed();
	else
		return allocate(mode) || leave(mode) ? 0 : 2;
	return 0;
}
