/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-call.h - calls of functions for files, as the adapter reports them.
 *
 * A call is a region, like one of MPI: its node is below the caller's path,
 * with calls, time, bytes and sizes.  Inside a call of MPI it is part of that,
 * and only the file's record has it.
 *
 * Threads   Each call concerns the calling thread.
 * Signals   Not to be called from our handler.
 * Failure   Nothing fails: the program's call is made in any case, and errno is
 *           unchanged.
 */
#pragma once

#include "collect/regions/region.h"

struct io_call {
	struct region region;
	struct live_io_file *file; /* NULL: not known */
	uint64_t start;            /* of the counter, inside another region */
	uint32_t generation;       /* of the profile that has the file */
	int fd;
	bool stream;
};

/*
 * Before a call: is it measured?  It is not if `fd` is no file; IO_BY_PATH: it
 * has none yet.  What is not measured has nothing after it.  The name's detail
 * is the kind of call, the frame that of the function that was called.
 */
enum {
	IO_BY_PATH = -1
};
bool copse_io_enter(struct io_call *c, int fd, struct region_name *name,
		    const uintptr_t *frame);

/*
 * After it: bytes that were read or written, or below 0; at which place of the
 * file, below 0: at the descriptor's.
 */
void copse_io_moved(struct io_call *c, int64_t bytes, int64_t at);

/* After another one. */
void copse_io_done(struct io_call *c, bool failed);

/* After one by a path, that can be read unless `path` is NULL. */
void copse_io_by_path(struct io_call *c, const char *path, bool failed);

/* The path was opened; fd below 0: it failed. */
void copse_io_opened(struct io_call *c, int fd, const char *path);

/* A call that is not measured has moved bytes, or not, if below 0. */
void copse_io_passed(const struct region_name *name, int64_t bytes);

/* The process uses io_uring, or asynchronous calls, which are not seen. */
void copse_io_unseen(bool uring);

/* Of descriptors that are not measured, too. */
void copse_io_forget(unsigned first, unsigned last);
void copse_io_seek(int fd, int64_t position);
void copse_io_moved_directory(void);

/* Bytes that went from the call's descriptor at a place to another one's. */
void copse_io_copied(struct io_call *c, int64_t at, int to, int64_t to_at,
		     int64_t bytes);
