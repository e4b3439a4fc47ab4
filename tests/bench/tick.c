/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.c [TICKS [KIB [DEPTH [PLACES]]]] - what a tick's handler takes whose
 * caches are the program's: between two ticks KIB (8192) of memory are used,
 * DEPTH (20) calls deep, main() included; 0: nothing is.  The ticks interrupt
 * PLACES (200, at most 1024) instructions of one function.  Prints nanoseconds
 * from sending to being back: of TICKS (2000) the lower quartile and the
 * median.  Other users of the machine's caches disturb the quartile less.
 *
 * The ticks are made here, as the kernel makes those of the sampler's clock,
 * which should be slow meanwhile (--freq 1): so nothing else is in the figure,
 * and what it has for a handler that does nothing is the floor.
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/known.h"

enum {
	LINE = 64,
	PAGE = 4096,
	CODE_TRAP_PERF = 6,
	COOKIE_CPU = 0x5ca1e, /* src/collect/clock.c's */
	DATA_AT = 24,         /* si_perf_data */
	LEAST_DEPTH = 5,      /* main(), down(), ticks(), tick(), send() */
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

static long ticks_wanted, bytes, places;
static uint8_t *memory;
static uint64_t *took;

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

static KEPT uint64_t tick(long place, pid_t self, siginfo_t *info)
{
	uint64_t before;

	use_memory();
	before = now_ns();
	if (send((char *)tick_places + place * PLACE_SIZE, self, info))
		exit(1);
	return now_ns() - before;
}

static KEPT double ticks(void)
{
	const uint64_t cookie = COOKIE_CPU;
	pid_t self = getpid();
	siginfo_t info;

	for (long i = 0; i < ticks_wanted; i++) {
		memset(&info, 0, sizeof(info));
		info.si_signo = SIGTRAP;
		info.si_code = CODE_TRAP_PERF;
		memcpy((char *)&info + DATA_AT, &cookie, sizeof(cookie));
		took[i] = tick(i * 7 % places, self, &info);
	}
	return 1;
}

static KEPT double down(long depth)
{
	return (depth > 0 ? down(depth - 1) : ticks()) + 1;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static long argument(int argc, char **argv, int which, long otherwise)
{
	return argc > which ? atol(argv[which]) : otherwise;
}

int main(int argc, char **argv)
{
	long depth = argument(argc, argv, 3, 20);

	places = argument(argc, argv, 4, 200);
	ticks_wanted = argument(argc, argv, 1, 2000);
	bytes = argument(argc, argv, 2, 8192) << 10;
	took = calloc((size_t)ticks_wanted, sizeof(*took));
	memory = mmap(NULL, (size_t)bytes + 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!took || memory == MAP_FAILED || ticks_wanted < 1 || places < 1 ||
	    places > PLACES_MOST)
		return 1;
	madvise(memory, (size_t)bytes + 1, MADV_NOHUGEPAGE);
	memset(memory, 1, (size_t)bytes);
	known_sink = down(depth - LEAST_DEPTH);
	qsort(took, (size_t)ticks_wanted, sizeof(*took), by_size);
	printf("%lu %lu\n", (unsigned long)took[ticks_wanted / 4],
	       (unsigned long)took[ticks_wanted / 2]);
	return 0;
}
