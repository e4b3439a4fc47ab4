/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel-counters.h - what the hardware's counters say of kernels: by name, by
 * launch path, or by range.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"

/* Each is a metric METRIC_GPU_ID. */
#define KERNEL_USES(USE)                                                       \
	USE(SM_ACTIVE)                                                         \
	USE(WARPS)                                                             \
	USE(TENSOR)                                                            \
	USE(DRAM)                                                              \
	USE(DRAM_READ)                                                         \
	USE(DRAM_WRITTEN)                                                      \
	USE(ISSUED)                                                            \
	USE(FP32)                                                              \
	USE(FP64)                                                              \
	USE(PCIE_RECEIVED)                                                     \
	USE(PCIE_SENT)                                                         \
	USE(NVLINK_RECEIVED)                                                   \
	USE(NVLINK_SENT)

enum use_counter {
#define USE(id) USE_##id,
	KERNEL_USES(USE)
#undef USE
	USE_COUNTERS
};

/* Of a kernel, or of a launch path; copies and memsets are rows as well. */
struct kernel_use {
	uint32_t function, path;
	double time; /* seconds, of all its launches */
	double counted, alone, intervals;
	double value[USE_COUNTERS]; /* bytes; shares: seconds */
};

enum use_rows {
	USE_BY_KERNEL,
	USE_BY_PATH,
	USE_BY_RANGE,
};

struct kernel_uses {
	struct kernel_use *at; /* the longest time first */
	size_t count;
	struct kernel_use all;
};

/* 0, or -ENOMEM with a reason; to be ended in any case. */
int kernel_uses_init(struct kernel_uses *uses, const struct paths *paths,
		     enum use_rows rows);
void kernel_uses_fini(struct kernel_uses *uses);

/* Of the time counted, 0 … 1; of bytes, bytes a second. */
double kernel_use_share(const struct kernel_use *use, enum use_counter what);

/* Enough was counted to say something. */
bool kernel_use_known(const struct kernel_use *use);

/* In a word or two; NULL: it is not known.  A copy has none. */
const char *kernel_use_bound(const struct kernel_use *use);
