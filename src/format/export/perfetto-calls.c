/* SPDX-License-Identifier: BSD-3-Clause */
/* perfetto-calls.c - see perfetto-calls.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/paths/paths.h"
#include "analyse/base/processes.h"
#include "format/export/perfetto-calls.h"

#define NS_OF_US 1000

int perfetto_calls_init(struct perfetto_calls *calls, const struct run *run,
			const bool *chosen, uint64_t flows)
{
	*calls = (struct perfetto_calls){ .run = run,
					  .chosen = chosen,
					  .flows = flows };
	return operation_index_init(&calls->index, run);
}

/*
 * An arrow has the number of the row that waited.  It begins where the row
 * itself does, in each row that it waited for.
 */
static void begin_arrows(const struct perfetto_calls *c, struct perfetto *to,
			 size_t row)
{
	const struct run_operation *at = c->index.at;
	size_t count;
	const uint32_t *of = operation_index_rows(&c->index, row, &count);

	for (size_t i = 0; i < count; i++)
		if (of[i] != row && at[of[i]].culprit == at[row].rank &&
		    c->chosen[at[of[i]].rank])
			perfetto_flow(to, c->flows + of[i], false);
}

/* Before the call ends: who waited is told after whom it waited for. */
static void end_arrow(const struct perfetto_calls *c, struct perfetto *to,
		      size_t row, uint64_t track)
{
	const struct run_operation *o = &c->index.at[row];
	char *name =
		str_format("waited for %s %" PRIu64, processes_noun(c->run),
			   processes_number(c->run, o->culprit));

	to->out.exhausted |= !name;
	if (name) {
		perfetto_note(to, PERFETTO_WAITED_HERE, o->wait_ns);
		if (c->chosen[o->culprit])
			perfetto_flow(to, c->flows + row, true);
		perfetto_instant(to, track, o->leave_ns, name);
	}
	free(name);
}

static void call_slice(const struct perfetto_calls *c, struct perfetto *to,
		       size_t row, size_t end, uint64_t track)
{
	const struct run_operation *call = &c->index.at[row];
	uint64_t leave = call->leave_ns;

	perfetto_note(to, PERFETTO_OPERATIONS, end - row);
	for (size_t i = row; i < end; i++)
		begin_arrows(c, to, i);
	perfetto_begin(to, track, call->enter_ns,
		       paths_function(c->run, call->node));
	for (size_t i = row; i < end; i++) {
		if (c->index.at[i].wait_ns)
			end_arrow(c, to, i, track);
		if (c->index.at[i].leave_ns > leave)
			leave = c->index.at[i].leave_ns;
	}
	perfetto_end(to, track, leave);
}

void perfetto_calls_put(const struct perfetto_calls *c, struct perfetto *to,
			const struct run_time_row *thread, uint64_t track,
			uint64_t parent)
{
	const struct run_operation *at = c->index.at;
	bool known = false;

	for (size_t i = operation_index_first(&c->index, thread->rank), end;
	     i < c->index.count && at[i].rank == thread->rank; i = end) {
		end = operation_index_call_end(&c->index, i);
		if (at[i].thread != thread->number)
			continue;
		if (!known)
			perfetto_track(to, track, parent, "calls of MPI");
		known = true;
		call_slice(c, to, i, end, track);
	}
}

static void iteration_slice(struct perfetto *to, const struct run_step *step,
			    const struct run_iteration *at, size_t row,
			    uint64_t ns, uint64_t track)
{
	uint32_t each;
	uint64_t number = run_iteration_number(step, row, &each);
	char *name = each == 1 ? str_format("iteration %" PRIu64, number)
			       : str_format("iterations %" PRIu64 "–%" PRIu64,
					    number, number + each - 1);

	to->out.exhausted |= !name;
	if (name) {
		perfetto_note(to, PERFETTO_MPI,
			      (uint64_t)at->mpi_us * NS_OF_US);
		if (at->gpu_us)
			perfetto_note(to, PERFETTO_GPU,
				      (uint64_t)at->gpu_us * NS_OF_US);
		perfetto_begin(to, track, ns, name);
		perfetto_end(to, track, ns + (uint64_t)at->us * NS_OF_US);
	}
	free(name);
}

void perfetto_iterations(const struct run *run, struct perfetto *to,
			 uint32_t process, uint64_t begin, uint64_t track,
			 uint64_t parent)
{
	const struct run_iterations *all = &run->iterations;
	const struct run_iteration_rank *of = run_iterations_of(run, process);
	uint64_t ns;

	if (!of || all->steps->begin_real_ns < begin)
		return;
	perfetto_track(to, track, parent, "iterations");
	ns = all->steps->begin_real_ns - begin + of->begin_ns;
	for (size_t row = 0; row < of->count; row++) {
		const struct run_iteration *at = &all->rows[of->first + row];

		iteration_slice(to, all->steps, at, row, ns, track);
		ns += (uint64_t)at->us * NS_OF_US;
	}
}
