/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-calls.h - what a CUDA function does, judged by its name without the
 * version.  The runtime and the driver name their functions alike.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

/* The name after "cuda" or "cu". */
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

/* Of a kernel.  A host function is launched too, but is no work of a GPU. */
static inline bool gpu_call_launches_kernel(const char *name)
{
	const char *verb = gpu_call_verb(name);

	return !strncmp(verb, "Launch", 6) &&
	       strncmp(verb, "LaunchHostFunc", 14) != 0;
}

/* Whether it returns only when the GPU is done; some copies do, too. */
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

/*
 * Whether it may turn out to have waited: where its queue was full, or, of a
 * copy, the host's memory was pageable.
 */
static inline bool gpu_call_may_wait(const char *name)
{
	const char *verb = gpu_call_verb(name);

	return !gpu_call_waits(name) &&
	       (gpu_call_launches_kernel(name) ||
		gpu_call_launches_graph(name) || !strncmp(verb, "Memcpy", 6) ||
		!strncmp(verb, "Memset", 6));
}

/*
 * Whether such an error lost work, or memory that was wanted.  Else it answers
 * a question, as those of NCCL and XLA: may I do this, is that there?  error:
 * its number; from 700 to 719 the device is lost, but for what is already so.
 */
static inline bool gpu_call_lost_work(const char *name, int error)
{
	static const char *const verbs[] = { "Memcpy",    "Memset",
					     "Malloc",    "MemAlloc",
					     "HostAlloc", "MemHostAlloc" };
	static const int known[] = { 704, 705, 708, 711, 712, 713 };
	const char *verb = gpu_call_verb(name);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (error == known[i])
			return false;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strncmp(verb, verbs[i], strlen(verbs[i])))
			return true;
	return (error >= 700 && error < 720) || gpu_call_waits(name) ||
	       gpu_call_launches_kernel(name) || gpu_call_launches_graph(name);
}
