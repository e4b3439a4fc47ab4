/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traces.c - one thread works all the time, so that its trace is filled, in
 * early(), between() and late() one after the other; meanwhile it gets signals,
 * other threads come and go, and processes are forked.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "storm.h"

enum {
	AT_A_TIME = 4,
	STATUS = 7
};

static double storm_start;
static pthread_t worker;
static int interrupted, sent;

static void on_user(int signum)
{
	(void)signum;
	known_work();
	__atomic_fetch_add(&interrupted, 1, __ATOMIC_RELEASE);
}

/* Until that share of the time is over. */
#define work_until(share)                                                      \
	while (storm_now() <                                                   \
	       storm_start + (share) * (storm_end - storm_start))              \
	known_work()

static KEPT void early(void)
{
	work_until(0.15);
}

static KEPT void between(void)
{
	work_until(0.85);
}

static KEPT void late(void)
{
	work_until(1);
}

static KEPT void *brief(void *result)
{
	for (int i = 0; i < 10; i++)
		known_work();
	return result;
}

static void *comes_and_goes(void *unused)
{
	pthread_t threads[AT_A_TIME];
	void *result;

	while (storm_lasts()) {
		for (int i = 0; i < AT_A_TIME; i++)
			if (pthread_create(&threads[i], NULL, brief, &worker))
				storm_broken("pthread_create");
		for (int i = 0; i < AT_A_TIME; i++)
			if (pthread_join(threads[i], &result) ||
			    result != &worker)
				storm_broken("pthread_join");
		usleep(2000);
	}
	return unused;
}

/* Each one is handled, once. */
static void *interrupts(void *unused)
{
	while (storm_lasts()) {
		if (pthread_kill(worker, SIGUSR1))
			storm_broken("pthread_kill");
		sent++;
		while (__atomic_load_n(&interrupted, __ATOMIC_ACQUIRE) < sent)
			usleep(500);
	}
	return unused;
}

static void *forks(void *unused)
{
	while (storm_lasts()) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			brief(NULL);
			_exit(STATUS);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid ||
		    !WIFEXITED(status) || WEXITSTATUS(status) != STATUS)
			storm_broken("fork");
		usleep(20000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const beside[])(void *) = { comes_and_goes, interrupts, forks };
	pthread_t threads[STORM_COUNT(beside)];

	signal(SIGUSR1, on_user);
	worker = pthread_self();
	storm_start = storm_now();
	storm_begins(argc, argv);
	for (int i = 0; i < STORM_COUNT(beside); i++)
		if (pthread_create(&threads[i], NULL, beside[i], NULL))
			storm_broken("pthread_create");
	early();
	between();
	late();
	for (int i = 0; i < STORM_COUNT(beside); i++)
		if (pthread_join(threads[i], NULL))
			storm_broken("pthread_join");
	printf("%s\n", interrupted == sent ? "all handled" : "some were lost");
	return 0;
}
