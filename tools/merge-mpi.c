/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge-mpi.c - copse-merge-openmpi, copse-merge-mpich: what `copse merge`
 * becomes in an MPI job.  The only code of the merge that knows MPI.
 *
 * Whoever fails says why and aborts the job, so that nobody waits for it; a
 * process that dies without a word is the launcher's to notice.
 */
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "launch/job.h"
#include "merge/team.h"
#include "tools/command.h"
#include "tools/merge-job.h"

extern const struct command command_merge;

enum {
	TAG = 1,
	PIECE = 1 << 30, /* bytes or numbers of one call, whose count is int */
};

/*
 * Blobs: first how long they are.
 */

static int no_memory(void)
{
	return fail(-ENOMEM, "out of memory");
}

static int reserve(struct blob *blob, size_t size)
{
	blob_clear(blob);
	if (!blob_reach(blob, size))
		return no_memory();
	blob->size = size;
	return 0;
}

static int piece(size_t left)
{
	return left < PIECE ? (int)left : PIECE;
}

static int team_send(struct team *team, int to, const struct blob *blob)
{
	uint64_t size = blob->size;

	(void)team;
	MPI_Send(&size, 1, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
	for (size_t at = 0; at < size; at += PIECE)
		MPI_Send(blob->at + at, piece(size - at), MPI_BYTE, to, TAG,
			 MPI_COMM_WORLD);
	return 0;
}

static int team_receive(struct team *team, int from, struct blob *blob)
{
	uint64_t size;

	(void)team;
	MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (reserve(blob, size))
		return -ENOMEM;
	for (size_t at = 0; at < size; at += PIECE)
		MPI_Recv(blob->at + at, piece(size - at), MPI_BYTE, from, TAG,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}

static int team_share(struct team *team, struct blob *blob)
{
	uint64_t size = blob->size;

	MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (team->rank && reserve(blob, size))
		return -ENOMEM;
	for (size_t at = 0; at < size; at += PIECE)
		MPI_Bcast(blob->at + at, piece(size - at), MPI_BYTE, 0,
			  MPI_COMM_WORLD);
	return 0;
}

static int team_sum(struct team *team, uint64_t *at, size_t count)
{
	(void)team;
	for (size_t i = 0; i < count; i += PIECE)
		MPI_Allreduce(MPI_IN_PLACE, at + i, piece(count - i),
			      MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return 0;
}

/* With one process after another, each time another one for all. */
static int exchange_with(const struct team *team, int step,
			 const struct blob out[], struct blob in[])
{
	int to = (team->rank + step) % team->size;
	int from = (team->rank - step + team->size) % team->size;
	uint64_t ours = out[to].size, theirs;
	size_t most;

	MPI_Sendrecv(&ours, 1, MPI_UINT64_T, to, TAG, &theirs, 1, MPI_UINT64_T,
		     from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (reserve(&in[from], theirs))
		return -ENOMEM;
	most = ours > theirs ? ours : theirs;
	for (size_t at = 0; at < most; at += PIECE)
		MPI_Sendrecv(at < ours ? out[to].at + at : NULL,
			     at < ours ? piece(ours - at) : 0, MPI_BYTE,
			     at < ours ? to : MPI_PROC_NULL, TAG,
			     at < theirs ? in[from].at + at : NULL,
			     at < theirs ? piece(theirs - at) : 0, MPI_BYTE,
			     at < theirs ? from : MPI_PROC_NULL, TAG,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}

static int team_exchange(struct team *team, const struct blob out[],
			 struct blob in[])
{
	int err = 0;

	for (int step = 0; step < team->size && !err; step++)
		err = exchange_with(team, step, out, in);
	return err;
}

/*
 * The program.
 */

/* Threads for each process, where several share a host's cores. */
static unsigned int threads_each(bool threads_allowed)
{
	cpu_set_t set, all;
	MPI_Comm host;
	int here = 1;
	unsigned int cores;

	if (!threads_allowed)
		return 1;
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &host);
	MPI_Comm_size(host, &here);
	MPI_Allreduce(&set, &all, (int)sizeof(set), MPI_BYTE, MPI_BOR, host);
	MPI_Comm_free(&host);
	cores = (unsigned int)CPU_COUNT(&all) / (unsigned int)here;
	return cores ? cores : 1;
}

/* What the launcher started and what MPI brought together must be the same. */
static int check_size(const struct team *team)
{
	struct job job;

	job_init(&job);
	if (!job.launched || job.size == team->size)
		return 0;
	return fail(-EINVAL,
		    "the launcher started %d processes, and MPI sees %d: this "
		    "copse was built for another MPI",
		    job.size, team->size);
}

static int say(int err)
{
	if (err < 0 && err != -ECANCELED)
		fprintf(stderr, "copse merge: %s\n", fail_reason());
	return err < 0 ? 1 : err;
}

static int merge(int argc, char **argv, bool threads_allowed)
{
	struct team team = { .send = team_send,
			     .receive = team_receive,
			     .share = team_share,
			     .sum = team_sum,
			     .exchange = team_exchange };
	int first, status;

	MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &team.size);
	if (check_size(&team))
		return say(-EINVAL);
	first = options_parse(&command_merge, argc, argv);
	if (first < 0)
		return say(first);
	status = say(merge_by(&team, threads_each(threads_allowed),
			      argc - first, argv + first));
	fflush(NULL);
	if (status && !team.over)
		MPI_Abort(MPI_COMM_WORLD, status);
	return status;
}

int main(int argc, char **argv)
{
	int level, status;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
	status = merge(argc, argv, level >= MPI_THREAD_SERIALIZED);
	MPI_Finalize();
	return status;
}
