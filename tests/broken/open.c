/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - a handler that opens a file, through whoever stands in front. */
#include <fcntl.h>
#include <unistd.h>

#include "broken.h"

void do_wrong(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}
