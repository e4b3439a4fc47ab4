/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read-floor.c DEPTH - what a sample of functions of Python has to do at least,
 * in nanoseconds of CPU time, the least of 20 turns:
 *
 *   one read that cannot fault, of the 192 bytes of a code object's head, as a
 *   handler makes it, and a system call that does nothing;
 *   a look at each of so many frames by bare loads, from the last to the first,
 *   whether they are as they were (code, instruction, caller), and the same of
 *   frames that are in no cache;
 *   both with three words of each one's code object.
 */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	TURNS = 20,
	CALLS = 20000,
	COLD_CALLS = 500,
	HEAD = 192,
	LINE = 64,
	DEPTH_MOST = 1000
};

/* As 3.11 lays them out, with some locals and some bytecode. */
struct frame {
	uint64_t locals_of_others[4];
	uint64_t code, object;
	struct frame *previous;
	uint64_t instr, owner, locals[5];
};

struct code {
	uint64_t references, type, size, others[13], qualname, lines, more[30];
};

static char object[HEAD], head[HEAD];
static long pid;
static int depth;
static struct frame frames[DEPTH_MOST], memo[DEPTH_MOST];
static struct code codes[DEPTH_MOST];
static volatile uint64_t sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void read_head(void)
{
	struct iovec local = { head, HEAD }, remote = { object, HEAD };

	syscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
}

static void ask_nothing(void)
{
	syscall(SYS_getppid);
}

/* The memo is of the same frames, so that nothing differs. */
static void look_at_frames(void)
{
	const struct frame *f = &frames[depth - 1], *m = &memo[depth - 1];
	uint64_t differs = 0;

	for (; f; f = f->previous, m--)
		differs |= (f->code ^ m->code) | (f->instr ^ m->instr) |
			   ((uint64_t)f->previous ^ (uint64_t)m->previous);
	sink = differs;
}

static void look_at_codes(void)
{
	const struct frame *f = &frames[depth - 1];
	uint64_t sum = 0;

	for (; f; f = f->previous) {
		const struct code *code = (const void *)f->code;

		sum += code->references + code->qualname + code->lines;
	}
	sink = sum;
}

static void make_frames(void)
{
	for (int i = 0; i < depth; i++) {
		frames[i].previous = i ? &frames[i - 1] : NULL;
		frames[i].code = (uint64_t)&codes[i];
		memo[i] = frames[i];
	}
}

static void flush(const void *from, size_t size)
{
	for (size_t at = 0; at < size; at += LINE)
		_mm_clflush((const char *)from + at);
	_mm_mfence();
}

/* Of calls whose data no cache has, each timed by itself. */
static double least_cold(void (*call)(void))
{
	double best = 1e9;

	for (int turn = 0; turn < TURNS; turn++) {
		double took = 0;

		for (int i = 0; i < COLD_CALLS; i++) {
			double start;

			flush(frames, sizeof(*frames) * (size_t)depth);
			flush(memo, sizeof(*memo) * (size_t)depth);
			flush(codes, sizeof(*codes) * (size_t)depth);
			start = now();
			call();
			took += now() - start;
		}
		took /= COLD_CALLS;
		best = took < best ? took : best;
	}
	return best;
}

static void do_nothing(void)
{
}

static double least(void (*call)(void))
{
	double best = 1e9;

	for (int turn = 0; turn < TURNS; turn++) {
		double start = now(), took;

		for (int i = 0; i < CALLS; i++)
			call();
		took = (now() - start) / CALLS;
		best = took < best ? took : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	double clock;

	depth = argc > 1 ? atoi(argv[1]) : 40;
	if (depth < 1 || depth > DEPTH_MOST)
		return 2;
	pid = getpid();
	make_frames();
	clock = least_cold(do_nothing);
	printf("%.0f %.0f\n", least(read_head), least(ask_nothing));
	printf("%.0f %.0f %.0f %.0f\n", least(look_at_frames),
	       least_cold(look_at_frames) - clock, least(look_at_codes),
	       least_cold(look_at_codes) - clock);
	return 0;
}
