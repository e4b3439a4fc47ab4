/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.h - the files of /proc/PID. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the file has, ended by a 0 that is not counted; its bytes, or 0. */
size_t proc_file(pid_t pid, const char *name, char *to, size_t size);

/* A number of its `stat`, by its place there; 0: no such process. */
uint64_t proc_stat(pid_t pid, int wanted);

/* Its parent, 0: there is none in sight. */
pid_t proc_parent(pid_t pid);

/* It was started with that variable; false also when we may not know. */
bool proc_has_variable(pid_t pid, const char *name);
