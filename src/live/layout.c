/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - the tables behind the live profile's numbers. */
#include "live/layout.h"

const struct metric_info metric_infos[METRIC_COUNT] = {
#define METRIC(id, name, unit, merge, help)                                    \
	[METRIC_##id] = { name, UNIT_##unit, MERGE_##merge, help },
#include "live/metrics.def"
#undef METRIC
};

const struct loss_info loss_infos[LOSS_COUNT] = {
#define LOSS(id, name, help) [LOSS_##id] = { name, help },
#include "live/losses.def"
#undef LOSS
};

const char *const lock_names[LOCK_KINDS] = {
#define LOCK_KIND(id, name) [LOCK_##id] = name,
#include "live/locks.def"
};

const char *const io_kind_names[LIVE_IO_KINDS] = {
#define IO_KIND(id, name) [LIVE_IO_##id] = name,
#include "live/io-kinds.def"
#undef IO_KIND
};
