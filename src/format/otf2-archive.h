/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * otf2-archive.h - chosen ranks as a trace in the Open Trace Format 2, by the
 * library of that name: otf2-archive.c, or otf2-none.c where there was none
 * when this was built.
 */
#ifndef FORMAT_OTF2_ARCHIVE_H
#define FORMAT_OTF2_ARCHIVE_H

#include "format/format.h"

/*
 * Makes the directory, which must not be there, with the archive in it.  0, or
 * -errno with a reason.
 */
int otf2_archive_write(const char *directory, const struct run *run,
		       const struct format_choice *choice);

#endif
