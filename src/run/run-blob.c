/* SPDX-License-Identifier: BSD-3-Clause */
/* run-blob.c - the entries of a run are written down, and added to another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "run/run-build.h"
#include "run/run-blob.h"

struct packed_run {
	uint32_t version;
	struct batch batch;
};

void run_pack(const struct run *run, struct blob *to)
{
	struct packed_run head = { run->version, run->batch };

	blob_put_strings(to, &run->strings);
	blob_put(to, &head, 1, sizeof(head));
	blob_put(to, run->ranks, run->rank_count, sizeof(*run->ranks));
	blob_put(to, run->losses, run->loss_count, sizeof(*run->losses));
	blob_put(to, run->problems, run->problem_count, sizeof(*run->problems));
	blob_put(to, run->threads.rows, run->threads.row_count,
		 sizeof(*run->threads.rows));
}

static int absorb_ranks(struct run *run, struct blob *from,
			const uint32_t *strings)
{
	size_t count;
	const struct run_rank *at = blob_get(from, &count, sizeof(*at));

	if (!at || !ARRAY_RESIZE(run->ranks, run->rank_count + count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct run_rank rank = at[i];

		rank.host = strings[rank.host];
		rank.source = strings[rank.source];
		rank.command = strings[rank.command];
		rank.role = strings[rank.role];
		rank.mpi_library = strings[rank.mpi_library];
		run->ranks[run->rank_count++] = rank;
	}
	return 0;
}

static int absorb_losses(struct run *run, struct blob *from,
			 const uint32_t *strings, uint32_t first_rank)
{
	size_t count;
	const struct run_loss *at = blob_get(from, &count, sizeof(*at));

	if (!at || !ARRAY_RESIZE(run->losses, run->loss_count + count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		run->losses[run->loss_count++] =
			(struct run_loss){ strings[at[i].name],
					   first_rank + at[i].rank,
					   at[i].count };
	return 0;
}

static int absorb_problems(struct run *run, struct blob *from,
			   const uint32_t *strings)
{
	size_t count;
	const struct run_problem *at = blob_get(from, &count, sizeof(*at));

	if (!at || !ARRAY_RESIZE(run->problems, run->problem_count + count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		run->problems[run->problem_count++] =
			(struct run_problem){ strings[at[i].source],
					      strings[at[i].text] };
	return 0;
}

static int absorb_threads(struct run_threads *to, struct blob *from,
			  const uint32_t *strings, uint32_t first_rank)
{
	size_t count;
	const struct run_thread *at = blob_get(from, &count, sizeof(*at));

	if (!at || !ARRAY_RESIZE(to->rows, to->row_count + count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct run_thread row = at[i];

		row.rank += first_rank;
		row.name = strings[row.name];
		to->rows[to->row_count++] = row;
	}
	return 0;
}

/* As add_identity() of one more file: who knew first is believed. */
static void absorb_head(struct run *run, const struct packed_run *head,
			const uint32_t *strings)
{
	if (!run->version)
		run->version = strings[head->version];
	for (size_t i = 0; i < batch_count; i++) {
		const struct batch_info *info = &batch_infos[i];

		if (!*batch_text(&run->batch, info))
			batch_set(&run->batch, info,
				  batch_text(&head->batch, info), info->size);
	}
}

int run_absorb(struct run *run, struct blob *from, uint32_t **strings)
{
	uint32_t *became = blob_get_strings(from, &run->strings);
	uint32_t first = (uint32_t)run->rank_count;
	struct packed_run head;
	int err = -ENOMEM;

	if (became && blob_get_one(from, &head, sizeof(head)))
		err = absorb_ranks(run, from, became);
	if (!err)
		err = absorb_losses(run, from, became, first);
	if (!err)
		err = absorb_problems(run, from, became);
	if (!err)
		err = absorb_threads(&run->threads, from, became, first);
	if (err) {
		free(became);
		return pack_error(from);
	}
	absorb_head(run, &head, became);
	*strings = became;
	return 0;
}
