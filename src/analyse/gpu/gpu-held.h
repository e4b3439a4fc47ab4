/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-held.h - memory of GPUs: what each kind, or each call path, allocated,
 * freed and left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"

struct held_row {
	uint32_t path;     /* by kind: the first of its paths */
	uint32_t function; /* string of the run: "[device memory]" */
	double allocations, allocated, frees, freed; /* and bytes */
	double at_peak, leaks, leaked, reset;        /* of what it allocated */
};

struct held {
	struct held_row *at; /* by leaked, at_peak, allocated: most first */
	size_t count;
	struct held_row total;
};

/* 0, or -ENOMEM with a reason. */
int gpu_held_init(struct held *held, const struct paths *paths, bool by_kind);
void gpu_held_fini(struct held *held);

/* "device" for "[device memory]"; the number of that kind, or its names. */
const char *gpu_held_kind(const char *name, uint32_t *kind);

/*
 * What was live on a holder in [from, to) of its process's time, ns, at most;
 * NAN: not known.
 */
double gpu_held_between(const struct run *run, size_t holder, uint64_t from,
			uint64_t to);
