/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - facts about a process, read from /proc; starting one of ours. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cores.h"

/*
 * When it started, in clock ticks of the kernel since boot.  With the process
 * id it identifies a process for ever.  0: no such process, or it has ended.
 */
uint64_t process_start(pid_t pid);

/* True when it has the file of that path mapped. */
bool process_maps(pid_t pid, const char *path);

/* CPU time of all its threads so far, also of a zombie; 0: not known. */
uint64_t process_cpu_ns(pid_t pid);

/* The cores that it may run on, also of a zombie. */
void process_cores(pid_t pid, struct cores *cores);

/* What wait4(2) reports of a child and of those it waited for, in *to. */
struct rusage;
struct family;
void process_usage(struct family *to, const struct rusage *usage);

/*
 * What all children that ended have read and written, less what *to says: with
 * that of before, it is what those did that ended since.
 */
void process_io(struct family *to);

/* CPU time of all children of this process that have ended. */
uint64_t process_children_cpu_ns(void);

/* Close all descriptors from that one on. */
void process_close_from(int first);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t process_clock(void);

/*
 * Start a program of ours beside the measured one: it is not measured, signals
 * wait as they do here, and its output goes to `output`, or nowhere if that is
 * negative.  The caller waits for it.  -1: it was not started.
 */
pid_t process_spawn(const char *const argv[], int output);
