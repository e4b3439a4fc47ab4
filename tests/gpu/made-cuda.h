/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-cuda.h - a made CUDA, for machines without a GPU: functions of the
 * runtime's and the driver's names, a device that does nothing but take the
 * time that it is told, and CUPTI's functions, which tell about it.
 *
 * All is made, not captured: it shows that the adapter counts what it is told,
 * and not that NVIDIA's libraries tell it so.
 *
 * MADE_FAULT: subscriber, old, drop, silent, reversed, hang; and bare:
 * callbacks come through code without unwind information, as a driver's may.
 */
#ifndef TESTS_GPU_MADE_CUDA_H
#define TESTS_GPU_MADE_CUDA_H

#include <stdint.h>

enum made_copy {
	MADE_TO = 1,
	MADE_FROM = 2,
	MADE_WITHIN = 8
};

/* All take their time on the device, in ns, and return 0 or an error. */
int made_cudaLaunchKernel(const char *kernel, unsigned int stream, uint64_t ns);
int made_cuLaunchKernel(const char *kernel, unsigned int stream, uint64_t ns);
int made_cudaGraphLaunch(unsigned int stream, uint64_t ns);
int made_capture(const char *kernel); /* a launch into the one graph */
int made_cudaGraphInstantiate(void);
int made_cudaMemcpyAsync(enum made_copy kind, uint64_t bytes, uint64_t ns);
int made_cudaMemsetAsync(uint64_t bytes, uint64_t ns);
int made_cudaMalloc(uint64_t bytes); /* of more than 1 TB fails with error 2 */
int made_cudaDeviceSynchronize(uint64_t ns); /* waits as long, in truth */
int made_cudaStreamQuery(void);              /* error 600, which is none */
int made_cudaProfilerStart(void);
int made_cudaProfilerStop(void);
int made_cudaDeviceReset(void);

/*
 * Plays a capture (cuda/capture.h), all of it in the calling thread: each call
 * is made from site(i, …), i being the number of its site in the order of the
 * file, and the records come as they came.  Prints what GPUs did, as folded
 * stacks by site, with mangled names, in microseconds.  0, or 1: it is none.
 */
#define MADE_SITES 64
int made_play(const char *path,
	      void (*site)(unsigned int i, void (*go)(void *), void *arg));

#endif
