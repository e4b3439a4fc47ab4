/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allocs.cu - memory of each kind with a known peak, and leaks from known
 * paths.
 */
#include "gpu.h"

/* What the program holds now of a kind, and held at most. */
struct held {
	const char *kind;
	size_t now, peak;
};

static struct held device_memory = { "device", 0, 0 };
static struct held managed_memory = { "managed", 0, 0 };
static struct held pinned_memory = { "pinned", 0, 0 };
static struct held pool_memory = { "pool", 0, 0 };

static void hold(struct held *h, size_t bytes)
{
	h->now += bytes;
	h->peak = h->now > h->peak ? h->now : h->peak;
}

static STAYS void *grow(void)
{
	void *p;

	TRY(cudaMalloc(&p, 1 * MIB));
	hold(&device_memory, 1 * MIB);
	return p;
}

static void drop(void *p, size_t bytes)
{
	TRY(cudaFree(p));
	device_memory.now -= bytes;
}

/* The peak is here, for a moment. */
static STAYS void burst(void)
{
	void *p;

	TRY(cudaMalloc(&p, 64 * MIB));
	hold(&device_memory, 64 * MIB);
	drop(p, 64 * MIB);
}

static STAYS void forget(void)
{
	void *p;

	for (int i = 0; i < 3; i++) {
		TRY(cudaMalloc(&p, 2 * MIB));
		hold(&device_memory, 2 * MIB);
	}
}

static STAYS void forget_managed(void)
{
	void *p;

	TRY(cudaMallocManaged(&p, 4 * MIB));
	hold(&managed_memory, 4 * MIB);
}

static STAYS void lock_and_free(void)
{
	void *p;

	TRY(cudaHostAlloc(&p, 8 * MIB, cudaHostAllocDefault));
	hold(&pinned_memory, 8 * MIB);
	TRY(cudaFreeHost(p));
	pinned_memory.now -= 8 * MIB;
}

static STAYS void from_pool(void)
{
	void *p;

	for (int i = 0; i < 10; i++) {
		TRY(cudaMallocAsync(&p, 16 * MIB, 0));
		hold(&pool_memory, 16 * MIB);
		TRY(cudaFreeAsync(p, 0));
		pool_memory.now -= 16 * MIB;
	}
	TRY(cudaStreamSynchronize(0));
}

static void say(const struct held *h)
{
	truth("memory", h->kind, "*", "peak", (double)h->peak);
	truth("memory", h->kind, "*", "leaked", (double)h->now);
}

static void say_all(void)
{
	say(&device_memory);
	say(&managed_memory);
	say(&pinned_memory);
	say(&pool_memory);
	truth("memory", "device", "forget", "leaked", 6.0 * MIB);
	truth("memory", "device", "grow", "leaked", 0);
	truth("memory", "managed", "forget_managed", "leaked", 4.0 * MIB);
	truth("memory", "device", "grow", "allocations", 10);
	truth("memory", "device", "burst", "bytes", 64.0 * MIB);
	truth("memory", "pool", "from_pool", "allocations", 10);
	truth("api", "cudaMalloc", "*", "calls", 10 + 1 + 3);
	truth("api", "cudaFree", "*", "calls", 10 + 1);
}

int main(void)
{
	void *held[10];

	need_gpus(1);
	for (int i = 0; i < 10; i++)
		held[i] = grow();
	burst();
	forget();
	for (int i = 0; i < 10; i++)
		drop(held[i], 1 * MIB);
	forget_managed();
	lock_and_free();
	from_pool();
	say_all();
	return 0;
}
