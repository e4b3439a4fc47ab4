/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmpi.h - the process's MPI library, and what is taken from it: all of it
 * looked up at run time, so that this library also loads where there is no MPI.
 *
 * Threads   Any.
 */
#pragma once

#include <stdbool.h>

#include "mpi/trampolines.h"

enum library {
	LIBRARY_NONE, /* not yet */
	LIBRARY_OURS,
	LIBRARY_FOREIGN /* another MPI than this adapter is for */
};

/* What was found does not change, and is found by all threads alike. */
enum library libmpi_library(void);

/* The definition of MPI that is next in line, or NULL. */
void *libmpi_look_up(const char *symbol);

/*
 * The one that the program would get without us, MPI's or not, in whatever
 * library; or NULL.  That library may be closed again.
 */
void *libmpi_look_up_beyond(const char *symbol);

/* The program, or a library before us, has one of its own: ours is not met. */
bool libmpi_is_preceded(const char *symbol);

/* The library that has this code defines the symbol itself. */
bool libmpi_is_beside(const void *code, const char *symbol);

/* Libraries that were loaded and unloaded until now; never 0. */
unsigned long long libmpi_changes(void);

/* Queries that only one MPI needs: its mpi.h says so. */
#ifndef PMPI_OWN_FUNCTIONS
#define PMPI_OWN_FUNCTIONS(F)
#endif

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
	F(Dist_graph_neighbors)                                                \
	F(Dist_graph_neighbors_count)                                          \
	F(Get_library_version)                                                 \
	F(Graph_neighbors)                                                     \
	F(Graph_neighbors_count)                                               \
	F(Group_free)                                                          \
	F(Group_size)                                                          \
	F(Group_translate_ranks)                                               \
	F(Query_thread)                                                        \
	F(Test_cancelled)                                                      \
	F(Topo_test)                                                           \
	F(Type_get_envelope)                                                   \
	F(Type_size_x)                                                         \
	F(Win_get_group)                                                       \
	PMPI_OWN_FUNCTIONS(F)

/* Valid in all wrappers: LIBRARY_OURS was found then. */
struct pmpi {
#define F(name) __typeof__(&PMPI_##name) name;
	PMPI_FUNCTIONS(F)
#undef F
	/* What mpi.h has as data of the library, or as numbers. */
	MPI_Comm world, self, no_comm;
	MPI_Datatype no_type;
	MPI_Op no_op;
	MPI_Request no_request;
	MPI_Request completed; /* Open MPI's: see there */
};
extern struct pmpi pmpi;
