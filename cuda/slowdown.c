/* SPDX-License-Identifier: BSD-3-Clause */
/* slowdown.c - see slowdown.h. */
#include "cuda/slowdown.h"

#include <time.h>

#include "collect/gpu-pcs.h"

enum {
	STRETCHES = 64, /* that are remembered: records come late */
	KEPT = 256,
};

/* Mutable: the last stretches; `until` of one that goes on is UINT64_MAX. */
static struct stretch {
	uint64_t _Atomic from, until; /* from 0: none */
	bool _Atomic sampled;
} stretches[STRETCHES];
static unsigned int latest;
static bool _Atomic any;

/* Mutable: by the kernel's name and how it was launched. */
static struct {
	struct region_name *name;
	struct live_compared sums;
} kept[KEPT];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void slowdown_begin(bool sampled)
{
	struct stretch *s = &stretches[++latest % STRETCHES];

	s->from = 0;
	s->until = UINT64_MAX;
	s->sampled = sampled;
	s->from = now();
	any = true;
}

void slowdown_end(void)
{
	struct stretch *s = &stretches[latest % STRETCHES];

	if (s->from && s->until == UINT64_MAX)
		s->until = now();
}

/* 0, not sampled; 1; -1: neither, or some of both. */
static int was_sampled(uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < STRETCHES; i++) {
		struct stretch *s = &stretches[i];
		uint64_t from = s->from;
		bool inside = from && start >= from && end <= s->until;
		bool sampled = s->sampled;

		if (inside && s->from == from)
			return sampled;
	}
	return -1;
}

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * 0x9e3779b97f4a7c15u;
	*hash ^= *hash >> 29;
}

static uint32_t launch_of(const CUpti_ActivityKernel9 *k)
{
	uint64_t hash = k->deviceId + 1;

	mix(&hash, (uint64_t)(uint32_t)k->gridX << 32 | (uint32_t)k->gridY);
	mix(&hash, (uint64_t)(uint32_t)k->gridZ << 32 | (uint32_t)k->blockX);
	mix(&hash, (uint64_t)(uint32_t)k->blockY << 32 | (uint32_t)k->blockZ);
	mix(&hash, (uint32_t)k->dynamicSharedMemory);
	return (uint32_t)(hash >> 32);
}

static void tell(size_t i)
{
	struct live_compared *sums = &kept[i].sums;

	if (kept[i].name && sums->count[0] + sums->count[1])
		copse_gpu_compared(kept[i].name, sums);
	*sums = (struct live_compared){ .launch = sums->launch };
}

void slowdown_tell(void)
{
	for (size_t i = 0; any && i < KEPT; i++)
		tell(i);
}

void slowdown_kernel(struct region_name *name, const CUpti_ActivityKernel9 *k,
		     uint64_t start, uint64_t end)
{
	int sampled =
		any && start && end > start ? was_sampled(start, end) : -1;
	uint64_t ns = end - start, hash;
	struct live_compared *to;
	uint32_t launch;
	size_t i;

	if (sampled < 0)
		return;
	launch = launch_of(k);
	hash = ((uintptr_t)name ^ launch) * 0x9e3779b97f4a7c15u;
	i = (size_t)(hash >> 32) % KEPT;
	to = &kept[i].sums;
	if (kept[i].name != name || to->launch != launch)
		tell(i);
	kept[i].name = name;
	to->launch = launch;
	to->count[sampled]++;
	to->ns[sampled] += ns;
	to->squares[sampled] += (double)ns * (double)ns;
}
