/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.c - lists of neighbours, beside the table of communicators. */
#include "mpi/neighbours.h"

#include <stdlib.h>

#include "mpi/libmpi.h"
#include "mpi/types.h"

static struct neighbours *neighbours_new(const struct comm *comm)
{
	size_t count = (size_t)(comm->source_blocks + comm->target_blocks);
	struct neighbours *n =
		calloc(1, sizeof(*n) + (count + 1) * sizeof(*n->edges));

	if (!n)
		return NULL;
	n->sources = comm->source_blocks;
	n->targets = comm->target_blocks;
	n->edges = (struct edge *)(n + 1);
	return n;
}

/* Ranks in the communicator: those of sources, then those of targets. */
static void ask_cart(MPI_Comm handle, const struct comm *comm, int *ranks)
{
	for (int i = 0; i < comm->source_blocks; i += 2)
		pmpi.Cart_shift(handle, i / 2, 1, &ranks[i], &ranks[i + 1]);
	for (int i = 0; i < comm->target_blocks; i++)
		ranks[comm->source_blocks + i] = ranks[i];
}

static void ask_graph(MPI_Comm handle, const struct comm *comm, int *ranks)
{
	pmpi.Graph_neighbors(handle, comm->rank, comm->source_blocks, ranks);
	pmpi.Graph_neighbors(handle, comm->rank, comm->target_blocks,
			     ranks + comm->source_blocks);
}

static bool ask_topology(MPI_Comm handle, const struct comm *comm, int *ranks,
			 int *weights)
{
	int topology = MPI_UNDEFINED;

	pmpi.Topo_test(handle, &topology);
	if (topology == MPI_CART)
		ask_cart(handle, comm, ranks);
	else if (topology == MPI_GRAPH)
		ask_graph(handle, comm, ranks);
	else if (topology == MPI_DIST_GRAPH)
		pmpi.Dist_graph_neighbors(handle, comm->source_blocks, ranks,
					  weights, comm->target_blocks,
					  ranks + comm->source_blocks,
					  weights + comm->source_blocks);
	return topology != MPI_UNDEFINED;
}

/* Edges from … to - 1. */
static void set_edges(struct neighbours *n, const struct comm *comm, int from,
		      int to, const int *ranks)
{
	for (int i = from; i < to; i++) {
		struct edge *e = &n->edges[i];

		e->world = comm_world(comm, ranks[i]);
		if (e->world == comms_world_rank)
			e->world = -1;
		e->first = from;
		while (n->edges[e->first].world != e->world)
			e->first++;
	}
}

static struct neighbours *find_neighbours(const struct comm *comm,
					  MPI_Comm handle)
{
	size_t count = (size_t)(comm->source_blocks + comm->target_blocks);
	int *ranks = calloc(2 * count + 1, sizeof(*ranks));
	struct neighbours *n = ranks ? neighbours_new(comm) : NULL;

	if (n && !ask_topology(handle, comm, ranks, ranks + count))
		n->sources = n->targets = 0;
	if (n) {
		set_edges(n, comm, 0, n->sources, ranks);
		set_edges(n, comm, n->sources, n->sources + n->targets, ranks);
	}
	free(ranks);
	return n;
}

struct neighbours *neighbours_of(const struct comm *comm, MPI_Comm handle)
{
	ptrdiff_t slot = comm - comm_slots;

	if (slot < 0 || slot >= 1 << COMM_BITS)
		return NULL;
	if (!comm_neighbours[slot])
		comm_neighbours[slot] = find_neighbours(comm, handle);
	return comm_neighbours[slot];
}

bool moves(MPI_Aint count, MPI_Datatype type)
{
	return count > 0 && type_size(type) > 0;
}
