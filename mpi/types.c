/* SPDX-License-Identifier: BSD-3-Clause */
/* types.c - the first type of each place stays there. */
#include "mpi/types.h"

#include <stdbool.h>

#include "mpi/libmpi.h"

struct type_known types_known[TYPES_KNOWN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_predefined(MPI_Datatype type)
{
	int integers, addresses, types, combiner = MPI_UNDEFINED;

	return pmpi.Type_get_envelope(type, &integers, &addresses, &types,
				      &combiner) == MPI_SUCCESS &&
	       combiner == MPI_COMBINER_NAMED;
}

static void remember_type(MPI_Datatype type, uint64_t size)
{
	struct type_known *known = &types_known[type_place(handle_key(type))];

	if (atomic_load(&known->key) || !is_predefined(type))
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&known->key)) {
		known->size = size;
		atomic_store_explicit(&known->key, handle_key(type),
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
}

uint64_t type_ask(MPI_Datatype type)
{
	MPI_Count size = 0;

	if (!type || type == pmpi.no_type ||
	    pmpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
		return 0;
	remember_type(type, (uint64_t)size);
	return (uint64_t)size;
}

void types_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
