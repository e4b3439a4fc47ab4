/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stencil.h - what stencil.c calls of stencil-kernels.cu.  Fields are COLUMNS
 * wide, a rank's have `rows` rows of its own and one more above and below.
 */
#pragma once

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first field: a value for each place of the whole, whoever has it. */
void stencil_fill(double *field, int columns, int rows, int first_row);

/* One sweep of the five-point stencil over rows [from, to). */
void stencil_sweep(double *to, const double *from, int columns, int first,
		   int last, cudaStream_t stream);

/* The sum of each row, for a result that is the same on any number of ranks. */
void stencil_rows(double *sums, const double *field, int columns, int rows);

#ifdef __cplusplus
}
#endif
