/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c PAGES - touches so many pages once; prints the CPU seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../programs/known.h"

enum {
	PAGE = 4096
};

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	char *all = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double start = cpu_seconds();

	if (all == MAP_FAILED || madvise(all, pages * PAGE, MADV_NOHUGEPAGE))
		return 1;
	for (size_t i = 0; i < pages; i++)
		all[i * PAGE] = 1;
	printf("%.6f\n", cpu_seconds() - start);
	return 0;
}
