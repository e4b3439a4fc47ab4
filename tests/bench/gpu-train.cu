/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-train.cu STEPS - training steps of a net of eight layers on random data,
 * without a framework: cuBLAS for the products, small kernels for the rest,
 * some sixty launches a step.  Microseconds per step, and the first weight as a
 * result.
 */
#include <cublas_v2.h>

#include "../gpu/gpu.h"

#define LAYERS 8
#define WIDTH  1024
#define BATCH  256

static cublasHandle_t blas;
static float *weights[LAYERS], *gradients[LAYERS], *values[LAYERS + 1];
static float *errors[LAYERS + 1];

static unsigned int blocks(size_t count)
{
	return (unsigned int)((count + 255) / 256);
}

static __global__ void rectify(float *x, size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count && x[i] < 0)
		x[i] = 0;
}

static __global__ void pass_back(float *error, const float *x, size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count && x[i] <= 0)
		error[i] = 0;
}

static __global__ void differ(float *error, const float *is, const float *want,
			      size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		error[i] = (is[i] - want[i]) / count;
}

static __global__ void descend(float *weight, const float *gradient,
			       size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		weight[i] -= 0.01f * gradient[i];
}

static __global__ void randomize(float *x, size_t count, float scale,
				 unsigned int seed)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int r = (unsigned int)i * 2654435761u + seed;

	r ^= r >> 16;
	r *= 2246822519u;
	r ^= r >> 13;
	if (i < count)
		x[i] = ((float)(r & 0xffff) / 32768.0f - 1.0f) * scale;
}

/* c = a b, of which either may be transposed; row after row as cuBLAS has it.
 */
static void multiply(float *c, const float *a, cublasOperation_t of_a, int rows,
		     const float *b, cublasOperation_t of_b, int columns,
		     int inner)
{
	const float one = 1, zero = 0;

	if (cublasSgemm(blas, of_a, of_b, rows, columns, inner, &one, a,
			of_a == CUBLAS_OP_N ? rows : inner, b,
			of_b == CUBLAS_OP_N ? inner : columns, &zero, c, rows))
		broken("cublasSgemm", "failed");
}

static STAYS void forward(void)
{
	for (int i = 0; i < LAYERS; i++) {
		multiply(values[i + 1], weights[i], CUBLAS_OP_N, WIDTH,
			 values[i], CUBLAS_OP_N, BATCH, WIDTH);
		rectify<<<blocks(WIDTH * BATCH), 256>>>(values[i + 1],
							WIDTH * BATCH);
	}
}

static STAYS void backward(const float *target)
{
	size_t count = WIDTH * BATCH;

	differ<<<blocks(count), 256>>>(errors[LAYERS], values[LAYERS], target,
				       count);
	for (int i = LAYERS - 1; i >= 0; i--) {
		pass_back<<<blocks(count), 256>>>(errors[i + 1], values[i + 1],
						  count);
		multiply(gradients[i], errors[i + 1], CUBLAS_OP_N, WIDTH,
			 values[i], CUBLAS_OP_T, WIDTH, BATCH);
		multiply(errors[i], weights[i], CUBLAS_OP_T, WIDTH,
			 errors[i + 1], CUBLAS_OP_N, BATCH, WIDTH);
	}
}

static STAYS void update(void)
{
	for (int i = 0; i < LAYERS; i++)
		descend<<<blocks(WIDTH * WIDTH), 256>>>(
			weights[i], gradients[i], WIDTH * WIDTH);
}

static float *random_field(size_t count, float scale, unsigned int seed)
{
	float *x;

	TRY(cudaMalloc((void **)&x, count * sizeof(*x)));
	randomize<<<blocks(count), 256>>>(x, count, scale, seed);
	return x;
}

static void prepare(void)
{
	if (cublasCreate(&blas))
		broken("cublasCreate", "failed");
	for (unsigned int i = 0; i <= LAYERS; i++) {
		values[i] = random_field(WIDTH * BATCH, 1, i);
		errors[i] = random_field(WIDTH * BATCH, 0, i);
		if (i == LAYERS)
			break;
		weights[i] = random_field(WIDTH * WIDTH, 0.05f, 100 + i);
		gradients[i] = random_field(WIDTH * WIDTH, 0, i);
	}
}

static STAYS void train(int steps, const float *target)
{
	for (int i = 0; i < steps; i++) {
		forward();
		backward(target);
		update();
	}
	TRY(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 500;
	float *target, weight;
	double start;

	need_gpus(1);
	prepare();
	target = random_field(WIDTH * BATCH, 1, 1000);
	train(steps / 10 + 5, target);
	start = clock_seconds();
	train(steps, target);
	measured("own", "step", "*", "us",
		 (clock_seconds() - start) / steps * 1e6);
	TRY(cudaGetLastError());
	TRY(cudaMemcpy(&weight, weights[0], sizeof(weight),
		       cudaMemcpyDeviceToHost));
	printf("weight %.6f\n", weight);
	return 0;
}
