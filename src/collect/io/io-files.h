/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-files.h - which file each descriptor is of, and what the process did with
 * it: the records of struct live_io_file.
 *
 * A descriptor is looked at once, when it is opened or first used: what a
 * program got in a way that is not interposed is known, too.  What has no
 * storage (sockets, pipes, terminals, /proc) is no file.
 *
 * Threads   Any.  Files are found without a lock.  Each thread has records of
 *           its own, so that counting is no atomic operation.
 * Signals   Not to be called from our handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/layout.h"

enum {
	IO_AT_POSITION = -1 /* of the descriptor */
};

/* NULL: it is no file, or there is no profile. */
struct live_io_file *io_file_of(int fd);

/* The directory in which `path` is; NULL: it is not known. */
struct live_io_file *io_file_directory(const char *path);

/* A new descriptor, by that path; NULL: not by a path. */
void io_file_opened(int fd, const char *path);

/* Descriptors from `first` to `last` may be others from here on. */
void io_file_forget(unsigned first, unsigned last);

/* The descriptor is at that place from here on. */
void io_file_seek(int fd, int64_t position);

/* Names that are relative are in another directory from here on. */
void io_file_moved(void);

/*
 * A record of zeros, which becomes the first of a list and begins with the
 * reference of the next; 0: there is no room.
 */
live_ref io_files_record(live_ref *head, uint64_t size);

/* Of each thread: whose record it found last. */
struct io_last {
	const struct live_io_file *of;
	struct live_io_file *mine;
	uint32_t generation; /* of the profile */
};

struct io_piece {
	enum live_io_kind kind;
	int fd;
	int64_t bytes; /* below 0: it failed */
	int64_t at;    /* where, or IO_AT_POSITION */
	uint64_t ns, end_ns;
	bool stream;
	live_ref node; /* of the call; 0: not known */
};

/* f NULL: nowhere. */
void io_file_count(struct live_io_file *f, const struct io_piece *piece);
