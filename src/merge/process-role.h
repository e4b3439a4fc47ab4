/* SPDX-License-Identifier: BSD-3-Clause */
/* process-role.h - what a process that Python started does for its program. */
#ifndef MERGE_PROCESS_ROLE_H
#define MERGE_PROCESS_ROLE_H

#include "profile/profile.h"

/*
 * "DataLoader worker", "process of work": by the function that multiprocessing
 * called in it, as samples saw, else by the command line.  Empty: nothing is
 * known, or it is no such process.  To be freed; NULL when out of memory.
 */
char *process_role(const struct profile *p);

#endif
