/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processes.h - the processes of a run: what reports call them, how many there
 * are, and on how many hosts.
 */
#pragma once

#include <sys/types.h>

#include "run/run.h"

/*
 * How many hosts processes[0] … processes[count - 1] are on (NULL: the first
 * `count`), and, unless host is NULL, the number of each one's host in host[],
 * by first appearance.  -ENOMEM with a reason.
 */
ssize_t processes_hosts(const struct run *run, const uint32_t *processes,
			size_t count, uint32_t *host);

/* "rank", or "process" in a run without MPI. */
const char *processes_noun(const struct run *run);

/* What a process is called: its rank, or its pid when it is none. */
uint64_t processes_number(const struct run *run, size_t index);

/*
 * "4 ranks", "rank 2 of 4", "1 process": of those that processes_main() has.
 * `to` holds 32 bytes, and is returned.
 */
const char *processes_extent(char *to, const struct run *run);

/*
 * The processes that are compared: the run's members.  Indices into run->ranks,
 * to be freed; NULL when out of memory.
 */
uint32_t *processes_members(const struct run *run, size_t *count);

/*
 * The members that a reader asks about: ranks all; without MPI those with at
 * least 2 % of the members' CPU time, and the one with most.  The rest is
 * small: what scripts start to copy a file.  As processes_members().
 */
uint32_t *processes_main(const struct run *run, size_t *count);

/*
 * The command line of the member with most CPU time; with MPI, of rank 0.  Of a
 * process that Python's multiprocessing started, that of the program.
 */
const char *processes_command(const struct run *run);

/* "0–2, 5" of processes picked[0 … count - 1]; to be freed, or NULL. */
char *processes_list(const struct run *run, const uint32_t *picked,
		     size_t count);
