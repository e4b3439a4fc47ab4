/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-load.c - opens a library for itself alone, as Python does its own, and
 * is what that is (made-tool.c).  `made-load LIBRARY MODE`.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	int (*go)(int, char **) = NULL;

	if (library)
		go = (int (*)(int, char **))dlsym(library, "tool_main");
	if (!go) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	return go(argc - 1, argv + 1);
}
