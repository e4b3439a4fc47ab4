/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.c [TICKS [KIB [DEPTH [PATHS [PLACES]]]]] - what a tick's handler takes
 * whose caches are the program's: between two ticks KIB (0) of memory are used,
 * DEPTH (20) calls deep, main() included, by PATHS (1) ways (ways.h); the ticks
 * interrupt PLACES (8, at most 1024) instructions of one function.  Prints
 * nanoseconds from sending to being back: of TICKS (2000) the mean, without
 * those beyond four medians, in which the machine did something else.  A tick
 * of a way and a place that are new is not counted, unless all are.
 *
 * The ticks are made here, as the kernel makes those of the sampler's clock,
 * which should be slow meanwhile (--freq 1): so nothing else is in the figure,
 * and what it has for a handler that does nothing is the floor.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ways.h"

enum {
	LINE = 64,
	PAGE = 4096,
	CODE_TRAP_PERF = 6,
	COOKIE_CPU = 0x5ca1e, /* src/collect/sampling/clock.c's */
	DATA_AT = 24,         /* si_perf_data */
	AROUND = 3,           /* main(), send(), and the place */
	PLACE_SIZE = 4,
	PLACES_MOST = 1024,
};

/*
 * The instructions that ticks interrupt: each is the end of a system call whose
 * number and arguments are where the kernel wants them.
 */
long tick_places(long number, pid_t group, pid_t thread, int signal,
		 siginfo_t *info);
__asm__(".text\n"
	".type tick_places, @function\n"
	"tick_places:\n"
	"	.cfi_startproc\n"
	"	.rept 1024\n"
	"	syscall\n"
	"	ret\n"
	"	nop\n"
	"	.endr\n"
	"	.cfi_endproc\n"
	"	.size tick_places, . - tick_places\n");

static long bytes;
static uint8_t *memory;

/* Of the tick that is made next. */
static struct {
	siginfo_t info;
	const char *place;
	uint64_t took;
} next;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* All pages, and all lines: each page has another line first. */
static void use_memory(void)
{
	uint64_t sum = 0;

	for (long line = 0; line < PAGE; line += LINE)
		for (long page = 0; page < bytes; page += PAGE)
			sum += memory[page +
				      (line + page / PAGE * LINE) % PAGE]++;
	known_sink += (double)sum;
}

static KEPT long send(const char *place, pid_t self, siginfo_t *to_send)
{
	register siginfo_t *info __asm__("r10") = to_send;
	long result = SYS_rt_tgsigqueueinfo;

	__asm__ volatile("sub $128, %%rsp\n\t" /* over the red zone */
			 ".cfi_adjust_cfa_offset 128\n\t"
			 "call *%1\n\t"
			 "add $128, %%rsp\n\t"
			 ".cfi_adjust_cfa_offset -128"
			 : "+a"(result)
			 : "r"(place), "D"(self), "S"(self), "d"(SIGTRAP),
			   "r"(info)
			 : "rcx", "r11", "memory");
	return result;
}

/* Where the ways end. */
static KEPT double bottom(double x)
{
	pid_t self = getpid();
	uint64_t before;

	use_memory();
	before = now_ns();
	if (send(next.place, self, &next.info))
		exit(1);
	next.took = now_ns() - before;
	return x;
}

/* What the kernel says of the sampler's tick. */
static void info_init(siginfo_t *info)
{
	const uint64_t cookie = COOKIE_CPU;

	memset(info, 0, sizeof(*info));
	info->si_signo = SIGTRAP;
	info->si_code = CODE_TRAP_PERF;
	memcpy((char *)info + DATA_AT, &cookie, sizeof(cookie));
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static double mean(uint64_t *took, long count)
{
	double sum = 0;
	long used = 0;

	qsort(took, (size_t)count, sizeof(*took), by_size);
	while (used < count && took[used] <= 4 * took[count / 2])
		sum += (double)took[used++];
	return sum / (double)used;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 2000);
	long depth = argument(argc, argv, 3, 20);
	long paths = argument(argc, argv, 4, 1);
	long places = argument(argc, argv, 5, 8);
	long known = paths * places, ways = paths ? paths : 1;
	uint64_t *took = calloc((size_t)count, sizeof(*took));

	bytes = argument(argc, argv, 2, 0) << 10;
	memory = mmap(NULL, (size_t)bytes + 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!took || memory == MAP_FAILED || count < 1 || places < 1 ||
	    places > PLACES_MOST)
		return 1;
	madvise(memory, (size_t)bytes + 1, MADV_NOHUGEPAGE);
	memset(memory, 1, (size_t)bytes);
	info_init(&next.info);
	for (long i = -known; i < count; i++) {
		long turn = i + known;

		next.place = (char *)tick_places +
			     turn / ways * 7 % places * PLACE_SIZE;
		known_sink = go_way(turn, paths, (int)depth - AROUND);
		if (i >= 0)
			took[i] = next.took;
	}
	printf("%.0f\n", mean(took, count));
	return 0;
}
