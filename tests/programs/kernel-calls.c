/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel-calls.c [SECONDS] - time in read, write, mmap, munmap and at the
 * first touch of a page belongs to the function that asked for it: reader(),
 * writer(), mapper(), unmapper(), toucher(), and computer() for what needs no
 * kernel.
 *
 * Each does many calls at a stretch, a different number every time, and reads
 * the CPU clock before and after: that is one system call more in hundreds.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "known.h"

#define BUFFER (16 << 10)
#define PAGE   4096
#define PAGES  4 /* of an area */
#define MOST   200

static char buffer[BUFFER];
static char *areas[MOST];

static KEPT int reader(int file, int calls)
{
	for (int i = 0; i < calls; i++)
		if (pread(file, buffer, BUFFER, 0) != BUFFER)
			return -1;
	return 0;
}

static KEPT int writer(int file, int calls)
{
	for (int i = 0; i < calls; i++)
		if (pwrite(file, buffer, BUFFER, 0) != BUFFER)
			return -1;
	return 0;
}

static KEPT int mapper(int file, int calls)
{
	(void)file;
	for (int i = 0; i < calls; i++) {
		areas[i] = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (areas[i] == MAP_FAILED)
			return -1;
	}
	return 0;
}

static KEPT int toucher(int file, int calls)
{
	(void)file;
	for (int i = 0; i < calls; i++)
		for (int page = 0; page < PAGES; page++)
			*(volatile char *)&areas[i][page * PAGE] = 1;
	return 0;
}

static KEPT int unmapper(int file, int calls)
{
	(void)file;
	for (int i = 0; i < calls; i++)
		if (munmap(areas[i], PAGES * PAGE) < 0)
			return -1;
	return 0;
}

static KEPT int computer(int file, int calls)
{
	(void)file;
	for (int i = 0; i < calls; i += 20)
		known_work();
	return 0;
}

static struct {
	const char *name;
	int (*work)(int file, int calls);
	double seconds;
} parts[] = { { "reader", reader, 0 },     { "mapper", mapper, 0 },
	      { "computer", computer, 0 }, { "toucher", toucher, 0 },
	      { "writer", writer, 0 },     { "unmapper", unmapper, 0 } };

#define PARTS ((int)(sizeof parts / sizeof *parts))

/* What is mapped by one part is used by others: the same number for all. */
static int round_of_all(int file)
{
	int calls = MOST / 2 + (int)(known_random() * MOST / 2);

	for (int i = 0; i < PARTS; i++) {
		double start = cpu_seconds();

		if (parts[i].work(file, calls) < 0)
			return -1;
		parts[i].seconds += cpu_seconds() - start;
	}
	return 0;
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);
	int file = memfd_create("kernel-calls", 0);

	if (file < 0 || pwrite(file, buffer, BUFFER, 0) != BUFFER)
		return 1;
	while (cpu_seconds() < end)
		if (round_of_all(file) < 0)
			return 1;
	for (int i = 0; i < PARTS; i++)
		truth(parts[i].name, parts[i].seconds);
	usage();
	return 0;
}
