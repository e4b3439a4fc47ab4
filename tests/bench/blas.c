/* SPDX-License-Identifier: BSD-3-Clause */
/* blas.c TIMES - that many products of small matrices by a threaded BLAS. */
#include <stdlib.h>

enum {
	SIDE = 160,
	CBLAS_ROWS = 101,
	CBLAS_PLAIN = 111,
};

void cblas_dgemm(int, int, int, int, int, int, double, const double *, int,
		 const double *, int, double, double *, int);

static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];

int main(int argc, char **argv)
{
	for (int i = 0; i < SIDE * SIDE; i++)
		a[i] = b[i] = i % 7;
	for (long n = argc > 1 ? atol(argv[1]) : 1; n > 0; n--)
		cblas_dgemm(CBLAS_ROWS, CBLAS_PLAIN, CBLAS_PLAIN, SIDE, SIDE,
			    SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
	return c[0] < 0;
}
