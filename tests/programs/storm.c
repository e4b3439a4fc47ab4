/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm.c PLUGIN [SECONDS] - at the same time: threads that load and unload
 * code, threads that allocate, short threads, and processes that fork, vfork
 * and exec.  Prints one line when it is through.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

static const char *plugin;
static double end;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *loader(void *unused)
{
	while (now() < end) {
		void *handle = dlopen(plugin, RTLD_NOW);

		known_work();
		if (handle)
			dlclose(handle);
	}
	return unused;
}

static void *allocator(void *unused)
{
	void *kept[64] = { 0 };

	for (unsigned int i = 0; now() < end; i++) {
		free(kept[i % 64]);
		kept[i % 64] = malloc(i * 7919u % 20000u);
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	return unused;
}

static void *brief(void *unused)
{
	known_work();
	return unused;
}

static void *spawner(void *unused)
{
	while (now() < end) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, brief, NULL))
			pthread_join(thread, NULL);
	}
	return unused;
}

static void *forker(void *unused)
{
	while (now() < end) {
		pid_t pid = fork();

		if (!pid) {
			known_work();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		pid = vfork();
		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { loader,    loader,  allocator,
					 allocator, spawner, forker };
	enum {
		N = sizeof(all) / sizeof(all[0])
	};
	pthread_t threads[N];

	if (argc < 2)
		return 2;
	plugin = argv[1];
	end = now() + (argc > 2 ? atof(argv[2]) : 2);
	for (int i = 0; i < N; i++)
		if (pthread_create(&threads[i], NULL, all[i], NULL))
			return 1;
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	puts("through");
	return 0;
}
