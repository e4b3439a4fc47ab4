/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-marks.h - which ranks of a job have begun, and which are done, for
 * output.h.  Each host has one file, `.host-HOST-OWNER`, with a line "begun N"
 * or "done N" for each rank.  Writers hold the host's lock (host-lock.h).
 *
 * `dir` is the open output directory.  Only regular files in it are opened.
 */
#pragma once

#include <stdbool.h>

/* 0; -EEXIST: that rank has begun before; or -errno. */
int host_marks_begin(int dir, const char *host, int rank);

/* Mark the rank as done; true when all `size` ranks of all hosts are. */
bool host_marks_done(int dir, const char *host, int rank, int size);

/* Of one host's file: a rank of it is not done. */
bool host_marks_go_on(int dir, const char *name);

/* Remove the files of all hosts. */
void host_marks_remove(int dir);

/* Whether there are any. */
bool host_marks_there(int dir);
