/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-calls.h - what calls of CUDA do, by their names without a version: CUDA
 * names those of the runtime and of the driver alike.
 */
#ifndef BASE_GPU_CALLS_H
#define BASE_GPU_CALLS_H

#include <stdbool.h>
#include <string.h>

/* Behind "cuda" or "cu". */
static inline const char *gpu_call_verb(const char *name)
{
	if (strncmp(name, "cu", 2) != 0)
		return "";
	return name + (strncmp(name, "cuda", 4) != 0 ? 2 : 4);
}

static inline bool gpu_call_launches_graph(const char *name)
{
	return !strncmp(gpu_call_verb(name), "GraphLaunch", 11);
}

/* A kernel; host functions, which are launched too, are no work of GPUs. */
static inline bool gpu_call_launches_kernel(const char *name)
{
	const char *verb = gpu_call_verb(name);

	return !strncmp(verb, "Launch", 6) &&
	       strncmp(verb, "LaunchHostFunc", 14) != 0;
}

/* Of copies those that return when all is done. */
static inline bool gpu_call_waits(const char *name)
{
	static const char end[] = "Synchronize";
	const char *verb = gpu_call_verb(name);
	size_t length = strlen(verb);

	if (!strncmp(verb, "Memcpy", 6))
		return !strstr(verb, "Async");
	return length >= sizeof(end) - 1 &&
	       !strcmp(verb + length - (sizeof(end) - 1), end);
}

#endif
