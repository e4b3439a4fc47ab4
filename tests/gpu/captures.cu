/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * captures.cu - a stream is captured for three seconds, in the mode in which no
 * thread may do anything that could change what is captured, while another
 * thread's kernels run, end, and are told of: a tool that asks for their
 * records meanwhile must not break the capture.  Then the graph is launched.
 */
#include <pthread.h>

#include "gpu.h"

#define STEPS    30
#define STEP_US  100000
#define LAUNCHES 5

SPIN_KERNEL(spin_captured)
SPIN_KERNEL(spin_beside)

static cudaStream_t captured, beside;
static cudaGraphExec_t graph;
static struct tally *from_graph, *from_beside;

/* While a stream is captured nothing is to be loaded. */
static void load_kernels(void)
{
	struct cudaFuncAttributes any;

	TRY(cudaFuncGetAttributes(&any, (const void *)spin_captured));
	TRY(cudaFuncGetAttributes(&any, (const void *)spin_beside));
}

/* Short ones that end soon, and one of two seconds that is not yet complete. */
static STAYS void launch_beside(void)
{
	for (int i = 0; i < STEPS; i++) {
		SPIN(spin_beside, i == STEPS / 3 ? 2000 * MS : MS, from_beside,
		     beside);
		usleep(STEP_US);
	}
	NO_TAIL_CALL();
}

static void *in_thread(void *unused)
{
	launch_beside();
	return unused;
}

static STAYS void capture_slowly(void)
{
	unsigned long long ns = MS, *spent = from_graph->spent;
	cudaGraph_t made;

	TRY(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < STEPS; i++) {
		LAUNCH(spin_captured, 1, 1, captured, &ns, &spent);
		usleep(STEP_US);
	}
	TRY(cudaStreamEndCapture(captured, &made));
	TRY(cudaGraphInstantiateWithFlags(&graph, made, 0));
	TRY(cudaGraphDestroy(made));
}

static STAYS void launch_graph(void)
{
	for (int i = 0; i < LAUNCHES; i++) {
		TRY(cudaGraphLaunch(graph, captured));
		from_graph->launches += STEPS;
	}
	TRY(cudaStreamSynchronize(captured));
}

int main(void)
{
	pthread_t thread;

	need_gpus(1);
	TRY(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
	from_graph = tally_new("spin_captured", "launch_graph");
	from_beside = tally_new("spin_beside", "launch_beside");
	load_kernels();
	if (pthread_create(&thread, NULL, in_thread, NULL))
		broken("pthread_create", "refused");
	capture_slowly();
	pthread_join(thread, NULL);
	launch_graph();
	TRY(cudaDeviceSynchronize());
	truth("captured", "spin_captured", "capture_slowly", "launches",
	      (double)from_graph->launches);
	tallies_say();
	return 0;
}
