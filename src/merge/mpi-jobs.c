/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-jobs.c - tell the MPI jobs of a run apart, and choose one. */
#include <stdlib.h>

#include "base/err.h"
#include "base/comparison.h"
#include "merge/run-processes.h"

struct seat { /* a process of an MPI job */
	uint64_t id, ns, begin;
	uint32_t size, process;
};

struct mpi_job { /* its seats are adjacent */
	const struct seat *seats;
	size_t count;
	uint64_t ns, begin; /* of all, of the first */
};

/* The same launcher's variables may be seen by programs of other MPIs. */
ORDER_BY(by_world, struct seat, ASC(id) ?: ASC(size))

/* The one that is chosen first, then as they began. */
ORDER_BY(by_weight, struct mpi_job,
	 DESC(ns) ?: DESC(seats->size) ?: ASC(begin) ?:
	 by_world(a->seats, b->seats))

ORDER_BY(by_begin, struct mpi_job, ASC(begin) ?: by_weight(a, b))

static size_t take_seats(const struct run *run, struct seat *seats)
{
	size_t count = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->rank >= 0)
			seats[count++] =
				(struct seat){ r->world_id, r->mpi_ns,
					       r->start_real_ns, r->job.size,
					       (uint32_t)i };
	}
	return count;
}

/* Of several that are not told apart, the world is the largest. */
static void unite_unknown(struct seat *seats, size_t count)
{
	uint32_t most = 0;
	bool known = true;

	for (size_t i = 0; i < count; i++) {
		known = known && seats[i].id;
		if (seats[i].size > most)
			most = seats[i].size;
	}
	for (size_t i = 0; i < count && !known; i++) {
		seats[i].id = 0;
		seats[i].size = most;
	}
}

static size_t find_jobs(struct mpi_job *jobs, const struct seat *seats,
			size_t count)
{
	struct mpi_job *job = jobs;

	for (size_t i = 0; i < count; i++) {
		if (!i || by_world(&seats[i - 1], &seats[i]))
			*job++ = (struct mpi_job){ .seats = &seats[i],
						   .begin = UINT64_MAX };
		job[-1].count++;
		job[-1].ns += seats[i].ns;
		if (seats[i].begin < job[-1].begin)
			job[-1].begin = seats[i].begin;
	}
	return (size_t)(job - jobs);
}

static void put_numbers(struct run *run, const struct mpi_job *jobs,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < jobs[i].count; s++)
			run->ranks[jobs[i].seats[s].process].job.number =
				(uint32_t)(i + 1);
	run->world = count ? jobs->seats->size : 0;
}

int mpi_jobs_number(struct run *run)
{
	struct seat *seats = calloc(run->rank_count + 1, sizeof(*seats));
	struct mpi_job *jobs = calloc(run->rank_count + 1, sizeof(*jobs));
	int err = seats && jobs ? 0 : no_memory();

	if (!err) {
		size_t count = take_seats(run, seats), found;

		unite_unknown(seats, count);
		qsort(seats, count, sizeof(*seats), by_world);
		found = find_jobs(jobs, seats, count);
		qsort(jobs, found, sizeof(*jobs), by_weight);
		if (found > 2)
			qsort(jobs + 1, found - 1, sizeof(*jobs), by_begin);
		put_numbers(run, jobs, found);
	}
	free(jobs);
	free(seats);
	return err;
}
