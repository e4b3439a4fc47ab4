/* SPDX-License-Identifier: BSD-3-Clause */
/* awaited-work.h - calls that wait for GPUs, and for which of their work. */
#pragma once

#include "analyse/gpu/gpu-work.h"

/* Of one call path and line, and one kernel or copy that it waited for. */
struct awaited_work {
	uint32_t path, owner; /* of the call, the program's function; or 0 */
	uint32_t node;        /* with the line of that; 0: not known */
	uint32_t name; /* string of the run; 0: for nothing, or not known */
	double calls, seconds; /* of that path and line */
	double waited;         /* for that work */
};

struct awaited_works {
	struct awaited_work *at; /* by seconds of the call, then waited */
	size_t count;
};

/* 0, or -ENOMEM with a reason. */
int awaited_works_init(struct awaited_works *to, const struct paths *paths);
void awaited_works_fini(struct awaited_works *works);

/* The table `waits`, when there are such calls. */
void awaited_works_table(struct report *report, const struct paths *paths,
			 const struct awaited_works *works, size_t limit);

/*
 * "waits for the GPU in cudaStreamSynchronize ← item, train.py:22, 300 times,
 * 240 ms, mostly for reduce"; "": nowhere.  To be freed, NULL: no memory.
 */
char *awaited_works_text(const struct paths *paths,
			 const struct awaited_works *works);
