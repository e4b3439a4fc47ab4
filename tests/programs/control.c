/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c MODE [SECONDS] - pauses and resumes measuring in each way that a
 * program may.  Work that counts is done in measured(), work that does not in
 * skipped(), and their truth is the CPU time of each.  Runs without copse too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

static void (*stop)(void), (*go)(void);
static double piece = 0.3;

/* Of this process; threads take turns. */
static double in_measured, in_skipped;

static KEPT void measured(void)
{
	in_measured += work_for(piece);
}

static KEPT void skipped(void)
{
	in_skipped += work_for(piece);
}

static void once(void)
{
	measured();
	stop();
	skipped();
	go();
	measured();
}

static void never(void)
{
	measured();
	stop();
	skipped();
}

static void late(void)
{
	skipped();
	go();
	measured();
}

/* The word that ends --from-start=off is the one that ends all pauses. */
static void late_nested(void)
{
	stop();
	skipped();
	go();
	measured();
}

static void unpaired(void)
{
	go();
	go();
	measured();
	stop();
	skipped();
	go();
	measured();
}

static void nested(void)
{
	measured();
	stop();
	stop();
	skipped();
	go();
	skipped();
	go();
	measured();
}

static pthread_barrier_t turn;

static void *in_turn(void *unused)
{
	pthread_barrier_wait(&turn); /* main has paused */
	skipped();
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn); /* main has resumed */
	measured();
	return unused;
}

/* A thread that was there before, or one that is made while paused. */
static void with_thread(bool made_before)
{
	pthread_t thread;

	pthread_barrier_init(&turn, NULL, 2);
	if (!made_before)
		stop();
	if (pthread_create(&thread, NULL, in_turn, NULL))
		exit(1);
	if (made_before)
		stop();
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	go();
	pthread_barrier_wait(&turn);
	pthread_join(thread, NULL);
}

static void other_thread(void)
{
	with_thread(true);
}

static void new_thread(void)
{
	with_thread(false);
}

/* The child is paused as its parent was; each resumes for itself. */
static void forking(void)
{
	int status = 0;
	pid_t pid;

	stop();
	pid = fork();
	if (pid < 0)
		exit(1);
	skipped();
	go();
	measured();
	if (!pid)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		exit(1);
	in_measured *= 2; /* the child did the same */
}

static KEPT void asleep(void)
{
	struct timespec time = { .tv_nsec = (long)(piece * 1e9) };

	nanosleep(&time, NULL);
}

/* For -e wall: in a pause, and in none. */
static void sleeping(void)
{
	measured();
	stop();
	asleep();
	go();
	measured();
}

static void slept(void)
{
	measured();
	asleep();
	measured();
}

static void nothing(void)
{
}

static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : (void *)nothing;
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "once", once },
	{ "never", never },
	{ "late", late },
	{ "late-nested", late_nested },
	{ "unpaired", unpaired },
	{ "nested", nested },
	{ "other-thread", other_thread },
	{ "new-thread", new_thread },
	{ "fork", forking },
	{ "sleep", sleeping },
	{ "slept", slept },
	{ "work", measured },
};

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "once";

	piece = seconds_wanted(argc - 1, argv + 1, piece);
	stop = (void (*)(void))find("copse_pause");
	go = (void (*)(void))find("copse_resume");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, mode) != 0)
			continue;
		modes[i].run();
		truth("measured", in_measured);
		truth("skipped", in_skipped);
		return 0;
	}
	fprintf(stderr, "control: there is no mode '%s'\n", mode);
	return 2;
}
