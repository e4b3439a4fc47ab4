/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrappers.c - the generated wrappers.  A prototype in functions.tbl that
 * differs from mpi.h, or a wrong name in a bytes column, does not compile.
 */
#include "collect/sampling/polls.h"
#include "mpi/bytes.h"
#include "mpi/fortran.h"
#include "mpi/libmpi.h"
#include "mpi/mpi-events.h"
#include "mpi/lifecycle.h"
#include "mpi/open-calls.h"

static const struct region_values nothing = { .root = LIVE_NO_ROOT };

#include "mpi/functions.inc"
