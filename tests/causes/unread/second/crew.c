/* SPDX-License-Identifier: BSD-3-Clause */
/* Crew rostering by branch and bound; processes share the best roster found. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ITEMS    64
#define TAG_BEST 5

typedef struct {
	int gain[ITEMS], hours[ITEMS], limit;
} roster;

typedef struct {
	int best;
	long nodes, quota, heard;
} search;

static int rank, size;

static void roster_make(roster *r, unsigned seed)
{
	int sum = 0;
	for (int i = 0; i < ITEMS; i++) {
		seed = seed * 1103515245u + 12345u;
		r->hours[i] = 200 + (int)((seed >> 16) % 800u);
		seed = seed * 1103515245u + 12345u;
		r->gain[i] = r->hours[i] + 90 + (int)((seed >> 16) % 20u);
		sum += r->hours[i];
	}
	r->limit = sum / 2;
	for (int i = 1; i < ITEMS; i++)
		for (int j = i; j > 0; j--) {
			double a = (double)r->gain[j] / r->hours[j],
			       b = (double)r->gain[j - 1] / r->hours[j - 1];
			if (a <= b)
				break;
			int t = r->gain[j];
			r->gain[j] = r->gain[j - 1];
			r->gain[j - 1] = t;
			t = r->hours[j];
			r->hours[j] = r->hours[j - 1];
			r->hours[j - 1] = t;
		}
}

static double relaxed(const roster *r, int depth, int gain, int room)
{
	double b = gain;
	for (int i = depth; i < ITEMS; i++) {
		if (r->hours[i] > room)
			return b + (double)r->gain[i] * room / r->hours[i];
		room -= r->hours[i];
		b += r->gain[i];
	}
	return b;
}

static void share_best(int value)
{
	for (int p = 0; p < size; p++)
		if (p != rank)
			MPI_Send(&value, 1, MPI_INT, p, TAG_BEST,
				 MPI_COMM_WORLD);
}

static void hear(search *s)
{
	MPI_Status st;
	int flag = 0, value;
	MPI_Iprobe(MPI_ANY_SOURCE, TAG_BEST, MPI_COMM_WORLD, &flag, &st);
	while (flag) {
		MPI_Recv(&value, 1, MPI_INT, st.MPI_SOURCE, TAG_BEST,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (value > s->best)
			s->best = value;
		s->heard++;
		MPI_Iprobe(MPI_ANY_SOURCE, TAG_BEST, MPI_COMM_WORLD, &flag,
			   &st);
	}
}

static int incumbent(search *s)
{
	hear(s);
	return s->best;
}

static void branch(search *s, const roster *r, int depth, int gain, int room)
{
	if (s->nodes >= s->quota)
		return;
	s->nodes++;
	if (depth == ITEMS) {
		if (gain > s->best) {
			s->best = gain;
			share_best(gain);
		}
		return;
	}
	if (relaxed(r, depth, gain, room) <= incumbent(s))
		return;
	if (r->hours[depth] <= room)
		branch(s, r, depth + 1, gain + r->gain[depth],
		       room - r->hours[depth]);
	branch(s, r, depth + 1, gain, room);
}

static void subtree(search *s, const roster *r, unsigned prefix, int bits,
		    long share)
{
	int gain = 0, room = r->limit;
	for (int i = 0; i < bits; i++)
		if (prefix >> i & 1u) {
			gain += r->gain[i];
			room -= r->hours[i];
		}
	s->quota = s->nodes + share;
	if (room >= 0)
		branch(s, r, bits, gain, room);
}

static void drain(search *s)
{
	MPI_Barrier(MPI_COMM_WORLD);
	hear(s);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long budget = argc > 1 ? atol(argv[1]) : 4000;
	int weeks = 160 * size, bits = 10;
	long total = 0, nodes = 0, sum = 0;
	for (int w = 0; w < weeks; w++) {
		roster r;
		search s = { 0, 0, 0, 0 };
		int best = 0;
		roster_make(&r, 4242u + 17u * (unsigned)w);
		for (unsigned k = 0; k < 1u << bits; k++)
			if ((int)((k * 7u + (unsigned)w) % (unsigned)size) ==
			    rank)
				subtree(&s, &r, k, bits, budget * size);
		drain(&s);
		MPI_Allreduce(&s.best, &best, 1, MPI_INT, MPI_MAX,
			      MPI_COMM_WORLD);
		sum += best;
		nodes += s.nodes;
	}
	MPI_Reduce(&nodes, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("roster value %ld, %ld nodes\n", sum, total);
	MPI_Finalize();
	return 0;
}
