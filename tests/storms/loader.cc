/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loader.cc PLUGIN - four threads that load and unload code while two others
 * throw C++ exceptions through a few frames.  The exceptions are too large
 * for a thread's own cache of memory, and all threads share one heap.
 */
#include <dlfcn.h>
#include <malloc.h>

#include "storm.h"

static const char *plugin;

struct large {
	char room[5000];
	int depth;
};

struct guard {
	int *count;
	explicit guard(int *to) : count(to)
	{
		++*count;
	}
	~guard()
	{
		--*count;
	}
};

static KEPT void throw_from(int depth, int *alive)
{
	guard counted(alive);

	if (!depth) {
		large what = {};

		what.depth = *alive;
		throw what;
	}
	throw_from(depth - 1, alive);
}

static void *thrower(void *unused)
{
	int alive = 0;

	while (storm_lasts()) {
		try {
			throw_from(10, &alive);
		} catch (const large &caught) {
			if (caught.depth != 11 || alive)
				storm_broken("an exception");
		}
	}
	return unused;
}

static void *loader(void *unused)
{
	while (storm_lasts()) {
		void *handle = dlopen(plugin, RTLD_NOW);

		if (!handle || !dlsym(handle, "work") || dlclose(handle))
			storm_broken("dlopen");
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { loader, loader,  loader,
					 loader, thrower, thrower };

	if (argc < 2)
		return 2;
	plugin = argv[1];
	mallopt(M_ARENA_MAX, 1);
	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
