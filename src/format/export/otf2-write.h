/* SPDX-License-Identifier: BSD-3-Clause */
/* otf2-write.h - a run as an archive, with the library or without. */
#pragma once

#include "format/format.h"
#include "run/run.h"

/*
 * Makes the directory, which must not be there, with the archive in it.  0, or
 * -errno with a reason.
 */
int otf2_archive_write(const char *directory, const struct run *run,
		       const struct format_choice *choice);
