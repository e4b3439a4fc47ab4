/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * streams.cu - two streams: kernels side by side and one after the other, and
 * copies that run all while a kernel does, or none.
 */
#include "gpu.h"

#define COPIES 8
#define BYTES  (32 * MIB)

SPIN_KERNEL(spin_one)
SPIN_KERNEL(spin_two)
SPIN_KERNEL(spin_cover)

static cudaStream_t one, two;
static cudaEvent_t before, after;
static void *host, *device;

/* Device time of the copies, by events of their own stream. */
static STAYS double copy_on(cudaStream_t stream)
{
	float ms;

	TRY(cudaEventRecord(before, stream));
	for (int i = 0; i < COPIES; i++)
		TRY(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice,
				    stream));
	TRY(cudaEventRecord(after, stream));
	TRY(cudaDeviceSynchronize());
	TRY(cudaEventElapsedTime(&ms, before, after));
	return ms * 1e-3;
}

static STAYS void side_by_side(struct tally *a, struct tally *b)
{
	SPIN(spin_one, 40 * MS, a, one);
	SPIN(spin_two, 40 * MS, b, two);
	TRY(cudaDeviceSynchronize());
}

static STAYS void in_turn(struct tally *a, struct tally *b)
{
	SPIN(spin_one, 20 * MS, a, one);
	TRY(cudaDeviceSynchronize());
	SPIN(spin_two, 20 * MS, b, two);
	TRY(cudaDeviceSynchronize());
}

/* The kernel is longer than the copies can be, even at 5 GB/s. */
static STAYS double copies_covered(struct tally *t)
{
	double took;

	SPIN(spin_cover, 80 * MS, t, one);
	took = copy_on(two);
	NO_TAIL_CALL();
	return took;
}

static STAYS double copies_alone(void)
{
	double took = copy_on(two);

	NO_TAIL_CALL();
	return took;
}

static void prepare(void)
{
	TRY(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	TRY(cudaEventCreate(&before));
	TRY(cudaEventCreate(&after));
	TRY(cudaHostAlloc(&host, BYTES, cudaHostAllocDefault));
	TRY(cudaMalloc(&device, BYTES));
}

/* Both at once take as long as the longer one. */
static double longer(const struct tally *a, const struct tally *b)
{
	return (double)(*a->spent > *b->spent ? *a->spent : *b->spent) * 1e-9;
}

int main(void)
{
	struct tally *side_one, *side_two, *turn_one, *turn_two, *cover;
	double covered, alone, busy;

	need_gpus(1);
	prepare();
	side_one = tally_new("spin_one", "side_by_side");
	side_two = tally_new("spin_two", "side_by_side");
	turn_one = tally_new("spin_one", "in_turn");
	turn_two = tally_new("spin_two", "in_turn");
	cover = tally_new("spin_cover", "copies_covered");
	in_turn(turn_one, turn_two); /* loads the kernels */
	side_by_side(side_one, side_two);
	covered = copies_covered(cover);
	alone = copies_alone();
	tallies_say();
	busy = longer(side_one, side_two) +
	       (double)(*turn_one->spent + *turn_two->spent + *cover->spent) *
		       1e-9;
	measured("transfer", "HtoD", "copies_covered", "time", covered);
	measured("transfer", "HtoD", "copies_alone", "time", alone);
	truth("transfer", "HtoD", "*", "bytes", 2.0 * COPIES * BYTES);
	measured("device", "0", "*", "busy", busy + alone);
	measured("device", "0", "*", "overlap", covered);
	return 0;
}
