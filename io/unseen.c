/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unseen.c - functions that begin reads and writes which are not measured:
 * those of liburing, libaio and POSIX.  That they are used is counted.
 *
 * POSIX's lists of requests have two versions, and are left alone.  A program
 * that has its own io_uring_setup() by syscall() is seen by the
 * collector.
 */
#include <aio.h>

#include "io/file-call.h"

struct io_uring;
struct io_uring_params;
struct io_context;

int io_uring_queue_init(unsigned, struct io_uring *, unsigned);
int io_uring_queue_init_params(unsigned, struct io_uring *,
			       struct io_uring_params *);
int io_uring_setup(unsigned, struct io_uring_params *);
int io_setup(int, struct io_context **);
int io_queue_init(int, struct io_context **);

/* `missing`: what it returns where there is none. */
#define BEGINS(uring, missing, name, parameters, arguments)                    \
	PUBLIC int name parameters                                             \
	{                                                                      \
		__typeof__(&name) next = NEXT(name);                           \
		int result = next ? next arguments : missing;                  \
                                                                               \
		if (result >= 0)                                               \
			copse_io_unseen(uring);                                \
		return result;                                                 \
	}

BEGINS(true, -ENOSYS, io_uring_queue_init,
       (unsigned entries, struct io_uring *ring, unsigned flags),
       (entries, ring, flags))
BEGINS(true, -ENOSYS, io_uring_queue_init_params,
       (unsigned entries, struct io_uring *ring, struct io_uring_params *p),
       (entries, ring, p))
BEGINS(true, -ENOSYS, io_uring_setup,
       (unsigned entries, struct io_uring_params *p), (entries, p))
BEGINS(false, -ENOSYS, io_setup, (int count, struct io_context **to),
       (count, to))
BEGINS(false, -ENOSYS, io_queue_init, (int count, struct io_context **to),
       (count, to))

BEGINS(false, next_result(-ENOSYS), aio_read, (struct aiocb * at), (at))
BEGINS(false, next_result(-ENOSYS), aio_write, (struct aiocb * at), (at))
BEGINS(false, next_result(-ENOSYS), aio_read64, (struct aiocb64 * at), (at))
BEGINS(false, next_result(-ENOSYS), aio_write64, (struct aiocb64 * at), (at))
