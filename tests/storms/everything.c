/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * everything.c PLUGIN - at the same time: threads that load and unload code,
 * threads that allocate, short threads, and processes that fork, vfork and
 * exec.
 */
#include <dlfcn.h>
#include <sys/wait.h>

#include "storm.h"

static const char *plugin;

static void *loader(void *unused)
{
	while (storm_lasts()) {
		void *handle = dlopen(plugin, RTLD_NOW);

		known_work();
		if (!handle || dlclose(handle))
			storm_broken("dlopen");
	}
	return unused;
}

static void *allocator(void *unused)
{
	void *kept[64] = { 0 };

	for (unsigned int i = 0; i % 1024 || storm_lasts(); i++) {
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
	while (storm_lasts()) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, brief, NULL))
			storm_broken("pthread_create");
		pthread_join(thread, NULL);
	}
	return unused;
}

static void *forker(void *unused)
{
	while (storm_lasts()) {
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

	if (argc < 2)
		return 2;
	plugin = argv[1];
	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
