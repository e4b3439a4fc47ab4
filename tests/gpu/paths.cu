/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * paths.cu - known kernels from known call paths, so many times, with waits of
 * known length; and one that has to queue behind another.
 */
#include "gpu.h"

SPIN_KERNEL(spin_short)
SPIN_KERNEL(spin_long)
SPIN_KERNEL(spin_last)

static struct tally *short_a, *long_a, *short_b, *deep, *first, *last;
static double waited;
static int waits;

static STAYS void wait_here(void)
{
	double start = clock_seconds();

	TRY(cudaDeviceSynchronize());
	waited += clock_seconds() - start;
	waits++;
}

/* One function, two callers: the path tells them apart. */
static STAYS void common(struct tally *t)
{
	SPIN(spin_short, MS / 2, t, 0);
	NO_TAIL_CALL();
}

static STAYS void step_a(void)
{
	for (int i = 0; i < 3; i++)
		common(short_a);
	SPIN(spin_long, 2 * MS, long_a, 0);
	NO_TAIL_CALL();
}

static STAYS void step_b(void)
{
	common(short_b);
	NO_TAIL_CALL();
}

static STAYS void recurse(int depth)
{
	if (depth > 0)
		recurse(depth - 1);
	else
		SPIN(spin_long, MS, deep, 0);
	NO_TAIL_CALL();
}

static STAYS void queue_behind(void)
{
	SPIN(spin_long, 50 * MS, first, 0);
	SPIN(spin_last, MS, last, 0);
	wait_here();
	/* It waited for what came before it, and no longer. */
	measured("kernel", "spin_last", "queue_behind", "queue",
		 (double)*first->spent * 1e-9);
}

int main(void)
{
	need_gpus(1);
	short_a = tally_new("spin_short", "step_a");
	long_a = tally_new("spin_long", "step_a");
	short_b = tally_new("spin_short", "step_b");
	deep = tally_new("spin_long", "recurse");
	first = tally_new("spin_long", "queue_behind");
	last = tally_new("spin_last", "queue_behind");
	for (int i = 0; i < 20; i++) {
		step_a();
		if (i % 2)
			step_b();
		wait_here();
	}
	for (int i = 0; i < 5; i++)
		recurse(20);
	wait_here();
	queue_behind();
	tallies_and_calls_say();
	truth("api", "cudaDeviceSynchronize", "*", "calls", waits);
	measured("api", "cudaDeviceSynchronize", "*", "time", waited);
	return 0;
}
