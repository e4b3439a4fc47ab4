/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload-compat.h - whether a program can load our libraries.  The answer
 * comes from the head of its file; for a script, from that of its interpreter.
 *
 * Signals   All make system calls only, so a child of vfork() may call them.
 * Memory    1 KiB of stack; 2 KiB for a loader other than this process's.
 * Failure   A file that cannot be read counts as compatible: exec reports why.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum compat {
	COMPAT_YES,
	COMPAT_STATIC,  /* it loads no library; programs that it starts may */
	COMPAT_MACHINE, /* for another processor, or for 32 bits */
	COMPAT_LIBRARY, /* for another C library than glibc */
	COMPAT_OLDER    /* for a glibc that is too old for our library */
};

/* What runs in this process: our library's file, and its loader's. */
struct compat_ours {
	const char *library; /* stays the caller's */
	uint64_t device, inode;
	unsigned glibc; /* that the library needs, 2.N; 0: not yet known */
};

/* Call this first.  Allocates nothing. */
void compat_init(struct compat_ours *ours, const char *library);

/* Of the file `path` in the folder `dir`, as openat() has them. */
enum compat compat_of_file(struct compat_ours *ours, int dir, const char *path);

/* Whether execvp() would end its search at this path. */
bool compat_is_program(const char *path);

/* The path of an open file. */
enum {
	COMPAT_LINK = 32
};
void compat_name_open(char to[COMPAT_LINK], int fd);
