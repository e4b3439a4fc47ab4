/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel-time.c [SECONDS [BLOCK_MS]] - time in the kernel belongs to the path
 * that asked for it: reader() reads a device, toucher() takes page faults,
 * computer() stays in user mode.  They take turns of BLOCK_MS (3), the reader
 * and the toucher by a half of what the computer gets.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "known.h"

#define BUFFER (64 << 10)
#define PAGES  64
#define PAGE   4096

static double block_s;

static KEPT double reader(int device)
{
	static char buffer[BUFFER];
	double start = cpu_seconds(), now = start;

	while (now - start < block_s / 2) {
		if (read(device, buffer, sizeof buffer) < 0)
			exit(1);
		now = cpu_seconds();
	}
	return now - start;
}

static KEPT double toucher(char *fresh)
{
	double start = cpu_seconds(), now = start;

	while (now - start < block_s / 2) {
		for (int i = 0; i < PAGES; i++)
			((volatile char *)fresh)[i * PAGE] = 1;
		madvise(fresh, (size_t)PAGES * PAGE, MADV_DONTNEED);
		now = cpu_seconds();
	}
	return now - start;
}

static KEPT double computer(void)
{
	return work_for(block_s);
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);
	double read_s = 0, touch_s = 0, compute_s = 0;
	int device = open("/dev/urandom", O_RDONLY);
	char *fresh = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (device < 0 || fresh == MAP_FAILED)
		return 1;
	block_s = (argc > 2 ? atof(argv[2]) : 3.0) * 1e-3;
	while (cpu_seconds() < end) {
		read_s += reader(device);
		compute_s += computer();
		touch_s += toucher(fresh);
	}
	truth("reader", read_s);
	truth("computer", compute_s);
	truth("toucher", touch_s);
	usage();
	return 0;
}
