/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptors.c - which descriptors a program finds when it tries all numbers
 * below its limit, in two threads; and the clocks that a pause leaves running.
 * On stderr: the clocks that run otherwise.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

static void *scan(void *name)
{
	work_for(0.02);
	printf("%s:", (const char *)name);
	for (int i = 0; i < sysconf(_SC_OPEN_MAX); i++)
		if (fcntl(i, F_GETFD) >= 0)
			printf(" %d", i);
	puts("");
	return NULL;
}

static int count_events(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;
	char target[64];
	int count = 0;

	while (all && (entry = readdir(all))) {
		ssize_t n = readlinkat(dirfd(all), entry->d_name, target,
				       sizeof(target) - 1);

		target[n > 0 ? n : 0] = 0;
		count += strstr(target, "perf_event") != NULL;
	}
	if (all)
		closedir(all);
	return count;
}

static int count_timers(void)
{
	FILE *all = fopen("/proc/self/timers", "r");
	char line[256];
	int count = 0;

	while (all && fgets(line, sizeof(line), all))
		count += !strncmp(line, "ID:", 3);
	if (all)
		fclose(all);
	return count;
}

static void say(const char *symbol)
{
	void (*call)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, symbol);

	if (call)
		call();
}

int main(void)
{
	char main_thread[] = "main", second[] = "second";
	pthread_t thread;

	scan(main_thread);
	if (pthread_create(&thread, NULL, scan, second))
		return 1;
	pthread_join(thread, NULL);
	fprintf(stderr, "clocks: %d\n", count_events() + count_timers());
	say("copse_pause");
	printf("paused: %d\n", count_events() + count_timers());
	say("copse_resume");
	fprintf(stderr, "clocks: %d\n", count_events() + count_timers());
	return 0;
}
