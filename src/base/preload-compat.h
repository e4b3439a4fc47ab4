/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload-compat.h - whether what is in a file can load our libraries, if it is
 * executed: by its own head, or that of the program that runs it as a script.
 *
 * Signals   What is asked makes system calls alone: a child of vfork() may ask.
 * Memory    1 KiB of stack; 2 for a loader that is not this process's.
 * Failure   What cannot be read fits: whoever executes it learns why.
 */
#ifndef BASE_PRELOAD_COMPAT_H
#define BASE_PRELOAD_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compat {
	COMPAT_YES,
	COMPAT_STATIC,  /* it loads no library; what it starts may */
	COMPAT_MACHINE, /* of another processor, or for 32 bits */
	COMPAT_LIBRARY, /* of another C library than glibc */
	COMPAT_OLDER    /* of a glibc that lacks what our library needs of it */
};

/* What runs in this process: our library's file, and its loader's. */
struct compat_ours {
	const char *library; /* stays the caller's */
	uint64_t device, inode;
	unsigned glibc; /* that the library needs, 2.N; 0: not yet known */
};

/* Before anything else of this; allocates nothing. */
void compat_init(struct compat_ours *ours, const char *library);

/* Of the file `path` in the folder `dir`, as openat() has them. */
enum compat compat_of_file(struct compat_ours *ours, int dir, const char *path);

/* Whether execvp() ends its search there. */
bool compat_is_program(const char *path);

/* The path of an open file. */
enum {
	COMPAT_LINK = 32
};
void compat_name_open(char to[COMPAT_LINK], int fd);

#endif
