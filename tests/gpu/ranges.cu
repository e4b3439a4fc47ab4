/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges.cu - NVTX: nested ranges of the default domain and of one of its own,
 * a registered name, a range in another thread, and one that is no nested one
 * (start/end).  Kernels are launched in them, known numbers of them.
 */
#include <pthread.h>

#include "gpu.h"
#include <nvtx3/nvToolsExt.h>

SPIN_KERNEL(spin_ranged)

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t registered;
static struct tally *bare, *outer, *inner, *solve, *elsewhere, *across;

static STAYS void launch_in(struct tally *t, cudaStream_t stream)
{
	SPIN(spin_ranged, MS / 2, t, stream);
	TRY(cudaStreamSynchronize(stream));
}

static STAYS void nested(void)
{
	nvtxRangePushA("range_outer");
	launch_in(outer, 0);
	for (int i = 0; i < 2; i++) {
		nvtxRangePushA("range_inner");
		launch_in(inner, 0);
		nvtxRangePop();
	}
	nvtxRangePop();
}

static void push_in_domain(void)
{
	nvtxEventAttributes_t attributes = {};

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = registered;
	nvtxDomainRangePushEx(domain, &attributes);
}

/* Ranges of two domains may overlap in any way. */
static STAYS void two_domains(void)
{
	push_in_domain();
	nvtxRangePushA("range_beside");
	launch_in(solve, 0);
	nvtxDomainRangePop(domain);
	nvtxRangePop();
}

static STAYS void start_and_end(void)
{
	nvtxRangeId_t id = nvtxRangeStartA("range_across");

	launch_in(across, 0);
	nvtxRangeEnd(id);
}

static void *in_thread(void *unused)
{
	cudaStream_t stream;

	TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	nvtxRangePushA("range_thread");
	for (int i = 0; i < 5; i++)
		launch_in(elsewhere, stream);
	nvtxRangePop();
	return unused;
}

static void prepare(void)
{
	domain = nvtxDomainCreateA("physics");
	registered = nvtxDomainRegisterStringA(domain, "range_solve");
	bare = tally_new("spin_ranged", "bare");
	outer = tally_new("spin_ranged", "range_outer");
	inner = tally_new("spin_ranged", "range_inner");
	solve = tally_new("spin_ranged", "range_solve");
	elsewhere = tally_new("spin_ranged", "range_thread");
	across = tally_new("spin_ranged", "start_and_end");
}

int main(void)
{
	pthread_t thread;

	need_gpus(1);
	prepare();
	launch_in(bare, 0);
	for (int i = 0; i < 10; i++)
		nested();
	for (int i = 0; i < 3; i++)
		two_domains();
	start_and_end();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	/* The outer range has the inner one's launches on its paths too. */
	outer->launches += inner->launches;
	*outer->spent += *inner->spent;
	bare->path = "*";
	bare->launches += outer->launches + solve->launches +
			  elsewhere->launches + across->launches;
	*bare->spent += *outer->spent + *solve->spent + *elsewhere->spent +
			*across->spent;
	tallies_say();
	truth("range", "range_outer", "*", "calls", 10);
	truth("range", "range_inner", "*", "calls", 20);
	truth("range", "range_solve", "*", "calls", 3);
	truth("range", "range_thread", "*", "calls", 1);
	return 0;
}
