/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launcher.h - which launcher started this process, and the name of its job:
 * the same in all of the job's processes, and only there.
 */
#ifndef BASE_LAUNCHER_H
#define BASE_LAUNCHER_H

#define LAUNCHER_KEY 192 /* bytes */

/* How keys begin that copse run makes where there is no launcher. */
#define LAUNCHER_ALONE "alone "

enum launcher {
	LAUNCHER_NONE,
	LAUNCHER_MPIRUN, /* Open MPI's */
	LAUNCHER_HYDRA,  /* MPICH's mpiexec */
	LAUNCHER_SRUN,
	LAUNCHER_OTHER, /* that speaks PMI */
};

/*
 * From the environment and the process table; does not fail.  `key` is "" where
 * the launcher says no name, or there is none.  What MPI_Comm_spawn starts is a
 * job of its own.
 */
enum launcher launcher_find(char key[LAUNCHER_KEY]);

#endif
