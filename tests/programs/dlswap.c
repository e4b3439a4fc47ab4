/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlswap.c [SECONDS [helpers]] - opens hot code, closes it and opens other hot
 * code, which the loader puts at the same address: hot_one() gets a third of
 * the time, hot_two() the rest.
 *
 * With helpers, both stay open and have a thread each.  That of the first only
 * waits, that of the second works for a tenth of SECONDS first, and a little at
 * the end, and a third thread, which is the program's own, only waits as well.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>

#include "known.h"

static void *open_plugin(const char *dir, const char *name)
{
	char path[4096];
	void *plugin;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return plugin;
}

static void *find(void *plugin, const char *name)
{
	void *function = dlsym(plugin, name);

	if (!function)
		exit(1);
	return function;
}

/* Runs work() of DIR/NAME; where it was mapped goes to *at. */
static double run(const char *dir, const char *name, double seconds,
		  uintptr_t *at)
{
	double (*work)(double), used;
	void *plugin = open_plugin(dir, name);

	*(void **)&work = find(plugin, "work");
	*at = (uintptr_t)work;
	used = work(seconds);
	dlclose(plugin);
	return used;
}

static void begin_helper(void *plugin, double seconds)
{
	void (*begin)(double);

	*(void **)&begin = find(plugin, "helper_begin");
	begin(seconds);
}

static void end_helper(void *plugin)
{
	void (*end)(void);

	*(void **)&end = find(plugin, "helper_end");
	end();
}

static sem_t own_ends;

static KEPT void *own_helper(void *unused)
{
	while (sem_wait(&own_ends))
		;
	return unused;
}

static struct helpers {
	void *one, *two;
	pthread_t own;
} helpers;

static void begin_helpers(const char *dir, double seconds)
{
	helpers.one = open_plugin(dir, "dlswap-one.so");
	helpers.two = open_plugin(dir, "dlswap-two.so");
	sem_init(&own_ends, 0, 0);
	begin_helper(helpers.one, 0);
	begin_helper(helpers.two, seconds / 10);
	pthread_create(&helpers.own, NULL, own_helper, NULL);
}

static void end_helpers(void)
{
	end_helper(helpers.two); /* works again: the others wait for it */
	end_helper(helpers.one);
	sem_post(&own_ends);
	pthread_join(helpers.own, NULL);
}

int main(int argc, char **argv)
{
	int with_helpers = argc > 2 && !strcmp(argv[2], "helpers");
	double one = 0, two = 0, end = seconds_wanted(argc, argv, 2.0);
	uintptr_t at_one, at_two;
	int same = 0, rounds = 0;
	char self[4096];
	char *dir;

	strncpy(self, argv[0], sizeof self - 1);
	self[sizeof self - 1] = 0;
	dir = dirname(self);
	if (with_helpers)
		begin_helpers(dir, end);
	while (one + two < end) {
		one += run(dir, "dlswap-one.so", 0.05, &at_one);
		two += run(dir, "dlswap-two.so", 0.10, &at_two);
		same += at_one == at_two;
		rounds++;
	}
	if (with_helpers)
		end_helpers();
	printf("same address %d of %d\n", same, rounds);
	truth("hot_one", one);
	truth("hot_two", two);
	return 0;
}
