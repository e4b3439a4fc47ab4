/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-cuda.h - a made CUDA, for machines without a GPU: functions of the
 * runtime's and the driver's names, a device that does nothing but take the
 * time that it is told, and CUPTI's functions, which tell about it.
 *
 * As NVIDIA's, CUPTI has one subscriber, and one pair of functions for its
 * buffers: the last one that was given.
 *
 * All is made, not captured: it shows that the adapter counts what it is told,
 * and not that NVIDIA's libraries tell it so.
 *
 * The device is an H100's: its limits are those of compute capability 9.0.
 *
 * MADE_FAULT: unified (its counters are refused), disorder (records of memory
 * come in turns of four, the last one first), slow (memory takes 1 ms to get or
 * give back); subscriber, old, drop, silent,
 * reversed, hang, nodevices; of samples forbidden, busy, unsupported, overflow
 * and dropped (7 samples, and 5 in kernels that are not the program's); and
 * bare: callbacks come through code without unwind information, as a driver's
 * may.
 *
 * MADE_LAUNCH is the time in ns that a launch of a kernel takes the host; of a
 * graph, twice as much.  MADE_QUEUE is the time in ns of which a stream's queue
 * has room for: a launch returns when the work before its end takes no longer.
 *
 * MADE_LOG names a file to which is added what happened, in ns, on the clock of
 * records: `call NAME ID BEFORE AFTER`, when CUPTI's subscriber was told of a
 * call, and `work kernel|copy|set|graph ID START END` on the device.
 */
#pragma once

#include <stdint.h>

enum made_copy {
	MADE_TO = 1,
	MADE_FROM = 2,
	MADE_WITHIN = 8
};

#define MADE_ENDLESS UINT64_MAX /* of a kernel */

/* For what the calling thread asks for from now on; there are two. */
int made_cudaSetDevice(unsigned int which);

/* All take their time on the device, in ns, and return 0 or an error. */
int made_cudaLaunchKernel(const char *kernel, unsigned int stream, uint64_t ns);
int made_cuLaunchKernel(const char *kernel, unsigned int stream, uint64_t ns);
int made_cudaGraphLaunch(unsigned int stream, uint64_t ns);
int made_capture(const char *kernel); /* a launch into the one graph */
int made_cudaGraphInstantiate(void);
int made_cudaMemcpyAsync(enum made_copy kind, uint64_t bytes, uint64_t ns);
int made_cudaMemsetAsync(uint64_t bytes, uint64_t ns);
int made_cudaDeviceSynchronize(uint64_t ns); /* waits as long, in truth */
int made_cudaStreamSynchronize(unsigned int stream); /* until it is done */
/* On stream 0, behind all others; returns when it is done. */
int made_cudaMemcpy(enum made_copy kind, uint64_t bytes, uint64_t ns);
int made_cudaStreamQuery(void); /* error 600, which is none */
int made_cudaProfilerStart(void);
int made_cudaProfilerStop(void);
int made_cudaDeviceReset(void);

/*
 * made-worker.c: a thread that the first call starts launches so many kernels;
 * the caller waits for it.  And one that launches a kernel each 0.1 ms.
 */
void made_by_worker(const char *kernel, unsigned int count);
void made_beside(const char *kernel);

/* How the thread's next kernels are launched. */
struct made_shape {
	int grid[3], block[3];
	int registers, static_shared, dynamic_shared, local;
};
void made_next_shape(const struct made_shape *like);

/*
 * Memory: an address is used again as soon as it is free.  0: of more than 1 TB
 * fails with error 2.
 */
uint64_t made_cudaMalloc(uint64_t bytes);
uint64_t made_cudaMallocManaged(uint64_t bytes);
uint64_t made_cudaHostAlloc(uint64_t bytes);
uint64_t made_cudaMallocAsync(uint64_t bytes);
int made_cudaFree(uint64_t address);
int made_cudaFreeHost(uint64_t address);
int made_cudaFreeAsync(uint64_t address);

/*
 * Unified memory moves, if its counters are on: 3 times bytes to the device, 2
 * times from it; 4 groups of faults of the GPU, 5 faults of the host.
 */
void made_migrate(uint64_t bytes);

/*
 * Samples of kernels, where they are asked for.  A module is the file, an ELF;
 * its checksum, or 0: there is none.  So many samples of a function's
 * instruction, that waited for what made_reason() has that name; CUPTI tells
 * them when it is asked, 16 at once, two of its threads' spans later or more.
 * To stop sampling but where a context is destroyed ends the program.
 */
uint64_t made_module(const char *path);
uint32_t made_reason(const char *name);
void made_sample(uint64_t module, const char *function, uint32_t symbol,
		 uint64_t pc, uint32_t reason, uint32_t samples);

/* Waits until CUPTI was asked once more, and all samples are told. */
void made_answered(void);

/* Waits until all records were told: CUPTI is asked for them each second. */
void made_told(void);

/* How often CUPTI was asked for records. */
uint64_t made_asked(void);

/* A second context on the device; to sample both ends the program. */
void made_context_beside(void);

/*
 * Plays a capture (capture.h), all of it in the calling thread: each call
 * is made from site(i, …), i being the number of its site in the order of the
 * file, and the records come as they came.  Prints what GPUs did, as folded
 * stacks by site, with mangled names, in microseconds.  0, or 1: it is none.
 */
#define MADE_SITES 64
int made_play(const char *path,
	      void (*site)(unsigned int i, void (*go)(void *), void *arg));
