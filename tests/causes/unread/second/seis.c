/* SPDX-License-Identifier: BSD-3-Clause */
/* Acoustic wave propagation with surface stations, decomposed by rows. */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NX          600
#define NY          240
#define NSTATION    20
#define AT(a, j, i) (a)[(size_t)(j)*NX + (i)]

typedef struct {
	char name[32];
	int row, col;
	double peak;
} station;

typedef struct {
	double *now, *old, *vel;
	int rank, size;
} slab;

static double *grid_new(void)
{
	double *a = calloc((size_t)(NY + 2) * NX, sizeof *a);
	if (!a)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return a;
}

static void slab_init(slab *s)
{
	s->now = grid_new();
	s->old = grid_new();
	s->vel = grid_new();
	for (int j = 0; j < NY + 2; j++)
		for (int i = 0; i < NX; i++) {
			double layer = (s->rank * NY + j) / 60.0;
			AT(s->vel, j, i) =
				0.12 + 0.06 * sin(layer) * cos(i / 90.0);
		}
}

static int network_read(station *net, const slab *s)
{
	int mine = 0;
	for (int k = 0; k < NSTATION; k++) {
		int grow = (s->size - 1) * NY + 20 + 9 * k;
		if (grow / NY != s->rank)
			continue;
		station *t = &net[mine++];
		snprintf(t->name, sizeof t->name, "ST%02d", k);
		t->row = grow % NY + 1;
		t->col = 20 + 28 * k;
		t->peak = 0;
	}
	return mine;
}

static void swap_rows(slab *s)
{
	int up = s->rank + 1 < s->size ? s->rank + 1 : MPI_PROC_NULL;
	int down = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&AT(s->now, NY, 0), NX, MPI_DOUBLE, up, 1,
		     &AT(s->now, 0, 0), NX, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(s->now, 1, 0), NX, MPI_DOUBLE, down, 2,
		     &AT(s->now, NY + 1, 0), NX, MPI_DOUBLE, up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wave_step(slab *s)
{
	double *tmp;
	for (int j = 1; j <= NY; j++)
		for (int i = 2; i < NX - 2; i++) {
			double c = AT(s->now, j, i);
			double lap = AT(s->now, j - 1, i) +
				     AT(s->now, j + 1, i) +
				     AT(s->now, j, i - 1) +
				     AT(s->now, j, i + 1) - 4.0 * c;
			double att = 1.0 - 0.0008 * fabs(c) / (1.0 + fabs(c));
			AT(s->old, j, i) = att * (2.0 * c - AT(s->old, j, i)) +
					   AT(s->vel, j, i) * lap;
		}
	tmp = s->now;
	s->now = s->old;
	s->old = tmp;
}

static void source_fire(slab *s, int n)
{
	double t = (n - 60) / 18.0;
	if (n < 200)
		AT(s->now, NY / 2, NX / 2) += (1.0 - 2.0 * t * t) * exp(-t * t);
}

static int trace_line(char *buf, size_t len, const station *t, int n, double v)
{
	return snprintf(buf, len, "%s %7d %+.9e %+.9e\n", t->name, n, v,
			t->peak);
}

static int trace_open(const char *path, char *guard, size_t len)
{
	int fd;
	snprintf(guard, len, "%s.lck", path);
	while ((fd = open(guard, O_WRONLY | O_CREAT | O_EXCL, 0644)) < 0)
		usleep(200);
	close(fd);
	return open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
}

static void trace_put(const station *t, int n, double v)
{
	char path[320], guard[330], line[128];
	int len, fd;
	snprintf(path, sizeof path, "seis_%.24s.txt", t->name);
	fd = trace_open(path, guard, sizeof guard);
	len = trace_line(line, sizeof line, t, n, v);
	if (fd < 0 || write(fd, line, (size_t)len) != len)
		MPI_Abort(MPI_COMM_WORLD, 2);
	close(fd);
	unlink(guard);
}

static void network_sample(station *net, int count, const slab *s, int n)
{
	for (int k = 0; k < count; k++) {
		double v = AT(s->now, net[k].row, net[k].col);
		if (fabs(v) > net[k].peak)
			net[k].peak = fabs(v);
		trace_put(&net[k], n, v);
	}
}

int main(int argc, char **argv)
{
	slab s;
	station net[NSTATION];
	int mine, steps;
	double e = 0, et = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s.size);
	steps = argc > 1 ? atoi(argv[1]) : 5000;
	slab_init(&s);
	mine = network_read(net, &s);
	for (int n = 0; n < steps; n++) {
		swap_rows(&s);
		wave_step(&s);
		source_fire(&s, n);
		network_sample(net, mine, &s, n);
	}
	for (int j = 1; j <= NY; j++)
		for (int i = 0; i < NX; i++)
			e += AT(s.now, j, i) * AT(s.now, j, i);
	MPI_Reduce(&e, &et, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (s.rank == 0)
		printf("wavefield norm %.10e after %d steps\n", sqrt(et),
		       steps);
	for (int k = 0; k < mine; k++) {
		char path[320];
		snprintf(path, sizeof path, "seis_%.24s.txt", net[k].name);
		unlink(path);
	}
	free(s.now);
	free(s.old);
	free(s.vel);
	MPI_Finalize();
	return 0;
}
