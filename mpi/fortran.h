/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran.h - calls from Fortran: which of them the Fortran binding is about
 * to make as a call of the C function.
 *
 * A Fortran binding converts its arguments, handles, addresses that stand for
 * MPI_IN_PLACE and their like, and calls C; which it does by PMPI_Send or
 * MPI_Send.  So the wrapper of the Fortran function enters the region and
 * calls the binding, and the wrapper of the C function, when it is reached
 * from there, has the arguments in C, computes what is counted, and leaves the
 * region.  No conversion is done twice, and none is ours.
 *
 * Threads   Each call concerns the calling thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mpi/trampolines.h"

#define FORTRAN_WAS_IN_C UINT32_MAX

/* The innermost Fortran function of the thread, and how far it is. */
struct fortran_call {
	uint32_t row; /* + 1; 0: none, or C runs; FORTRAN_WAS_IN_C */
	struct region *region;
};
extern __thread struct fortran_call fortran_call
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A call that was left by a longjmp or an exception is below our frame. */
static inline bool fortran_is_alive(void)
{
	return (uintptr_t)fortran_call.region >
	       (uintptr_t)__builtin_frame_address(0);
}

/*
 * Is this the C function that the Fortran binding calls?  Asked by its
 * wrapper, once, which then leaves the region and ends with fortran_done().
 */
static inline bool fortran_reaches(enum row row)
{
	if (__builtin_expect(fortran_call.row != (uint32_t)row + 1, 1) ||
	    !fortran_is_alive())
		return false;
	fortran_call.row = 0;
	return true;
}

static inline int fortran_done(int rc)
{
	fortran_call.row = FORTRAN_WAS_IN_C;
	return rc;
}

/* Is this a call by which the binding only finishes its work? */
static inline bool fortran_finishes(void)
{
	return __builtin_expect(fortran_call.row == FORTRAN_WAS_IN_C, 0) &&
	       fortran_is_alive();
}
