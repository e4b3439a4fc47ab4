/* SPDX-License-Identifier: BSD-3-Clause */
/* otf2-none.c - where the library was not found. */
#include <errno.h>

#include "base/err.h"
#include "format/export/otf2-write.h"

int otf2_archive_write(const char *directory, const struct run *run,
		       const struct format_choice *choice)
{
	(void)directory, (void)run, (void)choice;
	return fail(-ENOTSUP,
		    "this copse was built without OTF2; configure finds it as "
		    "otf2.pc (Debian: libopen-trace-format2-dev)");
}
