/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launcher.h - which launcher started this process, and the key of its job.
 * All processes of a job have the same key, and no other process has it.
 */
#pragma once

#define LAUNCHER_KEY 192 /* bytes */

/* How the keys begin that copse run makes without a launcher. */
#define LAUNCHER_ALONE "alone "

enum launcher {
	LAUNCHER_NONE,
	LAUNCHER_MPIRUN, /* Open MPI's */
	LAUNCHER_HYDRA,  /* MPICH's mpiexec */
	LAUNCHER_SRUN,
	LAUNCHER_TORCH, /* torchrun, and what names ranks as it does */
	LAUNCHER_HOROVOD,
	LAUNCHER_JAX,   /* a script that names ranks for jax.distributed */
	LAUNCHER_OTHER, /* that speaks PMI */
};

/*
 * Reads the environment and the process table; does not fail.  `key` is "" when
 * the launcher gives no name, or there is no launcher.  Processes that
 * MPI_Comm_spawn starts are a job of their own.
 */
enum launcher launcher_find(char key[LAUNCHER_KEY]);
