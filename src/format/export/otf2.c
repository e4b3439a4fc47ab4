/* SPDX-License-Identifier: BSD-3-Clause */
/* otf2.c - an archive for Vampir, and whatever else reads OTF2. */
#include "format/format.h"
#include "format/export/otf2-write.h"

const struct format format_otf2 = {
	.name = "otf2",
	.help = "an archive for Vampir: call paths of ranks over time",
	.write_directory = otf2_archive_write,
	.by_rank = true,
	.apart = 64,
};
