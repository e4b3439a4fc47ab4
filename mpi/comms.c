/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c - two tables, for the life of the process. */
#include "mpi/comms.h"

#include "mpi/handles.h"
#include "mpi/next.h"

/* Handles are addresses or numbers, by MPI. */
#define KEY(handle) ((const void *)(uintptr_t)(handle))

#define COMM_BITS      9
#define REQUEST_BITS   13
#define COMMS_RECORDED 1000 /* a program may make them in a loop */

static _Atomic uintptr_t comm_keys[1 << COMM_BITS];
static struct comm comm_slots[1 << COMM_BITS];
static struct handles comms = { comm_keys, COMM_BITS,
				PTHREAD_MUTEX_INITIALIZER };
static unsigned int recorded; /* under the lock of comms */

static _Atomic uintptr_t request_keys[1 << REQUEST_BITS];
static struct region_values request_slots[1 << REQUEST_BITS];
static struct handles requests = { request_keys, REQUEST_BITS,
				   PTHREAD_MUTEX_INITIALIZER };

/* For a communicator that found no slot. */
static __thread struct comm homeless __attribute__((tls_model("initial-exec")));

static void neighbours_cart(MPI_Comm handle, struct comm *comm)
{
	int dims = 0;

	pmpi.Cartdim_get(handle, &dims);
	comm->source_blocks = comm->target_blocks = 2 * dims;
	for (int d = 0; d < dims; d++) {
		int before = MPI_PROC_NULL, after = MPI_PROC_NULL;

		pmpi.Cart_shift(handle, d, 1, &before, &after);
		comm->sources += before != MPI_PROC_NULL;
		comm->sources += after != MPI_PROC_NULL;
	}
	comm->targets = comm->sources;
}

static void neighbours(MPI_Comm handle, struct comm *comm)
{
	int topology = MPI_UNDEFINED, weighted;

	pmpi.Topo_test(handle, &topology);
	if (topology == MPI_CART) {
		neighbours_cart(handle, comm);
		return;
	}
	if (topology == MPI_GRAPH) {
		pmpi.Graph_neighbors_count(handle, comm->rank, &comm->sources);
		comm->targets = comm->sources;
	} else if (topology == MPI_DIST_GRAPH) {
		pmpi.Dist_graph_neighbors_count(handle, &comm->sources,
						&comm->targets, &weighted);
	}
	comm->source_blocks = comm->sources;
	comm->target_blocks = comm->targets;
}

static void describe(MPI_Comm handle, struct comm *comm)
{
	int inter = 0;

	*comm = (struct comm){ 0 };
	pmpi.Comm_test_inter(handle, &inter);
	pmpi.Comm_size(handle, &comm->size);
	pmpi.Comm_rank(handle, &comm->rank);
	comm->inter = inter;
	comm->peers = comm->size;
	if (inter)
		pmpi.Comm_remote_size(handle, &comm->peers);
	else
		neighbours(handle, comm);
}

static const struct comm *comm_add(MPI_Comm handle)
{
	struct comm *comm = &homeless;
	int slot;

	describe(handle, comm);
	slot = handles_reserve(&comms, KEY(handle));
	if (slot < 0)
		return comm;
	comm = &comm_slots[slot];
	if (handles_find(&comms, KEY(handle)) < 0) {
		*comm = homeless;
		if (recorded++ < COMMS_RECORDED)
			comm->live = copse_comm_new(comm->size, comm->rank,
						    comm->inter);
	}
	handles_publish(&comms, slot, KEY(handle));
	return comm;
}

const struct comm *comm_of(MPI_Comm handle)
{
	int slot = handles_find(&comms, KEY(handle));

	return slot >= 0 ? &comm_slots[slot] : comm_add(handle);
}

void comm_forget(MPI_Comm handle)
{
	handles_remove(&comms, KEY(handle));
}

void request_keep(MPI_Request request, struct region_values values)
{
	int slot = handles_reserve(&requests, KEY(request));

	if (slot < 0)
		return;
	request_slots[slot] = values;
	handles_publish(&requests, slot, KEY(request));
}

void request_forget(MPI_Request request)
{
	if (handles_find(&requests, KEY(request)) >= 0)
		handles_remove(&requests, KEY(request));
}

struct region_values request_sum(int count, const MPI_Request list[])
{
	struct region_values sum = { 0 };

	for (int i = 0; i < count; i++) {
		int slot = handles_find(&requests, KEY(list[i]));

		if (slot < 0)
			continue;
		sum.sent += request_slots[slot].sent;
		sum.received += request_slots[slot].received;
	}
	return sum;
}
