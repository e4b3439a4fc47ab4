/* SPDX-License-Identifier: BSD-3-Clause */
/* lifecycle.c - what functions.tbl does by name, and MPI_Pcontrol. */
#include "mpi/lifecycle.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "mpi/comms.h"
#include "mpi/deferred-receives.h"
#include "mpi/libmpi.h"
#include "mpi/messages.h"
#include "mpi/mpi-events.h"
#include "mpi/requests.h"
#include "mpi/types.h"
#include "mpi/windows.h"

/*
 * "Open MPI v4.1.4, package: …" without who packaged it;
 * "MPICH Version:\t4.0.2\nMPICH Release date: …" is MPICH 4.0.2.
 */
static void shorten_name(char *text)
{
	static const char word[] = " Version:";
	char *at, *number;

	text[strcspn(text, ",\n")] = '\0';
	at = strstr(text, word);
	if (!at)
		return;
	number = at + strlen(word);
	number += strspn(number, " \t");
	memmove(at + 1, number, strlen(number) + 1);
}

/*
 * A forked child has another profile: what was remembered of the parent's is
 * not mapped there any more.  And another thread may have had a lock.
 */
static void forget_parents(void)
{
	comms_forked();
	windows_forked();
	types_forked();
	messages_forked();
	requests_forked();
	receives_forked();
	events_forked();
}

static void register_child(void)
{
	pthread_atfork(NULL, NULL, forget_parents);
}

void lifecycle_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_child);
}

void lifecycle_announce(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int rank = -1, size = 0, length;

	pmpi.Comm_rank(pmpi.world, &rank);
	pmpi.Comm_size(pmpi.world, &size);
	pmpi.Get_library_version(text, &length);
	shorten_name(text);
	copse_mpi_init(rank, size, text);
	messages_init();
	comms_init();
}

void lifecycle_finished(void)
{
	receives_settle();
	copse_mpi_finalize();
	comms_fini();
}

void lifecycle_comm_gone(const MPI_Comm *comm)
{
	if (comm && *comm != pmpi.world && *comm != pmpi.self)
		comm_forget(*comm);
}

void lifecycle_request_gone(const MPI_Request *request)
{
	if (request)
		request_forget(*request);
}

void lifecycle_comm_spawned(int root, MPI_Comm comm, const MPI_Comm *made)
{
	int rank = -1, count = 0;

	pmpi.Comm_rank(comm, &rank);
	if (rank == root && !pmpi.Comm_remote_size(*made, &count))
		copse_mpi_spawned((uint32_t)count);
}

struct comm lifecycle_window_gone(const MPI_Win *win)
{
	return win ? window_forget(handle_key(*win)) : (struct comm){ .id = 0 };
}

/*
 * Levels 0 and 1 switch measuring off and on, and say so as often as they
 * like; 2 asks for buffers to be flushed, of which we have none.  MPI leaves
 * all others to tools: the program says that it has come to this place.  That
 * is counted as calls of other functions are, and told apart where they are
 * counted: steps are looked for there first.
 */
static void control_level(int level)
{
	if (level == 0 || level == 1)
		copse_mpi_control(level);
}

static bool level_marks(int level)
{
	return level < 0 || level > 2;
}

static const struct region_values no_values = { .root = LIVE_NO_ROOT };

/*
 * The arguments after the level mean something to another tool in line at
 * most.  Up to five words of them go on: those are passed in registers, so
 * taking them is harmless when they were not given.
 */
static int pass_on_pcontrol(__typeof__(&MPI_Pcontrol) next, int level,
			    va_list list)
{
	void *more[5];

	for (int i = 0; i < 5; i++)
		more[i] = va_arg(list, void *);
	return next(level, more[0], more[1], more[2], more[3], more[4]);
}

int MPI_Pcontrol(const int level, ...)
{
	bool marks = level_marks(level);
	struct region region;
	va_list list;
	int rc;

	control_level(level);
	if (marks)
		region_enter(&region, &gate_rows[ROW_MPI_Pcontrol]);
	va_start(list, level);
	rc = pass_on_pcontrol(gate_nexts[GATE_MPI_Pcontrol], level, list);
	va_end(list);
	if (marks)
		copse_region_leave(&region, &no_values);
	return rc;
}

/* In Fortran there is nothing after the level. */
#define FORTRAN_HAND(symbol, function)                                         \
	__attribute__((visibility("hidden"))) void copse_wrap_##symbol(        \
		const MPI_Fint *level);                                        \
	void copse_wrap_##symbol(const MPI_Fint *level)                        \
	{                                                                      \
		void (*next)(const MPI_Fint *) = gate_nexts[GATE_##symbol];    \
		bool marks = level_marks(*level);                              \
		struct region region;                                          \
                                                                               \
		control_level(*level);                                         \
		if (marks)                                                     \
			region_enter(&region, &gate_rows[ROW_##function]);     \
		next(level);                                                   \
		if (marks)                                                     \
			copse_region_leave(&region, &no_values);               \
	}
#define ROW(function, class, polls)
#define GATE(symbol, function)
#define FORTRAN_GATE(symbol, function, parameters, arguments)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
