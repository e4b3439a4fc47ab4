/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * otf2-calls.c - what has exact times in an archive: kept calls of MPI with
 * their messages and collective operations, and iterations.  Each has a
 * location of its own beside its thread's, where samples are: those would say
 * something else in between.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/paths.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "format/export/otf2-writer.h"

#define NS_OF_US 1000

enum otf2_event {
	OTF2_ENTER,
	OTF2_SEND,
	OTF2_ISEND,
	OTF2_IRECV_REQUEST,
	OTF2_COLLECTIVE_BEGIN,
	OTF2_COLLECTIVE_END,
	OTF2_RECV,
	OTF2_IRECV,
	OTF2_ISEND_COMPLETE,
	OTF2_LEAVE
};

struct otf2_moment {
	uint64_t ns;
	uint32_t order; /* of those at the same time */
	uint32_t row;   /* of the operation */
	enum otf2_event event;
};

struct otf2_moments {
	struct otf2_moment *at;
	size_t count, room;
};

/* Collectives that begin and end in one call. */
static const struct otf2_collective {
	const char *name;
	OTF2_CollectiveOp op;
} collectives[] = {
	{ "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER },
	{ "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST },
	{ "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER },
	{ "MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV },
	{ "MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER },
	{ "MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV },
	{ "MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
	{ "MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
	{ "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
	{ "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
	{ "MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
	{ "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE },
	{ "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE },
	{ "MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER },
	{ "MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK },
	{ "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN },
	{ "MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN },
};

/* NULL: it has none in OTF2, or not from the begin to the end of the call. */
static const struct otf2_collective *
collective_of(const struct otf2_archive *a, const struct run_operation *o)
{
	const char *name = paths_function(a->run, o->node);

	for (size_t i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
		if (o->begin_ns == o->enter_ns &&
		    !strcmp(name, collectives[i].name))
			return &collectives[i];
	return NULL;
}

static bool operation_is_message(const struct otf2_archive *a,
				 const struct run_operation *o)
{
	return o->kind <= RUN_OPERATION_RECV &&
	       strncmp(paths_function(a->run, o->begin_node), "MPI_Win_", 8);
}

/*
 * Communicators: who takes part in an operation, as far as it is chosen.
 */

/* It has the first call of its rank. */
static bool has_first_call(const struct otf2_archive *a,
			   const struct run_time_row *row)
{
	size_t first = operation_index_first(&a->index, row->rank);

	return row->kind == RUN_TIME_THREAD && first < a->index.count &&
	       a->index.at[first].rank == row->rank &&
	       a->index.at[first].thread == row->number;
}

static bool in_archive(const struct otf2_archive *a, uint32_t process)
{
	return a->comm_rank[process] != UINT32_MAX;
}

/* The number of one with these members, by Fowler, Noll and Vo's hash. */
static uint32_t comm_of_members(struct otf2_archive *a, const uint64_t *members,
				uint32_t count)
{
	struct otf2_comms *c = &a->comms;
	uint64_t hash = 0xcbf29ce484222325;
	bool fresh;
	uint32_t number;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ members[i]) * 0x100000001b3;
	number = otf2_number(a, &c->numbers, hash, count, &fresh);
	for (uint32_t i = 0; fresh && i < count; i++)
		if (!array_append(&c->members, &c->member_count,
				  &c->member_room, sizeof(*members),
				  &members[i]))
			a->err = -ENOMEM;
	if (fresh && !array_append(&c->end, &c->count, &c->end_room,
				   sizeof(*c->end), &c->member_count))
		a->err = -ENOMEM;
	return number;
}

/* Its communicator; *root: the peer's place in it, if that is there. */
static uint32_t comm_of_operation(struct otf2_archive *a, size_t row,
				  uint32_t *root)
{
	int32_t peer = a->index.at[row].peer;
	size_t all;
	const uint32_t *of = operation_index_rows(&a->index, row, &all);
	uint64_t *members = calloc(all, sizeof(*members));
	uint32_t count = 0, number = 0;

	*root = OTF2_COLLECTIVE_ROOT_NONE;
	for (size_t i = 0; i < all && members; i++) {
		uint32_t process = a->index.at[of[i]].rank;

		if (!in_archive(a, process))
			continue;
		if (a->run->ranks[process].rank == peer)
			*root = count;
		members[count++] = a->comm_rank[process];
	}
	if (members)
		number = comm_of_members(a, members, count);
	else
		a->err = no_memory();
	free(members);
	return number;
}

/* The other end of a message, among those that are chosen. */
static uint32_t message_partner(const struct otf2_archive *a, size_t row)
{
	size_t count;
	const uint32_t *of = operation_index_rows(&a->index, row, &count);

	return count == 2 ? a->comm_rank[a->index.at[of[of[0] == row]].rank]
			  : UINT32_MAX;
}

/* Communicator 0 has all whose calls were kept. */
void otf2_calls_begin(struct otf2_archive *a)
{
	uint64_t *members = calloc(a->line->row_count + 1, sizeof(*members));
	uint32_t count = 0;

	if (!members)
		a->err = no_memory();
	memset(a->comm_rank, 0xff, a->run->rank_count * sizeof(*a->comm_rank));
	for (size_t i = 0; i < a->line->row_count && !a->err; i++) {
		const struct run_time_row *row = &a->line->rows[i];

		if (!a->chosen[row->rank] || in_archive(a, row->rank) ||
		    !has_first_call(a, row))
			continue;
		members[count] = count;
		a->comm_rank[row->rank] = count++;
	}
	comm_of_members(a, members, count);
	free(members);
}

static void define_comm(struct otf2_archive *a, uint32_t number)
{
	size_t first = number ? a->comms.end[number - 1] : 0;
	char *name = number ? str_format("communicator %" PRIu32, number)
			    : strdup("all ranks");
	OTF2_StringRef text;

	if (!name) {
		a->err = no_memory();
		return;
	}
	text = otf2_text(a, name);
	otf2_check(a, OTF2_GlobalDefWriter_WriteGroup(
			      a->defs, number + 1, text,
			      OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
			      OTF2_GROUP_FLAG_NONE,
			      (uint32_t)(a->comms.end[number] - first),
			      a->comms.members + first));
	otf2_check(a, OTF2_GlobalDefWriter_WriteComm(
			      a->defs, number, text, number + 1,
			      OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	free(name);
}

/* Of communicator 0, where the calls of each are. */
static void define_ranks(struct otf2_archive *a)
{
	size_t count = a->comms.end[0];
	uint64_t *of = calloc(count + 1, sizeof(*of));

	if (!of) {
		a->err = no_memory();
		return;
	}
	for (size_t i = a->line->row_count; i-- > 0;) {
		const struct run_time_row *row = &a->line->rows[i];

		if (in_archive(a, row->rank) && has_first_call(a, row))
			of[a->comm_rank[row->rank]] = otf2_calls_location(a, i);
	}
	otf2_check(a, OTF2_GlobalDefWriter_WriteGroup(
			      a->defs, 0, otf2_text(a, "calls of MPI"),
			      OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
			      OTF2_GROUP_FLAG_NONE, (uint32_t)count, of));
	free(of);
}

void otf2_calls_define(struct otf2_archive *a)
{
	otf2_check(a, OTF2_GlobalDefWriter_WriteParameter(
			      a->defs, 0, otf2_text(a, "number"),
			      OTF2_PARAMETER_TYPE_UINT64));
	if (!a->err && a->comms.count && a->comms.end[0])
		define_ranks(a);
	for (uint32_t i = 0; i < a->comms.count && !a->err; i++)
		if (a->comms.end[0])
			define_comm(a, i);
}

void otf2_comms_fini(struct otf2_comms *comms)
{
	map_fini(&comms->numbers);
	free(comms->end);
	free(comms->members);
}

/*
 * Calls.
 */

static void put_moment(struct otf2_archive *a, struct otf2_moments *to,
		       uint64_t ns, enum otf2_event event, size_t row)
{
	struct otf2_moment one = { ns, (uint32_t)to->count, (uint32_t)row,
				   event };

	if (!array_append(&to->at, &to->count, &to->room, sizeof(one), &one))
		a->err = -ENOMEM;
}

static void put_part(struct otf2_archive *a, struct otf2_moments *to,
		     size_t row)
{
	const struct run_operation *o = &a->index.at[row];
	bool at_once = o->begin_ns == o->enter_ns;
	bool sent = o->kind == RUN_OPERATION_SEND;

	if (!in_archive(a, o->rank))
		return;
	if (operation_is_message(a, o) &&
	    message_partner(a, row) != UINT32_MAX) {
		if (sent || !at_once)
			put_moment(a, to, o->begin_ns,
				   !sent     ? OTF2_IRECV_REQUEST
				   : at_once ? OTF2_SEND
					     : OTF2_ISEND,
				   row);
		if (!sent || !at_once)
			put_moment(a, to, o->leave_ns,
				   sent      ? OTF2_ISEND_COMPLETE
				   : at_once ? OTF2_RECV
					     : OTF2_IRECV,
				   row);
	} else if (collective_of(a, o)) {
		put_moment(a, to, o->enter_ns, OTF2_COLLECTIVE_BEGIN, row);
		put_moment(a, to, o->leave_ns, OTF2_COLLECTIVE_END, row);
	}
}

static void put_call_moments(struct otf2_archive *a, struct otf2_moments *to,
			     size_t row, size_t end)
{
	uint64_t leave = 0;

	put_moment(a, to, a->index.at[row].enter_ns, OTF2_ENTER, row);
	for (size_t i = row; i < end; i++) {
		put_part(a, to, i);
		if (a->index.at[i].leave_ns > leave)
			leave = a->index.at[i].leave_ns;
	}
	put_moment(a, to, leave, OTF2_LEAVE, row);
}

ORDER_BY(by_moment, struct otf2_moment, ASC(ns) ?: ASC(order))

/* Lengths of messages are not known. */
static OTF2_ErrorCode write_message(struct otf2_archive *a, OTF2_EvtWriter *to,
				    const struct otf2_moment *m)
{
	uint32_t other = message_partner(a, m->row),
		 tag = a->index.at[m->row].tag;

	switch (m->event) {
	case OTF2_SEND:
		return OTF2_EvtWriter_MpiSend(to, NULL, m->ns, other, 0, tag,
					      0);
	case OTF2_RECV:
		return OTF2_EvtWriter_MpiRecv(to, NULL, m->ns, other, 0, tag,
					      0);
	case OTF2_ISEND:
		return OTF2_EvtWriter_MpiIsend(to, NULL, m->ns, other, 0, tag,
					       0, m->row);
	case OTF2_ISEND_COMPLETE:
		return OTF2_EvtWriter_MpiIsendComplete(to, NULL, m->ns, m->row);
	case OTF2_IRECV_REQUEST:
		return OTF2_EvtWriter_MpiIrecvRequest(to, NULL, m->ns, m->row);
	default:
		return OTF2_EvtWriter_MpiIrecv(to, NULL, m->ns, other, 0, tag,
					       0, m->row);
	}
}

static OTF2_ErrorCode write_moment(struct otf2_archive *a, OTF2_EvtWriter *to,
				   const struct otf2_moment *m)
{
	const struct run_operation *o = &a->index.at[m->row];
	uint32_t root, comm;

	switch (m->event) {
	case OTF2_ENTER:
		return OTF2_EvtWriter_Enter(to, NULL, m->ns,
					    otf2_region(a, o->node));
	case OTF2_LEAVE:
		return OTF2_EvtWriter_Leave(to, NULL, m->ns,
					    otf2_region(a, o->node));
	case OTF2_COLLECTIVE_BEGIN:
		return OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, m->ns);
	case OTF2_COLLECTIVE_END:
		comm = comm_of_operation(a, m->row, &root);
		return OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, m->ns,
						       collective_of(a, o)->op,
						       comm, root, 0, 0);
	default:
		return write_message(a, to, m);
	}
}

/* An events writer for a location, which otf2_close() counts and closes. */
static OTF2_EvtWriter *otf2_open(struct otf2_archive *a, size_t location)
{
	OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(a->archive, location);

	if (!to)
		a->err = no_memory();
	return to;
}

static void otf2_close(struct otf2_archive *a, size_t location,
		       OTF2_EvtWriter *to)
{
	otf2_check(a,
		   OTF2_EvtWriter_GetNumberOfEvents(to, &a->events[location]));
	otf2_check(a, OTF2_Archive_CloseEvtWriter(a->archive, to));
}

void otf2_calls(struct otf2_archive *a, size_t row)
{
	const struct run_time_row *thread = &a->line->rows[row];
	const struct operation_index *x = &a->index;
	size_t location = otf2_calls_location(a, row), end;
	struct otf2_moments moments = { 0 };
	OTF2_EvtWriter *to = NULL;

	for (size_t i = operation_index_first(x, thread->rank);
	     i < x->count && x->at[i].rank == thread->rank; i = end) {
		end = operation_index_call_end(x, i);
		if (x->at[i].thread == thread->number)
			put_call_moments(a, &moments, i, end);
	}
	if (moments.count && !a->err)
		to = otf2_open(a, location);
	if (to) {
		qsort(moments.at, moments.count, sizeof(*moments.at),
		      by_moment);
		for (size_t i = 0; i < moments.count && !a->err; i++)
			otf2_check(a, write_moment(a, to, &moments.at[i]));
		otf2_close(a, location, to);
	}
	free(moments.at);
}

/*
 * Iterations.
 */

static OTF2_RegionRef iteration_region(struct otf2_archive *a)
{
	bool fresh;
	uint32_t number =
		otf2_number(a, &a->regions, UINT64_MAX, UINT64_MAX, &fresh);
	OTF2_StringRef name = otf2_text(a, "iteration");

	if (!fresh)
		return number;
	otf2_check(a, OTF2_GlobalDefWriter_WriteRegion(
			      a->defs, number, name, name, otf2_text(a, ""),
			      OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_NONE,
			      OTF2_REGION_FLAG_PHASE, OTF2_UNDEFINED_STRING, 0,
			      0));
	return number;
}

void otf2_steps(struct otf2_archive *a, uint32_t process)
{
	const struct run_iterations *all = &a->run->iterations;
	const struct run_iteration_rank *of =
		run_iterations_of(a->run, process);
	size_t location = otf2_steps_location(a, process);
	OTF2_RegionRef region;
	OTF2_EvtWriter *to;
	uint64_t ns;

	if (!of)
		return;
	region = iteration_region(a);
	to = otf2_open(a, location);
	ns = all->steps->begin_real_ns - a->axis->begin_real_ns + of->begin_ns;
	for (size_t row = 0; row < of->count && to && !a->err; row++) {
		uint32_t each;

		otf2_check(a, OTF2_EvtWriter_Enter(to, NULL, ns, region));
		otf2_check(a, OTF2_EvtWriter_ParameterUnsignedInt(
				      to, NULL, ns, 0,
				      run_iteration_number(all->steps, row,
							   &each)));
		ns += (uint64_t)all->rows[of->first + row].us * NS_OF_US;
		otf2_check(a, OTF2_EvtWriter_Leave(to, NULL, ns, region));
	}
	if (to)
		otf2_close(a, location, to);
}
