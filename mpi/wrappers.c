/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrappers.c - the generated wrappers.  A prototype in functions.tbl that
 * differs from mpi.h, or a wrong name in a bytes column, does not compile.
 */

/* Old programs may call what MPI-3.0 removed; the library still has it. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0

#include <mpi.h>

#include "mpi/bytes.h"
#include "mpi/next.h"
#include "mpi/notes.h"

#define MPI_HAS(version, subversion)                                           \
	(MPI_VERSION > (version) ||                                            \
	 (MPI_VERSION == (version) && MPI_SUBVERSION >= (subversion)))
#define MPI_HAS_MPI1 (!OMPI_OMIT_MPI1_COMPAT_DECLS)

/* To stand in front of a deprecated function is not to use it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "mpi/wrappers.inc"
