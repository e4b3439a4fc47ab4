/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-host.c - programs whose GPU waits for their host, of a made CUDA, and
 * the same with each step's kernels in a graph: `made-host KIND [graph]` prints
 * the seconds of its steps, as `steps COUNT SECONDS`.  A graph's kernels are 1
 * us apart.
 */
#include "made-cuda.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define US       ((uint64_t)1000)
#define MS       ((uint64_t)1000000)

enum {
	STEPS = 200,
};

void frame_operate(const char *kernel, uint64_t host, uint64_t gpu);

static volatile int sink;

static inline __attribute__((always_inline)) uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline __attribute__((always_inline)) void spin(uint64_t ns)
{
	uint64_t until = clock_ns() + ns;

	while (clock_ns() < until)
		sink++;
}

NOINLINE static void prepare(uint64_t ns)
{
	spin(ns);
	sink++;
}

static const char alpha[] = "_Z5alphaPfi", beta[] = "_Z4betaPf";

/* So many kernels of that time, or a graph of them. */
static inline __attribute__((always_inline)) void launch(const char *kernel,
							 bool graph,
							 unsigned int stream,
							 int count, uint64_t ns)
{
	if (graph) {
		made_cudaGraphLaunch(stream, (uint64_t)count * (ns + US));
		return;
	}
	for (int i = 0; i < count; i++)
		made_cudaLaunchKernel(kernel, stream, ns);
}

/* Many short kernels, whose end is waited for. */
NOINLINE static void small(bool graph)
{
	launch(alpha, graph, 1, 100, 2 * US);
	made_cudaStreamSynchronize(1);
	sink++; /* no tail call */
}

/* The same without waiting. */
NOINLINE static void ahead(bool graph)
{
	launch(alpha, graph, 1, 60, 2 * US);
	launch(beta, graph, 1, 60, 3 * US);
}

/* What the program computes before stays. */
NOINLINE static void between(bool graph)
{
	prepare(MS);
	launch(alpha, graph, 1, 150, 2 * US);
	made_cudaStreamSynchronize(1);
	sink++; /* no tail call */
}

/* The same, in time for the GPU. */
NOINLINE static void beside(bool graph)
{
	launch(alpha, graph, 1, 150, 2 * US);
	prepare(MS);
}

/* A value of the result five times a step. */
NOINLINE static void items(bool graph)
{
	for (int i = 0; i < 5; i++) {
		launch(i ? beta : alpha, graph, 1, 40, 2 * US);
		made_cudaMemcpy(MADE_FROM, 8, 2 * US);
	}
}

/* What comes and goes over the link stays. */
NOINLINE static void copies(bool graph)
{
	made_cudaMemcpyAsync(MADE_TO, 4000000, 200 * US);
	launch(alpha, graph, 0, 100, 2 * US);
	made_cudaMemcpy(MADE_FROM, 2000000, 100 * US);
	sink++;
}

NOINLINE static void streams(bool graph)
{
	launch(alpha, graph, 1, 60, 3 * US);
	launch(beta, graph, 2, 60, 3 * US);
	made_cudaStreamSynchronize(1);
	made_cudaStreamSynchronize(2);
	sink++;
}

/* Nothing to be gained: kernels take longer than their launches. */
NOINLINE static void large(bool graph)
{
	launch(alpha, graph, 1, 20, 200 * US);
	made_cudaStreamSynchronize(1);
	sink++; /* no tail call */
}

/* Where the queue is full, a launch waits. */
NOINLINE static void full(bool graph)
{
	launch(beta, graph, 1, 40, 60 * US);
	sink++;
}

/* A large kernel, and many short ones behind it. */
NOINLINE static void mixed(bool graph)
{
	launch(beta, graph, 1, 1, 500 * US);
	made_cudaStreamSynchronize(1);
	launch(alpha, graph, 1, 250, 2 * US);
	made_cudaStreamSynchronize(1);
	sink++; /* no tail call */
}

/* Most of it is on its way to the launches, in a library. */
NOINLINE static void framework(bool graph)
{
	if (graph)
		launch(alpha, true, 1, 100, 4 * US);
	else
		for (int i = 0; i < 100; i++)
			frame_operate(alpha, 12 * US, 4 * US);
	made_cudaStreamSynchronize(1);
	sink++; /* no tail call */
}

/*
 * What the model had not seen: these were written when it was done.
 */

/* Memory of its own for each step, which no graph has. */
NOINLINE static void scratch(bool graph)
{
	uint64_t block = made_cudaMalloc(1 << 20);

	spin(100 * US); /* as cudaMalloc() does */
	launch(alpha, graph, 1, 80, 3 * US);
	made_cudaFree(block);
	made_cudaStreamSynchronize(1);
	sink++;
}

/* A loop in the step: five solver iterations, each with its norm. */
NOINLINE static void solver(bool graph)
{
	prepare(200 * US);
	for (int i = 0; i < 5; i++) {
		launch(beta, graph, 1, 30, 5 * US);
		made_cudaMemcpy(MADE_FROM, 8, 2 * US);
		prepare(20 * US);
	}
}

static void *run_back(void *graph)
{
	launch(beta, *(bool *)graph, 1, 80, 3 * US);
	return NULL;
}

/* A thread of its own launches the second half, as a backward pass. */
NOINLINE static void threads(bool graph)
{
	pthread_t thread;

	launch(alpha, graph, 1, 80, 3 * US);
	pthread_create(&thread, NULL, run_back, &graph);
	pthread_join(thread, NULL);
	made_cudaStreamSynchronize(1);
	sink++;
}

/* Every tenth step another program of kernels, and its result. */
NOINLINE static void validate(bool graph)
{
	static int step;

	launch(alpha, graph, 1, 120, 3 * US);
	made_cudaStreamSynchronize(1);
	if (step++ % 10)
		return;
	launch(beta, graph, 2, 200, 3 * US);
	made_cudaMemcpy(MADE_FROM, 4000, 5 * US);
	prepare(MS);
}

static const struct {
	const char *kind;
	void (*step)(bool graph);
} kinds[] = {
	{ "small", small },       { "ahead", ahead },
	{ "between", between },   { "beside", beside },
	{ "items", items },       { "copies", copies },
	{ "streams", streams },   { "large", large },
	{ "mixed", mixed },       { "framework", framework },
	{ "scratch", scratch },   { "solver", solver },
	{ "full", full },         { "threads", threads },
	{ "validate", validate },
};

int main(int argc, char **argv)
{
	bool graph = argc > 2 && !strcmp(argv[2], "graph");
	uint64_t begin;

	launch(alpha, graph, 1, 1, US); /* CUDA begins */
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].kind)) {
			begin = clock_ns();
			for (int step = 0; step < STEPS; step++)
				kinds[i].step(graph);
			made_cudaStreamSynchronize(1);
			printf("steps %d %.6f\n", STEPS,
			       (double)(clock_ns() - begin) / 1e9);
			return 0;
		}
	return 2;
}
