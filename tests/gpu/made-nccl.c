/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-nccl.c KIND VERSION START - a rank of two with a made CUDA and a made
 * NCCL: it loads the profiler plugin as NCCL does, and announces each call
 * right after its launch. Five steps of 0.3 s from START on, in ns since 1970;
 * in each one all-reduce of 1,000,000 floats, whose kernels end together:
 *
 *   host   rank 1 launches 0.1 s late, since it works in load_batch()
 *   gpu    rank 1's kernel begins 0.08 s late, behind a kernel alpha
 *   even   none is late
 *   send   rank 0 sends to rank 1, which receives; it launches 0.1 s late,
 * since it works in load_batch() swap   each sends to the other and receives,
 * in one kernel; rank 1 is late begin  rank 1 launches a kernel alpha alone,
 * and sleeps skip   after three steps rank 1 launches nothing, and sleeps other
 * after three steps rank 1 gathers instead; nothing ends less   after three
 * steps rank 1 reduces 1,000 floats; nothing ends none   after three steps no
 * kernel ends
 *
 * VERSION, 2 to 5, is that of the plugin's interface.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "made-cuda.h"

#define KEPT __attribute__((noinline, noclone))
#define MS   1000000

struct called {
	uint64_t number;
	const char *function;
	const void *send, *receive;
	size_t count;
	int root;
	const char *type;
};

struct sent {
	const char *function;
	void *buffer;
	const char *type;
	size_t count;
	int peer;
};

/* As versions 4 and 5 have it; before, the communicator comes first. */
struct descriptor {
	uint64_t type;
	void *parent;
	int rank;
	union {
		struct called of;
		struct sent message;
		struct {
			const char *name;
			uint64_t comm;
			union {
				struct called of;
				struct sent message;
			};
		} before_4;
	};
};

struct plugin {
	const char *name;
	int (*init)();
	int (*begin)(void *context, void **event, struct descriptor *of);
	int (*end)(void *event);
	int (*record)(void *event, int state, void *arguments);
	int (*finalize)(void *context);
};

static const struct plugin *plugin;
static void *context;
static int rank, version;
static volatile int sink;

static void load_plugin(void)
{
	const char *path = getenv("NCCL_PROFILER_PLUGIN");
	void *lib = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	const uint64_t id = 0x123456789abcdef;
	char symbol[32];
	int mask = 0;

	snprintf(symbol, sizeof(symbol), "ncclProfiler_v%d", version);
	plugin = lib ? dlsym(lib, symbol) : NULL;
	if (!plugin)
		return;
	if (version < 4)
		plugin->init(&context, &mask);
	else if (version == 4)
		plugin->init(&context, &mask, "comm", id, 1, 2, rank, NULL);
	else
		plugin->init(&context, id, &mask, "comm", 1, 2, rank, NULL);
	if ((mask & 6) != 6)
		plugin = NULL;
}

static void announce(uint64_t number, const char *function, size_t count)
{
	const struct called of = { number, function, NULL,         NULL,
				   count,  0,        "ncclFloat32" };
	struct descriptor d = { .type = 2, .rank = rank, .of = of };
	void *event;

	if (version < 4) {
		d.before_4.comm = 0x123456789abcdef;
		d.before_4.of = of;
	}
	if (!plugin)
		return;
	plugin->begin(context, &event, &d);
	plugin->end(event);
}

static void announce_message(const char *function, size_t count)
{
	const struct sent message = { function, NULL, "ncclFloat32", count,
				      !rank };
	struct descriptor d = { .type = 4, .rank = rank, .message = message };
	void *event;

	if (version < 4) {
		d.before_4.comm = 0x123456789abcdef;
		d.before_4.message = message;
	}
	if (!plugin)
		return;
	plugin->begin(context, &event, &d);
	plugin->end(event);
}

static KEPT void exchange(bool sends, bool receives, uint64_t ns)
{
	made_cudaLaunchKernel("_Z21ncclDevKernel_SendRecv", 0, ns);
	if (sends)
		announce_message("Send", 1000000);
	if (receives)
		announce_message("Recv", 1000000);
}

static KEPT void all_reduce(uint64_t number, uint64_t ns)
{
	made_cudaLaunchKernel("_Z28ncclDevKernel_AllReduce_Sumv", 0, ns);
	announce(number, "AllReduce", 1000000);
}

static KEPT void all_gather(uint64_t number, uint64_t ns)
{
	made_cudaLaunchKernel("_Z23ncclDevKernel_AllGatherv", 0, ns);
	announce(number, "AllGather", 1000000);
}

static KEPT void reduce_less(uint64_t number, uint64_t ns)
{
	made_cudaLaunchKernel("_Z28ncclDevKernel_AllReduce_Sumv", 0, ns);
	announce(number, "AllReduce", 1000);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static KEPT void load_batch(uint64_t until)
{
	while (clock_ns(CLOCK_REALTIME) < until)
		sink++;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000),
			      (long)(ns % 1000000000) };

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

/* The last of it. */
static KEPT void never(const char *kind)
{
	if (rank == 1 && *kind == 'b')
		made_cudaLaunchKernel("_Z5alphaPfi", 0, MS);
	if (rank == 1 && strchr("bs", *kind))
		sleep_until(UINT64_MAX / 2);
	if (rank == 1 && !strcmp(kind, "other"))
		all_gather(0, MADE_ENDLESS);
	else if (rank == 1 && !strcmp(kind, "less"))
		reduce_less(3, MADE_ENDLESS);
	else
		all_reduce(3, MADE_ENDLESS);
	all_reduce(4, MADE_ENDLESS);
	made_cudaDeviceSynchronize(1000000000000u);
	sink++;
}

static bool is_endless(const char *kind)
{
	return strchr("boln", *kind) || !strcmp(kind, "skip");
}

static KEPT void step(const char *kind, uint64_t number, uint64_t at)
{
	bool sends = !strcmp(kind, "send"), swaps = !strcmp(kind, "swap");
	bool late = rank == (sends ? 0 : 1);

	if (number == (*kind == 'b' ? 0 : 3) && is_endless(kind))
		never(kind);
	if (sends || swaps) {
		if (late)
			load_batch(at + 100 * MS);
		exchange(swaps || rank == 0, swaps || rank == 1,
			 late ? 50 * MS : 150 * MS);
	} else if (*kind == 'e' || is_endless(kind)) {
		all_reduce(number, 50 * MS);
	} else if (!strcmp(kind, "host")) {
		if (late)
			load_batch(at + 100 * MS);
		all_reduce(number, late ? 50 * MS : 150 * MS);
	} else {
		if (late)
			made_cudaLaunchKernel("_Z5alphaPfi", 0, 80 * MS);
		all_reduce(number, late ? 50 * MS : 130 * MS);
	}
	made_cudaDeviceSynchronize(1);
}

int main(int argc, char **argv)
{
	uint64_t at;

	if (argc < 4)
		return 2;
	rank = atoi(getenv("RANK"));
	version = atoi(argv[2]);
	at = strtoull(argv[3], NULL, 10);
	load_plugin();
	for (uint64_t i = 0; i < 5; i++, at += 300 * MS) {
		sleep_until(at);
		step(argv[1], i, at);
	}
	sleep_until(at);
	if (plugin)
		plugin->finalize(context);
	return 0;
}
