/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge-job.h - copse merge in several processes.  `copse` itself is linked
 * with no MPI: started by a launcher as one of several it becomes
 * copse-merge-openmpi or copse-merge-mpich, which have the same options.
 */
#pragma once

#include <stdbool.h>

struct team;

enum {
	MERGE_ALONE = 256 /* no exit status */
};

/*
 * Become the program for this job's MPI, when this is a job (merge-job.c), and
 * not yet it: returns MERGE_ALONE when there is nobody to work with, else an
 * exit status.  Not with wrong arguments, which are told at once.
 */
int merge_job_begin(bool good_arguments);

/*
 * cmd-merge.c: the command, by that team (NULL: alone); `share` threads for
 * each process unless the user says another number, 0: one for each core.
 */
int merge_by(struct team *team, unsigned int share, int argc, char **argv);
