/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * special.c - the wrappers that do more than count: the rows of functions.tbl
 * with the word `hand`.
 */
#include <mpi.h>
#include <stdarg.h>
#include <string.h>

#include "mpi/comms.h"
#include "mpi/next.h"
#include "mpi/notes.h"
#include "mpi/requests.h"

static const struct region_values nothing = { .root = LIVE_NO_ROOT };

/* MPI runs: who are we?  Also while nothing is measured. */
static void announce(void)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int rank = -1, size = 0, length;

	pmpi.Comm_rank(pmpi.world, &rank);
	pmpi.Comm_size(pmpi.world, &size);
	pmpi.Get_library_version(library, &length);
	library[strcspn(library, ",")] = '\0'; /* who packaged it follows */
	copse_mpi_init(rank, size, library);
	comms_init();
}

int MPI_Init(int *argc, char ***argv)
{
	static struct function me = FUNCTION(MPI_Init, OTHER);
	__typeof__(&MPI_Init) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(argc, argv);
	region_enter(&region, &me.region);
	rc = next(argc, argv);
	region_stop(&region);
	if (rc == MPI_SUCCESS)
		announce();
	copse_region_leave(&region, &nothing);
	if (rc == MPI_SUCCESS && region.call)
		note_world(&region);
	return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	static struct function me = FUNCTION(MPI_Init_thread, OTHER);
	__typeof__(&MPI_Init_thread) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(
			argc, argv, required, provided);
	region_enter(&region, &me.region);
	rc = next(argc, argv, required, provided);
	region_stop(&region);
	if (rc == MPI_SUCCESS)
		announce();
	copse_region_leave(&region, &nothing);
	if (rc == MPI_SUCCESS && region.call)
		note_world(&region);
	return rc;
}

int MPI_Finalize(void)
{
	static struct function me = FUNCTION(MPI_Finalize, OTHER);
	__typeof__(&MPI_Finalize) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))();
	region_enter(&region, &me.region);
	rc = next();
	if (rc == MPI_SUCCESS)
		copse_mpi_finalize();
	copse_region_leave(&region, &nothing);
	if (rc == MPI_SUCCESS && region.call)
		note_world(&region);
	return rc;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
	static struct function me = FUNCTION(MPI_Abort, OTHER);
	__typeof__(&MPI_Abort) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(comm, errorcode);
	region_enter(&region, &me.region);
	copse_mpi_abort(errorcode);
	rc = next(comm, errorcode);
	copse_region_leave(&region, &nothing);
	return rc;
}

/*
 * Levels 0 and 1 switch measuring off and on, and say so as often as they
 * like; 2 asks for buffers to be flushed, of which we have none, and all
 * others mean something to another tool.
 */
static void control(int level)
{
	if (level == 0 || level == 1)
		copse_mpi_control(level);
}

/*
 * The arguments after the level mean something to another tool in line at
 * most.  Up to five words of them go on: those are passed in registers, so
 * taking them is harmless when they were not given.
 */
int MPI_Pcontrol(const int level, ...)
{
	static struct function me = FUNCTION(MPI_Pcontrol, OTHER);
	__typeof__(&MPI_Pcontrol) next = next_of(&me);
	void *more[5];
	va_list list;

	va_start(list, level);
	for (int i = 0; i < 5; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	if (next)
		control(level);
	else
		next = (__typeof__(next))next_uncounted(&me);
	return next(level, more[0], more[1], more[2], more[3], more[4]);
}

/* The Fortran binding goes past MPI_Pcontrol, to PMPI_Pcontrol. */
__attribute__((visibility("default"))) void
mpi_pcontrol_(const MPI_Fint *level);

void mpi_pcontrol_(const MPI_Fint *level)
{
	static struct function me = FUNCTION(mpi_pcontrol_, OTHER);
	__typeof__(&mpi_pcontrol_) next = next_of(&me);

	if (next)
		control(*level);
	else
		next = (__typeof__(next))next_uncounted(&me);
	next(level);
}

/* What frees a handle forgets it first: another thread may get it next. */
int MPI_Comm_free(MPI_Comm *comm)
{
	static struct function me = FUNCTION(MPI_Comm_free, COLL);
	__typeof__(&MPI_Comm_free) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(comm);
	region_enter(&region, &me.region);
	if (comm)
		comm_forget(*comm);
	rc = next(comm);
	copse_region_leave(&region, &nothing);
	return rc;
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
	static struct function me = FUNCTION(MPI_Comm_disconnect, COLL);
	__typeof__(&MPI_Comm_disconnect) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(comm);
	region_enter(&region, &me.region);
	if (comm)
		comm_forget(*comm);
	rc = next(comm);
	copse_region_leave(&region, &nothing);
	return rc;
}

int MPI_Request_free(MPI_Request *request)
{
	static struct function me = FUNCTION(MPI_Request_free, OTHER);
	__typeof__(&MPI_Request_free) next = next_of(&me);
	struct region region;
	int rc;

	if (!next)
		return ((__typeof__(next))next_uncounted(&me))(request);
	region_enter(&region, &me.region);
	if (request)
		request_forget(*request);
	rc = next(request);
	copse_region_leave(&region, &nothing);
	return rc;
}
