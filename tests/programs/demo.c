/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demo.c [STEPS] - heat spreads on a square plate, cut into one block for each
 * rank; every step exchanges the blocks' edges.  A furnace heats the plate in
 * one corner, and what burns there is costly to compute: the rank that has
 * the corner is late for every exchange, and the others wait.
 *
 * What a profile has to show: diffuse() takes the same time on all ranks,
 * burn_fuel() works on rank 0 only and costs it about as much again; the
 * others' time in MPI_Waitall, below exchange_edges(), is what that costs.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PLATE   2048 /* cells along each side */
#define FURNACE 256  /* of them the first ones, in both directions */
#define CHECK   10   /* steps between two looks at the residual */

/* A block of rows x columns cells, with a border for the neighbours' cells. */
struct block {
	int rows, columns;
	int first_row, first_column; /* on the plate */
	double *now, *next;
	int up, down, west, east; /* ranks, or MPI_PROC_NULL */
	MPI_Comm comm;
	MPI_Datatype column;
};

static double *cell(const struct block *b, double *of, int row, int column)
{
	return &of[(size_t)row * (size_t)(b->columns + 2) + (size_t)column];
}

/* n cells over `parts`; what is left over goes to the first ones. */
static int share(int n, int parts, int which, int *first)
{
	int rest = n % parts;

	*first = which * (n / parts) + (which < rest ? which : rest);
	return n / parts + (which < rest);
}

static int block_init(struct block *b)
{
	int size, rank, dims[2] = { 0 }, open_ends[2] = { 0 }, at[2];
	size_t cells;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open_ends, 0, &b->comm);
	MPI_Comm_rank(b->comm, &rank);
	MPI_Cart_coords(b->comm, rank, 2, at);
	MPI_Cart_shift(b->comm, 0, 1, &b->up, &b->down);
	MPI_Cart_shift(b->comm, 1, 1, &b->west, &b->east);
	b->rows = share(PLATE, dims[0], at[0], &b->first_row);
	b->columns = share(PLATE, dims[1], at[1], &b->first_column);
	MPI_Type_vector(b->rows, 1, b->columns + 2, MPI_DOUBLE, &b->column);
	MPI_Type_commit(&b->column);
	cells = (size_t)(b->rows + 2) * (size_t)(b->columns + 2);
	b->now = calloc(cells, sizeof(double));
	b->next = calloc(cells, sizeof(double));
	return b->now && b->next ? 0 : -1;
}

static void block_fini(struct block *b)
{
	free(b->now);
	free(b->next);
	MPI_Type_free(&b->column);
	MPI_Comm_free(&b->comm);
}

static void exchange_edges(struct block *b)
{
	int last_row = b->rows, last_column = b->columns;
	MPI_Request r[8];

	MPI_Irecv(cell(b, b->now, 0, 1), b->columns, MPI_DOUBLE, b->up, 0,
		  b->comm, &r[0]);
	MPI_Irecv(cell(b, b->now, last_row + 1, 1), b->columns, MPI_DOUBLE,
		  b->down, 0, b->comm, &r[1]);
	MPI_Irecv(cell(b, b->now, 1, 0), 1, b->column, b->west, 0, b->comm,
		  &r[2]);
	MPI_Irecv(cell(b, b->now, 1, last_column + 1), 1, b->column, b->east, 0,
		  b->comm, &r[3]);
	MPI_Isend(cell(b, b->now, 1, 1), b->columns, MPI_DOUBLE, b->up, 0,
		  b->comm, &r[4]);
	MPI_Isend(cell(b, b->now, last_row, 1), b->columns, MPI_DOUBLE, b->down,
		  0, b->comm, &r[5]);
	MPI_Isend(cell(b, b->now, 1, 1), 1, b->column, b->west, 0, b->comm,
		  &r[6]);
	MPI_Isend(cell(b, b->now, 1, last_column), 1, b->column, b->east, 0,
		  b->comm, &r[7]);
	MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

/* Each cell becomes more like its neighbours. */
static __attribute__((noinline)) void diffuse(struct block *b)
{
	for (int i = 1; i <= b->rows; i++) {
		const double *above = cell(b, b->now, i - 1, 0);
		const double *here = cell(b, b->now, i, 0);
		const double *below = cell(b, b->now, i + 1, 0);
		double *to = cell(b, b->next, i, 0);

		for (int j = 1; j <= b->columns; j++)
			to[j] = here[j] +
				0.2 * (above[j] + below[j] + here[j - 1] +
				       here[j + 1] - 4 * here[j]);
	}
}

/* The hotter it is, the faster the fuel burns: in small steps of time. */
static double burnt(double t)
{
	for (int i = 0; i < 12; i++)
		t += 3e-5 * (0.1 + t * t) / (1 + t * t * t);
	return t;
}

static __attribute__((noinline)) void burn_fuel(struct block *b)
{
	for (int i = 1; i <= b->rows && b->first_row + i <= FURNACE; i++) {
		double *row = cell(b, b->next, i, 0);

		for (int j = 1;
		     j <= b->columns && b->first_column + j <= FURNACE; j++)
			row[j] = burnt(row[j]);
	}
}

/* The largest change of a cell in one step, on the whole plate. */
static __attribute__((noinline)) double residual(struct block *b)
{
	double most = 0, all;

	for (int i = 1; i <= b->rows; i++) {
		const double *old = cell(b, b->now, i, 0);
		const double *new = cell(b, b->next, i, 0);

		for (int j = 1; j <= b->columns; j++) {
			double change = fabs(new[j] - old[j]);

			most = change > most ? change : most;
		}
	}
	MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, b->comm);
	return all;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 900, rank;
	double change = 0, *swap;
	struct block b = { 0 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (block_init(&b) != 0) {
		fprintf(stderr, "demo: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int step = 1; step <= steps; step++) {
		exchange_edges(&b);
		diffuse(&b);
		burn_fuel(&b);
		if (step % CHECK == 0)
			change = residual(&b);
		swap = b.now;
		b.now = b.next;
		b.next = swap;
	}
	if (rank == 0)
		printf("demo: %d steps, residual %.6e\n", steps, change);
	block_fini(&b);
	MPI_Finalize();
	return 0;
}
