/* SPDX-License-Identifier: BSD-3-Clause */
/* operation-index.c - see operation-index.h. */
#include <stdlib.h>

#include "base/comparison.h"
#include "base/err.h"
#include "format/export/operation-index.h"

ORDER_ROWS_BY(by_operation_rank, struct run_operation, of,
	      ASC(operation) ?: ASC(rank) ?: ORDER(*i, *j))

int operation_index_init(struct operation_index *index, const struct run *run)
{
	const struct run_waits *w = &run->waits;

	*index = (struct operation_index){
		.at = w->operations,
		.count = w->operation_count,
		.order = calloc(w->operation_count + 1, sizeof(*index->order))
	};
	if (!index->order)
		return no_memory();
	for (uint32_t i = 0; i < index->count; i++)
		index->order[i] = i;
	if (index->count)
		qsort_r(index->order, index->count, sizeof(*index->order),
			by_operation_rank, w->operations);
	return 0;
}

void operation_index_fini(struct operation_index *index)
{
	free(index->order);
}

size_t operation_index_first(const struct operation_index *index,
			     uint32_t process)
{
	size_t from = 0, to = index->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (index->at[middle].rank < process)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

size_t operation_index_call_end(const struct operation_index *index, size_t row)
{
	const struct run_operation *call = &index->at[row];

	while (row < index->count && index->at[row].rank == call->rank &&
	       index->at[row].thread == call->thread &&
	       index->at[row].enter_ns == call->enter_ns)
		row++;
	return row;
}

const uint32_t *operation_index_rows(const struct operation_index *index,
				     size_t row, size_t *count)
{
	uint32_t operation = index->at[row].operation;
	size_t from = 0, to = index->count, end;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (index->at[index->order[middle]].operation < operation)
			from = middle + 1;
		else
			to = middle;
	}
	for (end = from; end < index->count; end++)
		if (index->at[index->order[end]].operation != operation)
			break;
	*count = end - from;
	return index->order + from;
}
