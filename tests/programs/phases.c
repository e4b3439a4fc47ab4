/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phases.c [SECONDS [WORD]] - tells copse what it does: a quarter of the time
 * in each of two phases, one inside the other, a quarter in none, and a quarter
 * paused, which is in no profile.  Last comes a phase of which only
 * a sixth is not paused.  Runs without copse too.
 *
 * With WORD it prints how long it was in the three phases, in elapsed time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

static void (*begin)(const char *), (*end)(const char *);
static void (*pause_it)(void), (*resume)(void);

static KEPT void work(double seconds)
{
	double stop = cpu_seconds() + seconds;

	while (cpu_seconds() < stop)
		known_work();
}

static bool telling;

static void tell(const char *phase, double begun)
{
	double seconds = elapsed_seconds() - begun;

	if (telling)
		truth(phase, seconds);
}

static void nothing(void)
{
}

static void no_phase(const char *name)
{
	(void)name;
}

static void *find(const char *name, void *otherwise)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : otherwise;
}

/* The child was never told of a phase: its end must do no harm. */
static void fork_inside(void)
{
	int status = 0;
	pid_t pid;

	begin("forking");
	pid = fork();
	if (!pid) {
		end("forking");
		work(0.01);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
	end("forking");
}

int main(int argc, char **argv)
{
	double quarter = seconds_wanted(argc, argv, 2.0) / 4;
	double outer, inner, pausing;

	telling = argc > 2;
	begin = (void (*)(const char *))find("copse_begin", no_phase);
	end = (void (*)(const char *))find("copse_end", no_phase);
	pause_it = (void (*)(void))find("copse_pause", nothing);
	resume = (void (*)(void))find("copse_resume", nothing);
	work(quarter);
	outer = elapsed_seconds();
	begin("outer");
	work(quarter);
	inner = elapsed_seconds();
	begin("inner");
	work(quarter);
	end("inner");
	tell("inner", inner);
	end("outer");
	tell("outer", outer);
	fork_inside();
	pause_it();
	work(quarter);
	resume();
	pausing = elapsed_seconds();
	begin("pausing");
	work(quarter / 5);
	pause_it();
	tell("pausing", pausing);
	work(quarter);
	resume();
	end("pausing");
	return 0;
}
