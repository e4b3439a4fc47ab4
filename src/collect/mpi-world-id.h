/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-world-id.h - a name for the MPI_COMM_WORLD that this process is in. */
#pragma once

#include <stdint.h>

/*
 * The same in all of its processes, and only there; 0: nothing is known that
 * is.  `own` is a name that no other process has.
 */
uint64_t world_id(int size, uint64_t own);
