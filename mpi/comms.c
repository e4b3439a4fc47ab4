/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c - a table of communicators, for the life of the process. */
#include "mpi/comms.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"
#include "mpi/libmpi.h"

#define COMMS_RECORDED 1000 /* a program may make them in a loop */
#define GROUPS         1024

bool comms_threads;
int comms_world_rank;
struct copse_steering *comms_steering;
static int world_size;
static bool has_world; /* between MPI_Init and MPI_Finalize: not in sessions */

_Atomic uintptr_t comm_keys[1 << COMM_BITS];
struct comm comm_slots[1 << COMM_BITS];
struct neighbours *comm_neighbours[1 << COMM_BITS];
struct handles comms = { comm_keys, COMM_BITS, PTHREAD_MUTEX_INITIALIZER };
static unsigned int recorded; /* under the lock of comms */

/* How many communicators of each group were made; under the lock of comms. */
static struct {
	uint64_t members;
	uint64_t made;
} groups[GROUPS];

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

static void count_neighbours(MPI_Comm handle, struct comm *comm)
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

static bool translate_ranks(MPI_Group group, int n, int *from, int *to)
{
	MPI_Group world;
	bool ok;

	if (!has_world || pmpi.Comm_group(pmpi.world, &world) != MPI_SUCCESS)
		return false;
	for (int i = 0; i < n; i++)
		from[i] = i;
	ok = pmpi.Group_translate_ranks(group, n, from, world, to) ==
	     MPI_SUCCESS;
	pmpi.Group_free(&world);
	return ok;
}

static bool is_range(const struct comm *comm)
{
	for (int i = 0; i < comm->peers; i++)
		if (comm->world[i] != comm->first + i)
			return false;
	return true;
}

/* The ranks in MPI_COMM_WORLD of those that messages go to. */
static void find_world(MPI_Comm handle, struct comm *comm)
{
	size_t n = (size_t)comm->peers;
	int *ranks = calloc(n ? 2 * n : 1, sizeof(*ranks));
	MPI_Group group;
	bool ok;

	comm->first = MPI_UNDEFINED;
	if (!ranks)
		return;
	if (comm->inter)
		pmpi.Comm_remote_group(handle, &group);
	else
		pmpi.Comm_group(handle, &group);
	ok = translate_ranks(group, comm->peers, ranks + n, ranks);
	pmpi.Group_free(&group);
	comm->world = ranks;
	for (size_t i = 0; i < n; i++)
		if (!ok || ranks[i] == MPI_UNDEFINED)
			ranks[i] = -1;
	comm->first = ranks[0];
	if (comm->first >= 0 && is_range(comm)) {
		free(ranks);
		comm->world = NULL;
	}
}

static bool is_of_all(const struct comm *comm)
{
	if (comm->inter || !has_world || comm->size != world_size)
		return false;
	for (int i = 0; i < comm->size; i++)
		if (comm_world(comm, i) < 0)
			return false;
	return true;
}

/* Of the members; 0: not all are in this world. */
static uint64_t hash_members(const struct comm *comm)
{
	uint64_t hash = hash_pair((uint64_t)comm->size, 1);

	for (int i = 0; i < comm->size; i++) {
		int rank = comm_world(comm, i);

		if (rank < 0)
			return 0;
		hash = hash_pair(hash, (uint64_t)rank);
	}
	return hash;
}

/* How many were made before of the same members; -1: too many groups. */
static int64_t count_made(uint64_t members)
{
	for (uint64_t i = 0; i < GROUPS; i++) {
		uint64_t at = (members + i) % GROUPS;

		if (!groups[at].members)
			groups[at].members = members;
		if (groups[at].members == members)
			return (int64_t)groups[at].made++;
	}
	return -1;
}

static uint64_t new_comm_id(const struct comm *comm)
{
	uint64_t members = comm->inter ? 0 : hash_members(comm);
	int64_t made = members ? count_made(members) : -1;

	return made < 0 ? 0 : hash_pair(members, (uint64_t)made) | 1;
}

static void describe_comm(MPI_Comm handle, struct comm *comm)
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
		count_neighbours(handle, comm);
	find_world(handle, comm);
	comm->all = is_of_all(comm);
}

static void record_comm(struct comm *comm)
{
	if (recorded++ >= COMMS_RECORDED)
		return;
	comm->live = copse_mpi_comm_new(&comm->ref);
	if (!comm->live)
		return;
	comm->live->size = (uint32_t)comm->size;
	comm->live->rank = (uint32_t)comm->rank;
	comm->live->inter = comm->inter;
	comm->live->id = comm->id;
	comm->live->first = (uint32_t)comm_world(comm, 0);
}

/* What is known of one that found no slot, until the thread's next. */
static struct comm *comm_without_slot(const struct comm *met)
{
	static __thread struct comm *last
		__attribute__((tls_model("initial-exec")));
	static struct comm unknown; /* nothing is counted of it */

	if (!last)
		last = calloc(1, sizeof(*last));
	if (!last) {
		free(met->world);
		return &unknown;
	}
	free(last->world);
	*last = *met;
	return last;
}

static struct comm *comm_add(MPI_Comm handle, bool made)
{
	struct comm met, *comm;
	int slot;

	describe_comm(handle, &met);
	slot = handles_reserve(&comms, handle_key(handle));
	if (slot < 0)
		return comm_without_slot(&met);
	comm = &comm_slots[slot];
	if (handles_find(&comms, handle_key(handle)) < 0) {
		*comm = met;
		met.world = NULL;
		comm->id = made ? new_comm_id(comm) : 0;
		record_comm(comm);
	}
	handles_publish(&comms, slot, handle_key(handle));
	free(met.world);
	return comm;
}

struct comm *comm_meet(MPI_Comm handle)
{
	return comm_add(handle, false);
}

void comm_forget(MPI_Comm handle)
{
	int slot = handles_find(&comms, handle_key(handle));
	int *world = slot >= 0 ? comm_slots[slot].world : NULL;

	if (slot < 0)
		return;
	comm_slots[slot].id = 0;
	free(comm_neighbours[slot]);
	comm_neighbours[slot] = NULL;
	handles_remove(&comms, handle_key(handle));
	free(world);
}

void comm_made(MPI_Comm handle)
{
	if (handle == pmpi.no_comm)
		return;
	comm_forget(handle); /* freed by a way that we do not see */
	comm_add(handle, true);
}

void comm_named(MPI_Comm handle, const char *name)
{
	struct comm *comm = comm_of(handle);

	if (comm->live && !comm->live->name)
		copse_mpi_comm_name(comm->live, name);
}

void comms_forked(void)
{
	handles_forked(&comms);
	for (size_t i = 0;
	     recorded && i < sizeof(comm_slots) / sizeof(*comm_slots); i++) {
		if (comm_keys[i] == HANDLES_FREE || !comm_slots[i].live)
			continue;
		comm_slots[i].live = NULL;
		comm_slots[i].ref = 0;
	}
}

void comms_init(void)
{
	int level = MPI_THREAD_SINGLE;

	pmpi.Query_thread(&level);
	pmpi.Comm_rank(pmpi.world, &comms_world_rank);
	pmpi.Comm_size(pmpi.world, &world_size);
	comms_threads = level == MPI_THREAD_MULTIPLE;
	comms_steering = copse_steering_begin();
	has_world = true;
	comm_made(pmpi.world);
	comm_made(pmpi.self);
}

void comms_fini(void)
{
	has_world = false;
}
