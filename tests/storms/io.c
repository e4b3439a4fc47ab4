/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io.c - threads that open and read files, to be run with io-alloc.so, whose
 * open and read allocate; others allocate, all in one heap.
 */
#include <fcntl.h>
#include <malloc.h>

#include "storm.h"

static void *reader(void *unused)
{
	char bytes[512];

	for (unsigned int i = 0; i % 64 || storm_lasts(); i++) {
		int fd = open("/dev/zero", O_RDONLY);

		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			storm_broken("read");
		close(fd);
	}
	return unused;
}

static void *allocator(void *unused)
{
	while (storm_lasts())
		for (size_t i = 0; i < 100; i++)
			free(malloc(2000 + i * 300));
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { reader, reader, allocator, allocator };

	mallopt(M_ARENA_MAX, 1);
	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
