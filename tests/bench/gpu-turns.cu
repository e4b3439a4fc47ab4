/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-turns.cu WORK ROUNDS [CUPTI] - work of a GPU in short stretches: in each
 * round one with each way to use CUPTI (turns-cupti.c), in an order drawn anew.
 * Prints round, way and nanoseconds of one of
 *
 *   launch        a kernel that does nothing, launched from 15 frames below
 *                 main; of 500, which wait for none of them
 *   graph         a graph of 20 of these, one after the other; of 100
 *   stencil-SIZE  a step of tests/gpu/stencil.c on one rank, without MPI, of
 *                 a field of 4096, 8192 or 16384 each way; of 50, 20 or 5
 *
 * Without CUPTI, which is the library turns-cupti, there is one way, "plain".
 */
#include <dlfcn.h>
#include <string.h>

#include "../gpu/gpu.h"
#include "../gpu/stencil-kernels.cu"

#define DEPTH 15

#define TURNS 16

static void (*turn)(int);
static const char *names[TURNS] = { "plain" };
static int turns = 1;

static __global__ void nothing(void)
{
}

static void launch(void)
{
	TRY(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1), NULL, 0,
			     0));
}

static cudaGraphExec_t graph;

static void prepare_graph(void)
{
	cudaStream_t stream;
	cudaGraph_t made;

	TRY(cudaStreamCreate(&stream));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 20; i++)
		TRY(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1),
				     NULL, 0, stream));
	TRY(cudaStreamEndCapture(stream, &made));
	TRY(cudaGraphInstantiateWithFlags(&graph, made, 0));
}

static void launch_graph(void)
{
	TRY(cudaGraphLaunch(graph, 0));
}

static int size; /* of the field, each way */
static double *field[2], *edge[2];
static cudaStream_t inside, edges;

static void prepare_stencil(void)
{
	size_t bytes = (size_t)size * (size + 2) * sizeof(double);

	TRY(cudaStreamCreateWithFlags(&inside, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithFlags(&edges, cudaStreamNonBlocking));
	for (int i = 0; i < 2; i++) {
		TRY(cudaMalloc((void **)&field[i], bytes));
		TRY(cudaMemset(field[i], 0, bytes));
		TRY(cudaHostAlloc((void **)&edge[i], size * sizeof(double), 0));
	}
}

static void fetch(int i, const double *from)
{
	TRY(cudaMemcpyAsync(edge[i], from, size * sizeof(double),
			    cudaMemcpyDeviceToHost, edges));
}

static void step(void)
{
	double *now = field[0], *next = field[1];

	stencil_sweep(next, now, size, 1, 2, edges);
	stencil_sweep(next, now, size, size, size + 1, edges);
	stencil_sweep(next, now, size, 2, size, inside);
	fetch(0, next + size);
	fetch(1, next + (size_t)size * size);
	TRY(cudaStreamSynchronize(edges));
	TRY(cudaStreamSynchronize(edges));
	TRY(cudaStreamSynchronize(inside));
	field[0] = next;
	field[1] = now;
}

static const struct work {
	const char *name;
	void (*prepare)(void);
	void (*one)(void);
	int count, warm_up, size;
} works[] = {
	{ "launch", NULL, launch, 500, 100 }, /* 1024 wait for room */
	{ "graph", prepare_graph, launch_graph, 100, 20 },
	{ "stencil-4096", prepare_stencil, step, 50, 5, 4096 },
	{ "stencil-8192", prepare_stencil, step, 20, 2, 8192 },
	{ "stencil-16384", prepare_stencil, step, 5, 1, 16384 },
};

static STAYS double measured_ns(const struct work *w)
{
	double begun, taken;

	for (int i = 0; i < w->warm_up; i++)
		w->one();
	TRY(cudaDeviceSynchronize());
	begun = clock_seconds();
	for (int i = 0; i < w->count; i++)
		w->one();
	taken = clock_seconds() - begun;
	TRY(cudaDeviceSynchronize());
	return taken / w->count * 1e9;
}

static STAYS double fall(const struct work *w, int frames)
{
	double ns = frames > 1 ? fall(w, frames - 1) : measured_ns(w);

	NO_TAIL_CALL();
	return ns;
}

static void shuffle(int *order)
{
	for (int i = 0; i < turns; i++) {
		int j = (int)(random() % (i + 1));

		order[i] = order[j];
		order[j] = i;
	}
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	const char *(*name)(int);

	if (!library)
		broken(path, "not loaded: is it COPSE_CUPTI?");
	turn = (void (*)(int))dlsym(library, "turn");
	name = (const char *(*)(int))dlsym(library, "turn_name");
	for (turns = 0; turns < TURNS && name(turns); turns++)
		names[turns] = name(turns);
}

static const struct work *work_of(const char *name)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	broken(name, "no such work");
	return NULL;
}

static void one_round(const struct work *w, long round)
{
	int order[TURNS];

	shuffle(order);
	for (int i = 0; i < turns; i++) {
		if (turn)
			turn(order[i]);
		printf("%ld %s %.1f\n", round, turn ? names[order[i]] : "plain",
		       fall(w, DEPTH - 1));
	}
}

int main(int argc, char **argv)
{
	const struct work *w = work_of(argc > 1 ? argv[1] : "launch");
	long rounds = argc > 2 ? atol(argv[2]) : 300;

	need_gpus(1);
	size = w->size;
	if (w->prepare)
		w->prepare();
	TRY(cudaDeviceSynchronize());
	fall(w, DEPTH - 1);
	if (argc > 3)
		load(argv[3]);
	for (long round = 0; round < rounds; round++)
		one_round(w, round);
	return 0;
}
