/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pauses.c - two threads pause and resume all the time while others compute,
 * switch, fork, fail to execute a program, come and go: none of these is to
 * notice that its clock stops and starts.  `asked`: one of the two does as
 * copse control would.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "live/tally.h"
#include "storm.h"

enum {
	ROUNDS = 20000
};

static void nothing(void)
{
}

/* The collector's, when there is one to listen. */
static void (*hold)(void) = nothing;
static void (*resume)(void) = nothing;

static KEPT long compute(long rounds)
{
	volatile long sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += i;
	return sum;
}

static void check(long rounds)
{
	if (compute(rounds) != rounds * (rounds - 1) / 2)
		storm_broken("a sum");
}

/* In bursts: between them clocks come to a sample. */
static void *pauses(void *unused)
{
	while (storm_lasts()) {
		for (int i = 0; i < 20; i++) {
			hold();
			resume();
			check(ROUNDS / 20);
		}
		check(200 * ROUNDS);
	}
	return unused;
}

/* Where copse control writes what it asks for. */
static struct live_request *own_request(void)
{
	static struct live_request nobodys;
	const char *live = getenv("COPSE_LIVE");
	struct live_tally *tally;
	char path[4096];
	int fd;

	if (!live)
		return &nobodys;
	snprintf(path, sizeof(path), "%s/" LIVE_TALLY, live);
	fd = open(path, O_RDWR);
	tally = mmap(NULL, LIVE_TALLY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (fd < 0 || tally == MAP_FAILED)
		storm_broken("the tally");
	close(fd);
	return &tally->request;
}

static void ask(struct live_request *r, uint32_t n)
{
	__atomic_fetch_add(&r->number, 1, __ATOMIC_SEQ_CST);
	r->measuring = n % 2 ? LIVE_MEASURING_OFF : LIVE_MEASURING_ON;
	r->rate = 100 + n % 7 * 300;
	__atomic_fetch_add(&r->number, 1, __ATOMIC_SEQ_CST);
}

/* A period, or a tick where nothing is measured, is as long as some of these.
 */
static void *asks(void *unused)
{
	struct live_request *request = own_request();

	for (uint32_t i = 0; storm_lasts(); i++) {
		ask(request, i);
		check(i % 16 ? 20 * ROUNDS : 2000 * ROUNDS);
	}
	ask(request, 0);
	return unused;
}

static void *computes(void *unused)
{
	while (storm_lasts())
		check(ROUNDS);
	return unused;
}

static void *switches(void *unused)
{
	while (storm_lasts()) {
		check(ROUNDS / 200);
		sched_yield();
	}
	return unused;
}

static void *briefly(void *unused)
{
	check(ROUNDS / 10);
	return unused;
}

static void *comes_and_goes(void *unused)
{
	pthread_t thread;

	while (storm_lasts()) {
		if (pthread_create(&thread, NULL, briefly, NULL))
			storm_broken("pthread_create");
		check(ROUNDS / 10);
		pthread_join(thread, NULL);
	}
	return unused;
}

static void *forks(void *unused)
{
	int status;
	pid_t pid;

	while (storm_lasts()) {
		pid = fork();
		if (!pid) {
			hold();
			resume();
			check(ROUNDS);
			_exit(7);
		}
		if (waitpid(pid, &status, 0) != pid || status != 7 << 8)
			storm_broken("a child");
		if (execl("/no/such/program", "none", (char *)NULL) != -1)
			storm_broken("execl");
		check(ROUNDS);
	}
	return unused;
}

int main(int argc, char **argv)
{
	bool asked = argc > 1 && !strcmp(argv[1], "asked");
	void *(*const all[])(
		void *) = { asked ? asks : pauses, computes, switches,
			    comes_and_goes,        forks,    pauses };

	storm_begins(argc, argv);
	if (dlsym(RTLD_DEFAULT, "copse_pause")) {
		hold = (void (*)(void))dlsym(RTLD_DEFAULT, "copse_pause");
		resume = (void (*)(void))dlsym(RTLD_DEFAULT, "copse_resume");
	}
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
