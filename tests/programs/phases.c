/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phases.c [SECONDS] - tells copse what it does: a quarter of the time in each
 * of two phases, one inside the other, a quarter in none, and a quarter
 * paused, which is in no profile.  Runs without copse too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "known.h"

static void (*begin)(const char *), (*end)(const char *);
static void (*pause_it)(void), (*resume)(void);

static KEPT void work(double seconds)
{
	double stop = cpu_seconds() + seconds;

	while (cpu_seconds() < stop)
		known_work();
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

int main(int argc, char **argv)
{
	double quarter = seconds_wanted(argc, argv, 2.0) / 4;

	begin = (void (*)(const char *))find("copse_begin", no_phase);
	end = (void (*)(const char *))find("copse_end", no_phase);
	pause_it = (void (*)(void))find("copse_pause", nothing);
	resume = (void (*)(void))find("copse_resume", nothing);
	work(quarter);
	begin("outer");
	work(quarter);
	begin("inner");
	work(quarter);
	end("inner");
	end("outer");
	pause_it();
	work(quarter);
	resume();
	return 0;
}
