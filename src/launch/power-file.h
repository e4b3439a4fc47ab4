/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-file.h - the file beside live profiles that has what was read of GPUs'
 * power (live/power.h).
 */
#ifndef LAUNCH_POWER_FILE_H
#define LAUNCH_POWER_FILE_H

#include <stddef.h>

#include "live/layout.h"
#include "live/power.h"

/*
 * A new one in that folder, mapped and all of it backed; NULL with a reason.
 * power_file_close() unmaps it: NULL is fine.
 */
struct live_power *power_file_new(const char *folder);
void power_file_close(struct live_power *power);

/*
 * Puts what the folder's file has, if there is one, behind a copy of a live
 * profile that used GPUs: *live, of malloc(), may move, and *size grow. Without
 * memory the copy stays as it was.
 */
void power_file_append(const char *folder, struct live_header **live,
		       size_t *size);

#endif
