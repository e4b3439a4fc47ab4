/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil-kernels.cu - the device's part of stencil.c. */
#include "stencil.h"

#define WIDE 128

static __global__ void fill(double *field, int columns, int first_row)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y;

	if (x < columns)
		field[(size_t)(y + 1) * columns + x] =
			((y + first_row) * 31 + x * 17) % 1009;
}

static __global__ void sweep(double *to, const double *from, int columns,
			     int first)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	size_t at = (size_t)(first + blockIdx.y) * columns + x;

	if (x > 0 && x < columns - 1)
		to[at] = 0.25 * (from[at - 1] + from[at + 1] +
				 from[at - columns] + from[at + columns]);
	else if (x < columns)
		to[at] = from[at];
}

static __global__ void add_rows(double *sums, const double *field, int columns,
				int rows)
{
	int y = blockIdx.x * blockDim.x + threadIdx.x;
	double sum = 0;

	if (y >= rows)
		return;
	for (int x = 0; x < columns; x++)
		sum += field[(size_t)(y + 1) * columns + x];
	sums[y] = sum;
}

static unsigned int blocks(int threads)
{
	return (threads + WIDE - 1) / WIDE;
}

void stencil_fill(double *field, int columns, int rows, int first_row)
{
	fill<<<dim3(blocks(columns), rows), WIDE>>>(field, columns, first_row);
}

void stencil_sweep(double *to, const double *from, int columns, int first,
		   int last, cudaStream_t stream)
{
	sweep<<<dim3(blocks(columns), last - first), WIDE, 0, stream>>>(
		to, from, columns, first);
}

void stencil_rows(double *sums, const double *field, int columns, int rows)
{
	add_rows<<<blocks(rows), WIDE>>>(sums, field, columns, rows);
}
