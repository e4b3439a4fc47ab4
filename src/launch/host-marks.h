/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-marks.h - which ranks of a job have begun and which are done, as
 * output.h needs to know it, in one file for each host: `.host-HOST-OWNER`,
 * a line "begun N" or "done N" for each, written at the host's lock
 * (host-lock.h).
 *
 * `dir` is the directory, opened; what is no regular file there is not opened.
 */
#ifndef LAUNCH_HOST_MARKS_H
#define LAUNCH_HOST_MARKS_H

#include <stdbool.h>

/* 0; -EEXIST: that rank has begun before; or -errno. */
int host_marks_begin(int dir, const char *host, int rank);

/* The rank is done; true when all `size` ranks are, on all hosts. */
bool host_marks_done(int dir, const char *host, int rank, int size);

/* Of all hosts. */
void host_marks_remove(int dir);

/* Whether there are any. */
bool host_marks_there(int dir);

#endif
