/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-floor.c - to be preloaded: the least that measuring these calls takes, two
 * readings of the clock and a sum.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile long taken;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

#define FLOOR(type, name, parameters, arguments)                               \
	type name parameters                                                   \
	{                                                                      \
		static type(*next) parameters;                                 \
		long since;                                                    \
		type result;                                                   \
                                                                               \
		if (!next)                                                     \
			next = (type(*) parameters)dlsym(RTLD_NEXT, #name);    \
		since = now_ns();                                              \
		result = next arguments;                                       \
		taken += now_ns() - since;                                     \
		return result;                                                 \
	}
FLOOR(ssize_t, pread, (int fd, void *to, size_t size, off_t at),
      (fd, to, size, at))
FLOOR(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at),
      (fd, from, size, at))
FLOOR(int, fstat, (int fd, struct stat *to), (fd, to))
FLOOR(int, stat, (const char *path, struct stat *to), (path, to))
FLOOR(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *f),
      (from, size, count, f))
FLOOR(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
FLOOR(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
