/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-marks.h - which ranks of a job have begun and which are done, as
 * output.h needs to know it, in one file for each host: `.host-HOST-OWNER`,
 * a line "begun N" or "done N" for each, written at the host's desk (desk.h).
 */
#ifndef LAUNCH_HOST_MARKS_H
#define LAUNCH_HOST_MARKS_H

#include <stdbool.h>

/* 0; -EEXIST: that rank has begun before; or -errno. */
int host_marks_begin(const char *dir, const char *host, int rank);

/* The rank is done; true when all `size` ranks are, on all hosts. */
bool host_marks_done(const char *dir, const char *host, int rank, int size);

/* Of all hosts. */
void host_marks_remove(const char *dir);

/* Whether there are any. */
bool host_marks_there(const char *dir);

#endif
