/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * graphs.cu - a CUDA graph that is captured in one function and launched in
 * another: four kernels, a memset and a copy, 25 times; and one that was made
 * node by node.
 */
#include "gpu.h"

#define LAUNCHES 25
#define BYTES    (4 * MIB)

SPIN_KERNEL(spin_node)
SPIN_KERNEL(spin_made)

static cudaStream_t stream;
static cudaGraphExec_t captured, made;
static char *host, *device;

/* While a stream is captured nothing is to be loaded. */
static void load_kernels(void)
{
	struct cudaFuncAttributes any;

	TRY(cudaFuncGetAttributes(&any, (const void *)spin_node));
	TRY(cudaFuncGetAttributes(&any, (const void *)spin_made));
}

/* What SPIN() counts is the capture: the launches come later. */
static STAYS void capture_graph(struct tally *t)
{
	cudaGraph_t graph;

	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 4; i++)
		SPIN(spin_node, MS / 4, t, stream);
	TRY(cudaMemsetAsync(device, 1, BYTES, stream));
	TRY(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost,
			    stream));
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiateWithFlags(&captured, graph, 0));
	TRY(cudaGraphDestroy(graph));
}

static STAYS void make_graph(struct tally *t)
{
	unsigned long long ns = MS / 4, *spent = t->spent;
	void *words[] = { &ns, &spent };
	struct cudaKernelNodeParams params = {};
	cudaGraphNode_t node;
	cudaGraph_t graph;

	params.func = (void *)spin_made;
	params.gridDim = dim3(1);
	params.blockDim = dim3(1);
	params.kernelParams = words;
	TRY(cudaGraphCreate(&graph, 0));
	TRY(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	TRY(cudaGraphInstantiateWithFlags(&made, graph, 0));
	TRY(cudaGraphDestroy(graph));
}

static STAYS void launch_graph(cudaGraphExec_t graph, struct tally *t,
			       int nodes)
{
	TRY(cudaGraphLaunch(graph, stream));
	t->launches += nodes;
}

int main(void)
{
	struct tally *from_capture, *from_nodes;

	need_gpus(1);
	TRY(cudaStreamCreate(&stream));
	TRY(cudaHostAlloc((void **)&host, BYTES, cudaHostAllocDefault));
	TRY(cudaMalloc((void **)&device, BYTES));
	from_capture = tally_new("spin_node", "launch_graph");
	from_nodes = tally_new("spin_made", "launch_graph");
	load_kernels();
	capture_graph(from_capture);
	make_graph(from_nodes);
	from_capture->launches = 0;
	for (int i = 0; i < LAUNCHES; i++) {
		launch_graph(captured, from_capture, 4);
		launch_graph(made, from_nodes, 1);
	}
	TRY(cudaStreamSynchronize(stream));
	printf("the last byte is %d\n", host[BYTES - 1]);
	tallies_say();
	truth("captured", "spin_node", "capture_graph", "launches",
	      4 * LAUNCHES);
	truth("transfer", "DtoH", "launch_graph", "bytes",
	      (double)LAUNCHES * BYTES);
	truth("transfer", "memset", "launch_graph", "bytes",
	      (double)LAUNCHES * BYTES);
	truth("api", "cudaGraphLaunch", "*", "calls", 2 * LAUNCHES);
	return 0;
}
