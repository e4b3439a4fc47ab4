/* SPDX-License-Identifier: BSD-3-Clause */
/* phdr.c - a handler that asks the loader for its list of modules. */
#include <link.h>

#include "broken.h"

static int count_headers(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		*(volatile int *)count += info->dlpi_phdr[i].p_type == PT_LOAD;
	return 0;
}

void do_wrong(void)
{
	int count = 0;

	dl_iterate_phdr(count_headers, &count);
}
