/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-file.h - the file of GPU power readings (live/power.h) in the folder of
 * the live profiles.
 */
#pragma once

#include <stddef.h>

#include "live/layout.h"
#include "live/power.h"

/*
 * Make the file in that folder and map it, with all its memory allocated; NULL
 * with a reason.  power_file_close() unmaps it and accepts NULL.
 */
struct live_power *power_file_new(const char *folder);
void power_file_close(struct live_power *power);

/*
 * Append the content of the folder's file, if there is one, to a copy of a live
 * profile that used GPUs.  *live, by malloc, may move, and *size grows.  When
 * out of memory, the copy stays as it was.
 */
void power_file_append(const char *folder, struct live_header **live,
		       size_t *size);
