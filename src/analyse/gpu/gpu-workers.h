/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-workers.h - processes that a process with GPUs began and that have none
 * themselves, such as those that load a framework's data.
 */
#pragma once

#include "analyse/paths/paths.h"

struct gpu_workers {
	size_t count;        /* 0: there are none */
	double cpu, elapsed; /* seconds, of all of them */
	const char *role;    /* what the one with most does, or "" */
	uint32_t path;  /* the path of theirs with most time; 0: not known */
	uint32_t node;  /* of the run, with the line of that */
	double at_path; /* of their time */
};

/* 0, or -errno with a reason. */
int gpu_workers_of(struct gpu_workers *to, const struct paths *paths);

/*
 * "its 2 workers (load) computed for 3.10 s, most of it in augment
 * (loader.py:12)"; "": there are none.  To be freed, NULL: no memory.
 */
char *gpu_workers_text(const struct gpu_workers *workers,
		       const struct paths *paths);
