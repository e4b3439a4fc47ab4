/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copies.c LIBRARY… - opens libraries, each with a libgomp of its own, as
 * Python's packages have it: a region has to be of the same copy as the
 * functions that ask for its threads.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	puts(dlsym(RTLD_DEFAULT, "GOMP_parallel") ? "OpenMP is there"
						  : "there is no OpenMP yet");
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < argc; i++) {
			void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			int (*threads)(int) =
				handle ? (int (*)(int))dlsym(handle,
							     "late_threads")
				       : NULL;

			if (!threads) {
				puts(dlerror());
				return 1;
			}
			printf("%d ", threads(2 + i));
		}
	putchar('\n');
	return 0;
}
