/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-turns.c EMPTY ROUNDS [PART] - the loops of mpi-loops.h whose names have
 * PART in them, for the number of processes that there are, in batches of about
 * a millisecond.  In each round, at each depth, one batch with each way to call
 * MPI, in an order drawn anew, which is the same in all processes:
 *
 *   plain  the functions of the MPI library
 *   empty  wrappers that do nothing: EMPTY, the library of empty-pmpi.c
 *   copse  what the program is linked with: wrappers of copse, where it runs
 *          below `copse run`
 *
 * Prints loop, depth and the nanoseconds of a call by each of them; before
 * that, those of reading the time stamp counter, which copse does twice in a
 * call and some virtual machines are slow at.
 */
#include <dlfcn.h>
#include <string.h>
#include <x86intrin.h>

#define MPI_CALL(name, ...) way->name(__VA_ARGS__)
#include <mpi.h>

#define CALLS(CALL)                                                            \
	CALL(Comm_rank)                                                        \
	CALL(Iprobe)                                                           \
	CALL(Test)                                                             \
	CALL(Sendrecv)                                                         \
	CALL(Send)                                                             \
	CALL(Recv)                                                             \
	CALL(Isend)                                                            \
	CALL(Irecv)                                                            \
	CALL(Waitall)                                                          \
	CALL(Allreduce)

enum {
	PLAIN,
	EMPTY,
	COPSE,
	WAYS
};

static struct way {
#define CALL(name) __typeof__(&MPI_##name) name;
	CALLS(CALL)
#undef CALL
} ways[WAYS];

static const struct way *way;

#include "mpi-loops.h"

#include "ways.h"

#define BATCH_SECONDS 1e-3
#define WARM_UP       8 /* times less than a batch */

static struct batch {
	const struct loop *loop;
	long rounds;
	double took;
} batch;

static void *function(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "mpi-turns: no %s\n", name);
		exit(1);
	}
	return found;
}

/*
 * What it calls is looked for in the library's own dependencies first: it would
 * call the wrappers of copse otherwise.
 */
static void find_ways(const char *empty)
{
	void *library = dlopen(empty, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!library) {
		fprintf(stderr, "mpi-turns: %s\n", dlerror());
		exit(1);
	}
#define CALL(name)                                                             \
	ways[PLAIN].name =                                                     \
		(__typeof__(&MPI_##name))function(library, "PMPI_" #name);     \
	ways[EMPTY].name =                                                     \
		(__typeof__(&MPI_##name))function(library, "MPI_" #name);      \
	ways[COPSE].name = MPI_##name;
	CALLS(CALL)
#undef CALL
}

#define IN_PLACE inline __attribute__((always_inline))

static IN_PLACE void do_here(void)
{
	double start;

	batch.loop->run(batch.rounds / WARM_UP);
	start = batch.loop->clock();
	batch.loop->run(batch.rounds);
	batch.took = batch.loop->clock() - start;
}

static KEPT double bottom(double x)
{
	do_here();
	return x;
}

/* Nanoseconds of a call: between main and the loop are the other frames. */
static IN_PLACE double call_ns(int depth)
{
	PMPI_Barrier(MPI_COMM_WORLD);
	if (depth == 2)
		do_here();
	else
		known_sink = go_way(0, 1, depth - 2);
	return batch.took * 1e9 / (double)(batch.rounds * batch.loop->calls);
}

static void shuffle(int order[WAYS])
{
	for (int i = 0; i < WAYS; i++) {
		int j = (int)(random() % (i + 1));

		order[i] = order[j];
		order[j] = i;
	}
}

static IN_PLACE void one_round(int depth)
{
	int order[WAYS];
	double ns[WAYS];

	shuffle(order);
	for (int i = 0; i < WAYS; i++) {
		way = &ways[order[i]];
		ns[order[i]] = call_ns(depth);
	}
	if (rank == 0)
		printf("%s %d %.3f %.3f %.3f\n", batch.loop->name, depth,
		       ns[PLAIN], ns[EMPTY], ns[COPSE]);
}

/* How many rounds of a loop a batch has: the first process says it for all. */
static IN_PLACE void prepare(const struct loop *loop)
{
	batch.loop = loop;
	batch.rounds = 2000;
	way = &ways[COPSE];
	for (int i = 0; i < 2; i++) /* the first is cold */
		call_ns(2);
	batch.rounds =
		(long)((double)batch.rounds * BATCH_SECONDS / batch.took);
	PMPI_Bcast(&batch.rounds, 1, MPI_LONG, 0, MPI_COMM_WORLD);
}

static double counter_ns(void)
{
	enum {
		READINGS = 100000
	};
	static volatile uint64_t last;
	double least = 1, start, took;

	for (int i = 0; i < 10; i++) {
		start = elapsed();
		for (int k = 0; k < READINGS; k++)
			last = __rdtsc();
		took = elapsed() - start;
		least = took < least ? took : least;
	}
	return least * 1e9 / READINGS;
}

int main(int argc, char **argv)
{
	int ranks;

	if (argc < 3)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	find_ways(argv[1]);
	if (rank == 0)
		printf("counter - %.1f\n", counter_ns());
	for (size_t i = 0; i < LOOPS; i++) {
		if (loops[i].ranks != ranks ||
		    (argc > 3 && !strstr(loops[i].name, argv[3])))
			continue;
		prepare(&loops[i]);
		for (long r = 0; r < atol(argv[2]); r++)
			for (size_t d = 0; d < DEPTHS; d++)
				one_round(depths[d]);
	}
	MPI_Finalize();
	return 0;
}
