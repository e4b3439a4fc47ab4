/* SPDX-License-Identifier: BSD-3-Clause */
/* operations.c - which matched operations the database keeps as they were.
 */
#include <stdlib.h>

#include "base/comparison.h"
#include "base/err.h"
#include "waits/timeline/time-bins.h"

/*
 * The level from which on there is room for all records.  An operation has one
 * level in all ranks, so it is kept as a whole.
 */
static unsigned int choose_level(const struct matched_events *events)
{
	size_t of[UINT8_MAX + 1] = { 0 }, above = 0;
	unsigned int level = UINT8_MAX + 1;

	for (size_t i = 0; i < events->count; i++)
		of[events->at[i].level] += !events->at[i].init;
	while (level > 0 && above + of[level - 1] <= OPERATION_RECORDS)
		above += of[--level];
	return level;
}

ORDER_BY(by_operation_time, struct run_operation,
	 ASC(rank) ?: ASC(thread) ?: ASC(enter_ns) ?: ASC(operation))

/* Where clocks are not known well, a time may be before the axis. */
static uint64_t axis_time(int64_t ns, int64_t begin)
{
	return ns > begin ? (uint64_t)(ns - begin) : 0;
}

static struct run_operation operation_of(const struct matched_events *events,
					 const struct wait_state *waits,
					 size_t i, int64_t begin)
{
	const struct event_record *p = &events->at[i];
	uint32_t culprit = events->at[waits[i].culprit].process;

	return (struct run_operation){
		.rank = p->process,
		.thread = p->thread,
		.kind = p->kind,
		.begin_node = p->begin_node,
		.node = p->node,
		.peer = p->peer,
		.tag = p->check,
		.begin_ns = axis_time(p->begin, begin),
		.enter_ns = axis_time(p->enter, begin),
		.leave_ns = axis_time(p->leave, begin),
		.wait_ns = (uint64_t)waits[i].ns,
		.culprit = waits[i].ns ? culprit : WAIT_OTHERS,
	};
}

int operations_keep(struct run *run, const struct matched_events *events,
		    const struct wait_state *waits, const struct clocks *clocks)
{
	struct run_waits *to = &run->waits;
	int64_t begin = clocks_begin(clocks, events);
	unsigned int level = choose_level(events);
	uint32_t operation = 0;

	to->operations =
		calloc(OPERATION_RECORDS < events->count ? OPERATION_RECORDS
							 : events->count + 1,
		       sizeof(*to->operations));
	if (!to->operations)
		return no_memory();
	for (size_t i = 0, end; i < events->count; operation++) {
		end = match_operation_end(events, i);
		for (; i < end; i++) {
			struct run_operation *o =
				&to->operations[to->operation_count];

			if (events->at[i].init || events->at[i].level < level)
				continue;
			*o = operation_of(events, waits, i, begin);
			o->operation = operation;
			to->operation_count++;
		}
	}
	qsort(to->operations, to->operation_count, sizeof(*to->operations),
	      by_operation_time);
	return 0;
}
