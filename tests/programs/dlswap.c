/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlswap.c [SECONDS] - opens hot code, closes it and opens other hot code,
 * which the loader puts at the same address: hot_one() gets a third of the
 * time, hot_two() the rest.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <string.h>

#include "known.h"

/* Runs work() of DIR/NAME; where it was mapped goes to *at. */
static double run(const char *dir, const char *name, double seconds,
		  uintptr_t *at)
{
	double (*work)(double), used;
	char path[4096];
	void *plugin;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&work = dlsym(plugin, "work");
	if (!work)
		exit(1);
	*at = (uintptr_t)work;
	used = work(seconds);
	dlclose(plugin);
	return used;
}

int main(int argc, char **argv)
{
	double one = 0, two = 0, end = seconds_wanted(argc, argv, 2.0);
	uintptr_t at_one, at_two;
	int same = 0, rounds = 0;
	char self[4096];
	char *dir;

	strncpy(self, argv[0], sizeof self - 1);
	self[sizeof self - 1] = 0;
	dir = dirname(self);
	while (one + two < end) {
		one += run(dir, "dlswap-one.so", 0.05, &at_one);
		two += run(dir, "dlswap-two.so", 0.10, &at_two);
		same += at_one == at_two;
		rounds++;
	}
	printf("same address %d of %d\n", same, rounds);
	truth("hot_one", one);
	truth("hot_two", two);
	return 0;
}
