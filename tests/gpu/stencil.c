/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stencil.c [STEPS [SIZE]] - a five-point stencil on a SIZE x SIZE field, in C
 * with MPI and CUDA: ranks have stripes of rows, exchange their edges by way of
 * pinned memory while the inside is computed, and meet every tenth step.  Says
 * a result that does not depend on the number of ranks, and microseconds per
 * step.
 */
#include <mpi.h>

#include "stencil.h"
#include "truths.h"

#define TRY(call)                                                              \
	do {                                                                   \
		cudaError_t err_ = call;                                       \
                                                                               \
		if (err_ != cudaSuccess)                                       \
			broken(#call, cudaGetErrorString(err_));               \
	} while (0)

enum edge {
	TOP,
	BOTTOM,
	EDGES
};

static int rank, ranks, columns, rows, first_row;
static double *field[2];
static double *out[EDGES], *in[EDGES]; /* pinned */
static cudaStream_t inside, edges;
static unsigned long sweeps;

static size_t row_bytes(void)
{
	return (size_t)columns * sizeof(double);
}

static double *row_of(double *f, int row)
{
	return f + (size_t)row * (size_t)columns;
}

static int neighbour(enum edge edge)
{
	int other = edge == TOP ? rank - 1 : rank + 1;

	return other < 0 || other >= ranks ? MPI_PROC_NULL : other;
}

static STAYS void sweep_rows(int from, int to, double *next, const double *now,
			     cudaStream_t stream)
{
	if (from < to) {
		stencil_sweep(next, now, columns, from, to, stream);
		sweeps++;
	}
	NO_TAIL_CALL();
}

static STAYS void fetch_edges(double *f)
{
	TRY(cudaMemcpyAsync(out[TOP], row_of(f, 1), row_bytes(),
			    cudaMemcpyDeviceToHost, edges));
	TRY(cudaMemcpyAsync(out[BOTTOM], row_of(f, rows), row_bytes(),
			    cudaMemcpyDeviceToHost, edges));
	TRY(cudaStreamSynchronize(edges));
}

static STAYS void put_edges(double *f)
{
	if (neighbour(TOP) != MPI_PROC_NULL)
		TRY(cudaMemcpyAsync(row_of(f, 0), in[TOP], row_bytes(),
				    cudaMemcpyHostToDevice, edges));
	if (neighbour(BOTTOM) != MPI_PROC_NULL)
		TRY(cudaMemcpyAsync(row_of(f, rows + 1), in[BOTTOM],
				    row_bytes(), cudaMemcpyHostToDevice,
				    edges));
}

static STAYS void exchange(void)
{
	MPI_Request r[2 * EDGES];

	for (int e = 0; e < EDGES; e++) {
		int with = neighbour((enum edge)e);

		MPI_Irecv(in[e], columns, MPI_DOUBLE, with, !e, MPI_COMM_WORLD,
			  &r[2 * e]);
		MPI_Isend(out[e], columns, MPI_DOUBLE, with, e, MPI_COMM_WORLD,
			  &r[2 * e + 1]);
	}
	MPI_Waitall(2 * EDGES, r, MPI_STATUSES_IGNORE);
}

/* The edges first: they travel while the inside is computed. */
static STAYS void step(double *next, const double *now)
{
	sweep_rows(1, 2, next, now, edges);
	sweep_rows(rows > 1 ? rows : 2, rows + 1, next, now, edges);
	sweep_rows(2, rows, next, now, inside);
	fetch_edges(next);
	exchange();
	put_edges(next);
	TRY(cudaStreamSynchronize(edges));
	TRY(cudaStreamSynchronize(inside));
}

/* Rows are added in the order of the whole field, whoever has them. */
static STAYS double result(const double *now)
{
	double *sums, sum = 0;

	TRY(cudaHostAlloc((void **)&sums, (size_t)rows * sizeof(*sums), 0));
	stencil_rows(sums, now, columns, rows);
	TRY(cudaDeviceSynchronize());
	if (rank > 0)
		MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	for (int i = 0; i < rows; i++)
		sum += sums[i];
	if (rank < ranks - 1)
		MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 9, MPI_COMM_WORLD);
	MPI_Bcast(&sum, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
	TRY(cudaFreeHost(sums));
	return sum;
}

static void choose_device(void)
{
	int have = 0;

	if (cudaGetDeviceCount(&have) != cudaSuccess || have < 1) {
		if (rank == 0)
			fprintf(stderr, "skip: needs a GPU\n");
		MPI_Finalize();
		exit(77);
	}
	TRY(cudaSetDevice(rank % have));
}

static void prepare(int size)
{
	columns = size;
	first_row = (int)((long)size * rank / ranks);
	rows = (int)((long)size * (rank + 1) / ranks) - first_row;
	TRY(cudaStreamCreateWithFlags(&inside, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithFlags(&edges, cudaStreamNonBlocking));
	for (int i = 0; i < 2; i++) {
		size_t bytes = row_bytes() * (size_t)(rows + 2);

		TRY(cudaMalloc((void **)&field[i], bytes));
		TRY(cudaMemset(field[i], 0, bytes));
		TRY(cudaHostAlloc((void **)&out[i], row_bytes(), 0));
		TRY(cudaHostAlloc((void **)&in[i], row_bytes(), 0));
	}
	stencil_fill(field[0], columns, rows, first_row);
	TRY(cudaDeviceSynchronize());
	fetch_edges(field[0]);
	exchange();
	put_edges(field[0]);
	TRY(cudaDeviceSynchronize());
}

static void say(int steps, double sum, double took)
{
	double all = (double)sweeps, total;

	MPI_Reduce(&all, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank > 0)
		return;
	printf("after %d steps of %d x %d: %.17g\n", steps, columns, columns,
	       sum);
	truth("kernel", "sweep", "sweep_rows", "launches", total);
	truth("kernel", "add_rows", "result", "launches", ranks);
	measured("own", "step", "*", "us", took / steps * 1e6);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 200;
	double start, here = 0, most, took;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	choose_device();
	prepare(argc > 2 ? atoi(argv[2]) : 2048);
	MPI_Barrier(MPI_COMM_WORLD);
	start = clock_seconds();
	for (int i = 0; i < steps; i++) {
		step(field[(i + 1) % 2], field[i % 2]);
		if (i % 10 == 9)
			MPI_Allreduce(&here, &most, 1, MPI_DOUBLE, MPI_MAX,
				      MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	took = clock_seconds() - start;
	say(steps, result(field[steps % 2]), took);
	MPI_Finalize();
	return 0;
}
