/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next.h - the MPI function that stands behind a wrapper, and what else is
 * taken from the MPI library: all of it looked up at run time, so that this
 * library also loads where there is no MPI.
 *
 * Threads   Any; the first look-up of a name may be done twice.
 * Failure   A process without MPI, or with another MPI than this library is
 *           for, is never counted: next_of() returns NULL, and the caller
 *           goes on with next_uncounted().
 */
#ifndef MPI_NEXT_H
#define MPI_NEXT_H

#include <mpi.h>
#include <stdatomic.h>

#include "collect/region.h"

/* One wrapped function; static, made by FUNCTION(MPI_Send, SEND). */
struct function {
	struct region_name region;
	_Atomic(void *) next; /* NULL: not looked up yet */
};

#define FUNCTION(name_, class_)                                                \
	{                                                                      \
		.region = { .text = #name_,                                    \
			    .class = LIVE_NAME_MPI,                            \
			    .detail = LIVE_MPI_##class_ },                     \
	}

/* Slow parts of what follows. */
void *next_find(struct function *f);

/* What to call in place of a function that next_of() has nothing for. */
void *next_uncounted(const struct function *f);

/* The definition to call and count, or NULL. */
static inline void *next_of(struct function *f)
{
	void *next = atomic_load_explicit(&f->next, memory_order_acquire);

	return next ? next : next_find(f);
}

/* Queries made on our own behalf, past any other tool. */
#define PMPI_FUNCTIONS(F)                                                      \
	F(Cart_shift)                                                          \
	F(Cartdim_get)                                                         \
	F(Comm_group)                                                          \
	F(Comm_rank)                                                           \
	F(Comm_remote_group)                                                   \
	F(Comm_remote_size)                                                    \
	F(Comm_size)                                                           \
	F(Comm_test_inter)                                                     \
	F(Dist_graph_neighbors_count)                                          \
	F(Get_library_version)                                                 \
	F(Graph_neighbors_count)                                               \
	F(Group_free)                                                          \
	F(Group_translate_ranks)                                               \
	F(Query_thread)                                                        \
	F(Test_cancelled)                                                      \
	F(Topo_test)                                                           \
	F(Type_get_envelope)                                                   \
	F(Type_size_x)

/* Valid once any next_of() has returned something. */
struct pmpi {
#define F(name) __typeof__(&PMPI_##name) name;
	PMPI_FUNCTIONS(F)
#undef F
	MPI_Comm world, self, no_comm;
	MPI_Datatype no_type; /* MPI_DATATYPE_NULL */
	MPI_Op no_op;
	MPI_Request no_request;
	MPI_Request completed; /* stands for any that was complete at once */
};
extern struct pmpi pmpi;

#endif
