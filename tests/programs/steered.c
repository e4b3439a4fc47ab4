/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steered.c - steps with 4 collective calls of all ranks each, two of them on a
 * copy of MPI_COMM_WORLD, beside one of pairs of ranks and messages in a ring.
 *
 *   steered until FILE       until that is there
 *   steered steps N          each in a phase `step`
 *   steered storm N          N times each rank asks itself, as copse control
 *                            would, to end measuring behind the next step, or
 *                            to begin; `truth steps`: those that are measured
 *
 * Prints what all computed, which is the same however it is measured.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "known.h"
#include "live/tally.h"

enum {
	CALLS = 4 /* of all ranks, in a step */
};

static MPI_Comm copy, pair;
static int rank, size;
static double sum;
static uint64_t calls; /* of all, until now */

static void fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(2);
}

static void ring(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	double mine = sum, other;

	MPI_Sendrecv(&mine, 1, MPI_DOUBLE, to, 1, &other, 1, MPI_DOUBLE, from,
		     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sum += other * 1e-3;
}

static void step(int number, double seconds)
{
	double most, least = rank;

	work_for(seconds);
	ring();
	MPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Scan(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_SUM, pair);
	MPI_Bcast(&most, 1, MPI_DOUBLE, number % size, copy);
	MPI_Barrier(copy);
	MPI_Barrier(MPI_COMM_WORLD);
	sum = sum * 0.5 + most * 0.25 + least + number % 7;
	calls += CALLS;
}

static void until(const char *file)
{
	int over = 0;

	for (int i = 0; !over; i++) {
		step(i, 0.001);
		if (!rank)
			over = !access(file, F_OK);
		MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}

static void nothing(const char *name)
{
	(void)name;
}

static void (*find(const char *name))(const char *)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? (void (*)(const char *))found : nothing;
}

static void steps(int count)
{
	void (*begin)(const char *) = find("copse_begin");
	void (*end)(const char *) = find("copse_end");

	for (int i = 0; i < count; i++) {
		begin("step");
		step(i, 0.001);
		end("step");
	}
}

static struct live_request *own_request(void)
{
	static struct live_request nobody;
	const char *live = getenv("COPSE_LIVE");
	char path[4096];
	struct live_tally *tally;
	int fd;

	if (!live)
		return &nobody;
	snprintf(path, sizeof(path), "%s/" LIVE_TALLY, live);
	fd = open(path, O_RDWR);
	tally = mmap(NULL, LIVE_TALLY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (fd < 0 || tally == MAP_FAILED)
		fail("no tally");
	return &tally->request;
}

static void ask(struct live_request *r, bool on, int number)
{
	__atomic_store_n(&r->number, r->number + 1, __ATOMIC_SEQ_CST);
	r->measuring = on ? LIVE_MEASURING_ON : LIVE_MEASURING_OFF;
	r->rate = 100 + (uint32_t)number % 9 * 100;
	r->from = calls + CALLS;
	__atomic_store_n(&r->number, r->number + 1, __ATOMIC_SEQ_CST);
}

static void storm(int count)
{
	struct live_request *request = own_request();
	int measured = 0;

	for (int i = 0; i < count; i++) {
		ask(request, i % 2, i);
		step(i, 0); /* as it was asked for before */
		measured += i % 2 == 0;
	}
	if (!rank)
		printf("truth steps %d\n", measured);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		fail("steered until FILE | steps N | storm N");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
	calls = 2;
	if (!strcmp(argv[1], "until"))
		until(argv[2]);
	else if (!strcmp(argv[1], "steps"))
		steps(atoi(argv[2]));
	else
		storm(atoi(argv[2]));
	if (!rank)
		printf("sum %.17g\n", sum);
	MPI_Comm_free(&pair);
	MPI_Comm_free(&copy);
	MPI_Finalize();
	return 0;
}
