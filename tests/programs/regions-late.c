/* SPDX-License-Identifier: BSD-3-Clause */
/* regions-late.c - a library that begins parallel regions and is opened late:
 * with more threads than one, and each of them another number. */
#include <omp.h>

#include "known.h"

static KEPT void in_late(double s)
{
	work_for(s);
}

int late_threads(int threads);

void late_work(double s);
void late_work(double s)
{
#pragma omp parallel num_threads(2)
	in_late(s);
}

/* The sum of the numbers from 1. */
int late_threads(int threads)
{
	int sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	sum += omp_get_thread_num() + 1;
	return sum;
}
