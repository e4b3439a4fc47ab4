/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-loops.c [WHAT [SEED]] - a program with two loops, one after the other: 40
 * regular rounds of transpose(), and 5 rounds as of a self-consistent field, of
 * which some take eight times as long as others; in each of these a solver goes
 * on, for each of ten points, until it has enough.  WHAT: `random` calls these
 * functions at random instead; with `late` 24 contexts have 2000 calls each
 * before, with `many` 2048 contexts 40 calls.  With
 * `roles` there are 25 panels instead, each factorised by another rank, from
 * another line than others receive it; with `answers` ranks answer what comes,
 * nearly equally often; with `turns` one rank after another has a loop, with
 * `alone` rank 0 only.
 */
#include <mpi.h>
#include <string.h>

#include "known.h"

static double value = 1, sum;
static unsigned int state = 1;

static unsigned int draw(unsigned int below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static KEPT void work(double seconds)
{
	double end = elapsed_seconds() + seconds;

	while (elapsed_seconds() < end)
		known_work();
}

static KEPT void transpose(double seconds)
{
	work(seconds);
	MPI_Barrier(MPI_COMM_WORLD);
}

static KEPT void residual(void)
{
	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static KEPT void point_solve(double seconds)
{
	MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (unsigned int n = 1 + draw(4); n; n--) {
		work(seconds);
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static KEPT void bands(double seconds)
{
	for (int k = 0; k < 10; k++)
		point_solve(seconds);
}

static KEPT void density(double seconds)
{
	work(seconds);
	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static KEPT void mix(double seconds)
{
	work(seconds);
	MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static KEPT void field(void)
{
	static const double lengths[] = { 0.002, 0.001, 0.004, 0.0005, 0.003 };

	for (int round = 0; round < 5; round++) {
		bands(lengths[round]);
		density(20 * lengths[round]);
		mix(10 * lengths[round]);
		residual();
	}
}

static KEPT void query(int deep)
{
	int rank;

	if (deep)
		query(deep - 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

/* 1 << deep contexts. */
static KEPT void query_tree(int deep)
{
	int rank;

	if (deep) {
		query_tree(deep - 1);
		query_tree(deep - 1);
	} else {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	}
	/* No tail call. */
	__asm__ volatile("");
}

static KEPT void panel_share(int root)
{
	MPI_Bcast(&value, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
	known_work();
}

static KEPT void panels(int rank, int ranks)
{
	for (int i = 0; i < 25; i++) {
		if (i % ranks == rank) {
			work(0.004);
			panel_share(i % ranks);
		} else {
			panel_share(i % ranks);
			work(0.002);
		}
	}
}

/* So many messages to oneself, which others know nothing of. */
static KEPT void answers(int messages)
{
	for (int i = 0; i < messages; i++) {
		work(0.002);
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 0, &sum, 1, MPI_DOUBLE,
			     0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	}
}

/* Ranks draw the same. */
static KEPT void anything(int calls)
{
	for (int i = 0; i < calls; i++) {
		double seconds = 0.0002 * (1 << draw(6));

		switch (draw(5)) {
		case 0:
			transpose(seconds);
			break;
		case 1:
			residual();
			break;
		case 2:
			density(seconds);
			break;
		case 3:
			point_solve(seconds);
			break;
		default:
			mix(seconds);
			break;
		}
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int rank, ranks;

	state = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!strcmp(what, "random")) {
		anything(30);
	} else if (!strcmp(what, "roles")) {
		panels(rank, ranks);
	} else if (!strcmp(what, "answers")) {
		answers(100 + rank);
	} else if (!strcmp(what, "alone")) {
		answers(rank ? 0 : 100);
	} else if (!strcmp(what, "turns")) {
		for (int i = 0; i < ranks; i++) {
			answers(i == rank ? 100 : 0);
			MPI_Barrier(MPI_COMM_WORLD);
		}
	} else {
		for (int i = 0; i < 2000 && !strcmp(what, "late"); i++)
			query(23);
		for (int i = 0; i < 40 && !strcmp(what, "many"); i++)
			query_tree(11);
		for (int i = 0; i < 40; i++) {
			transpose(0.005);
			residual();
		}
		field();
	}
	MPI_Finalize();
	return 0;
}
