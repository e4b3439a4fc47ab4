/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c COUNT - that many threads that hardly live for each second asked
 * for, a few at a time, and more until the time is over.
 */
#include "storm.h"

enum {
	AT_A_TIME = 16
};

static unsigned int ran;

static KEPT void *brief(void *result)
{
	unsigned int number = __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);

	/* Some live longer, so that ticks fall on all of their life. */
	for (int i = number % 16 ? 0 : 16; i > 0; i--)
		known_work();
	return result;
}

int main(int argc, char **argv)
{
	unsigned int wanted, started = 0;
	pthread_t threads[AT_A_TIME];
	void *result;

	if (argc < 2)
		return 2;
	wanted = (unsigned int)(atof(argv[1]) * atof(argv[argc - 1]));
	storm_begins(argc, argv);
	for (; started < wanted || storm_lasts(); started += AT_A_TIME) {
		for (int i = 0; i < AT_A_TIME; i++)
			if (pthread_create(&threads[i], NULL, brief, &ran))
				storm_broken("pthread_create");
		for (int i = 0; i < AT_A_TIME; i++)
			if (pthread_join(threads[i], &result) || result != &ran)
				storm_broken("pthread_join");
	}
	printf("%s\n", ran == started ? "all ran" : "some did not run");
	return 0;
}
