/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slow-close.c - to be preloaded: close() gives the core away first, so that
 * what was opened for a moment is open for longer.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int close(int fd)
{
	const struct timespec moment = { 0, 100000 };

	nanosleep(&moment, NULL);
	return (int)syscall(SYS_close, fd);
}
