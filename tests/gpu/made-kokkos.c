/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-kokkos.c - what Kokkos does with a tool (KOKKOS_TOOLS_LIBS) and CUDA:
 * kernels with labels and without one, a deep copy, a region.  It fails where
 * the tool would have it wait for each kernel.
 */
#include "made-cuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define TEMPLATE                                                               \
	"_ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryINS0_"              \
	"11ParallelForIZ4mainEUliE_NS_11RangePolicyIJNS_4CudaEEEES5_"          \
	"EEEEvT_"
#define MS UINT64_C(1000000)

struct space {
	char name[64];
};

struct tool_settings {
	bool fences;
	bool unused[255];
};

/* Mutable: the tool's functions. */
static struct {
	void (*request)(uint32_t count, struct tool_settings *settings);
	void (*begin)(const char *name, uint32_t device, uint64_t *number);
	void (*end)(uint64_t number);
	void (*push)(const char *name);
	void (*pop)(void);
	void (*copy)(struct space to, const char *to_name, const void *to_data,
		     struct space from, const char *from_name,
		     const void *from_data, uint64_t size);
	void (*copied)(void);
} tool;

static bool find_tool(void)
{
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	static const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "kokkosp_request_tool_settings", &tool.request },
		{ "kokkosp_begin_parallel_for", &tool.begin },
		{ "kokkosp_end_parallel_for", &tool.end },
		{ "kokkosp_push_profile_region", &tool.push },
		{ "kokkosp_pop_profile_region", &tool.pop },
		{ "kokkosp_begin_deep_copy", &tool.copy },
		{ "kokkosp_end_deep_copy", &tool.copied },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *at = library ? dlsym(library, functions[i].name) : NULL;

		if (!at)
			return false;
		memcpy(functions[i].to, &at, sizeof(at));
	}
	return true;
}

NOINLINE static void parallel_for(const char *label, uint64_t ms)
{
	uint64_t number = 0;

	tool.begin(label, 0, &number);
	made_cudaLaunchKernel(TEMPLATE, 0, ms * MS);
	tool.end(number);
}

int main(void)
{
	const struct space device = { "Cuda" }, host = { "Host" };
	struct tool_settings settings = { .fences = true };

	if (!find_tool())
		return 3;
	tool.request(1, &settings);
	if (settings.fences)
		return 4;
	tool.push("timestep");
	parallel_for("Atoms::force", 20);
	parallel_for("Z4mainEUliE_", 10);
	tool.copy(host, "mirror", NULL, device, "positions", NULL, 4096);
	made_cudaMemcpyAsync(MADE_FROM, 4096, 5 * MS);
	tool.copied();
	tool.pop();
	made_cudaLaunchKernel("_Z5alphaPfi", 0, 7 * MS);
	made_cudaDeviceSynchronize(0);
	made_told();
	return 0;
}
