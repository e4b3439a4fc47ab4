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
#ifndef MPI_FORTRAN_H
#define MPI_FORTRAN_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/gates.h"

/* A Fortran function that has not reached C yet; of the thread. */
struct fortran_call {
	uint32_t row; /* + 1; 0: none, or C was reached */
	struct region *region;
};
extern __thread struct fortran_call fortran_call
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Is this the C function that the Fortran binding calls?  Asked by its
 * wrapper, once; then it has to leave the region.  A call that was left by a
 * longjmp or an exception is below our frame, and over.
 */
static inline bool fortran_reaches(enum row row)
{
	struct fortran_call *call = &fortran_call;

	if (__builtin_expect(call->row != (uint32_t)row + 1, 1) ||
	    (uintptr_t)call->region < (uintptr_t)__builtin_frame_address(0))
		return false;
	call->row = 0;
	return true;
}

#endif
