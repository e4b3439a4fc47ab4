/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * managed-cg.cu - conjugate gradients in one cooperative kernel, on managed
 * memory that the host writes before each run: how long the kernel takes, which
 * must not depend on who looks.
 */
#include <cooperative_groups.h>

#include "gpu.h"

namespace cg = cooperative_groups;

#define ROWS    (1 << 20)
#define THREADS 256
#define STEPS   40
#define RUNS    20

struct vectors {
	float *x, *r, *p, *q;
	double *dots; /* of each step two */
};

static __device__ void add_dot(const float *a, const float *b, double *to,
			       const cg::grid_group &grid)
{
	__shared__ double sums[THREADS];
	double sum = 0;

	for (size_t i = grid.thread_rank(); i < ROWS; i += grid.size())
		sum += (double)a[i] * b[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int half = THREADS / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(to, sums[0]);
	grid.sync();
}

/* The matrix is 4 on its diagonal, and -1 beside it. */
static __device__ float row_times(const float *p, size_t i)
{
	return 4 * p[i] - (i ? p[i - 1] : 0) - (i + 1 < ROWS ? p[i + 1] : 0);
}

static __global__ void solve_all(struct vectors v)
{
	cg::grid_group grid = cg::this_grid();
	size_t first = grid.thread_rank(), step = grid.size();

	add_dot(v.r, v.r, &v.dots[0], grid);
	for (int k = 0; k < STEPS; k++) {
		double *dots = v.dots + 2 * k;

		for (size_t i = first; i < ROWS; i += step)
			v.q[i] = row_times(v.p, i);
		grid.sync();
		add_dot(v.p, v.q, &dots[1], grid);
		float alpha = (float)(dots[0] / dots[1]);
		for (size_t i = first; i < ROWS; i += step) {
			v.x[i] += alpha * v.p[i];
			v.r[i] -= alpha * v.q[i];
		}
		grid.sync();
		add_dot(v.r, v.r, &dots[2], grid);
		float beta = (float)(dots[2] / dots[0]);
		for (size_t i = first; i < ROWS; i += step)
			v.p[i] = v.r[i] + beta * v.p[i];
		grid.sync();
	}
}

static void fill(struct vectors *v)
{
	for (size_t i = 0; i < ROWS; i++) {
		v->x[i] = v->q[i] = 0;
		v->r[i] = v->p[i] = 1;
	}
	for (int i = 0; i < 2 * STEPS + 1; i++)
		v->dots[i] = 0;
}

static STAYS double solve_once(struct vectors *v, int blocks)
{
	void *words[] = { v };
	double start;

	fill(v);
	start = clock_seconds();
	TRY(cudaLaunchCooperativeKernel((const void *)solve_all, dim3(blocks),
					dim3(THREADS), words, 0, 0));
	TRY(cudaDeviceSynchronize());
	return clock_seconds() - start;
}

static int all_blocks(void)
{
	int per_processor, processors;

	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&per_processor, solve_all, THREADS, 0));
	TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
				   0));
	return per_processor * processors;
}

int main(void)
{
	double took, least = 1e9, sum = 0;
	struct vectors v;
	int blocks;

	need_gpus(1);
	TRY(cudaMallocManaged((void **)&v.x, ROWS * sizeof(float)));
	TRY(cudaMallocManaged((void **)&v.r, ROWS * sizeof(float)));
	TRY(cudaMallocManaged((void **)&v.p, ROWS * sizeof(float)));
	TRY(cudaMallocManaged((void **)&v.q, ROWS * sizeof(float)));
	TRY(cudaMallocManaged((void **)&v.dots,
			      (2 * STEPS + 1) * sizeof(double)));
	blocks = all_blocks();
	solve_once(&v, blocks);
	for (int i = 0; i < RUNS; i++) {
		took = solve_once(&v, blocks);
		sum += took;
		least = took < least ? took : least;
	}
	truth("kernel", "solve_all", "solve_once", "launches", RUNS + 1);
	measured("own", "solve_all", "solve_once", "mean", sum / RUNS);
	measured("own", "solve_all", "solve_once", "least", least);
	printf("it converges: %d\n", v.dots[2 * STEPS] < 1e-6 * ROWS);
	return 0;
}
