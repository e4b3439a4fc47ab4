/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrappers.c - the generated wrappers.  A prototype in functions.tbl that
 * differs from mpi.h, or a wrong name in a bytes column, does not compile.
 */
#include "mpi/bytes.h"
#include "mpi/fortran.h"
#include "mpi/next.h"
#include "mpi/special.h"

#include "mpi/wrappers.inc"
