/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge-mpi.c - copse-merge-openmpi, copse-merge-mpich: what `copse merge`
 * becomes in an MPI job.  The only code of the merge that knows MPI.
 *
 * Whoever fails says why and aborts the job, so that nobody waits for it; a
 * process that dies without a word is the launcher's to notice.
 */
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/job.h"
#include "run/team.h"
#include "tools/command.h"
#include "tools/merge-job.h"
#include "tools/out.h"

extern const struct command command_merge;

enum {
	TAG = 1,
	PIECE = 1 << 30, /* bytes or numbers of one call, whose count is int */
	TRIES = 100,     /* before a pause, of so much more each time */
	STEP_NS = 10000,
	MOST_NS = 1000000,
	PATIENCE_S = 5,
};

/*
 * Blobs: first how long they are.
 */

static int reserve_blob(struct blob *blob, size_t size)
{
	blob_clear(blob);
	if (!blob_reach(blob, size))
		return no_memory();
	blob->size = size;
	return 0;
}

static size_t piece(size_t left)
{
	return left < PIECE ? left : PIECE;
}

/*
 * The root takes a while for what only one can do, and may do it on the same
 * cores: who waits for it sleeps, where MPI would look again and again.
 */
static void wait_for_request(MPI_Request *request)
{
	struct timespec pause = { 0, 0 };
	int done = 0;

	for (int tries = 0; !done; tries++) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (tries > TRIES && pause.tv_nsec < MOST_NS)
			pause.tv_nsec += STEP_NS;
		if (!done && pause.tv_nsec)
			nanosleep(&pause, NULL);
	}
}

static void send_bytes(const void *at, size_t size, int to)
{
	MPI_Request request;

	MPI_Isend(at, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &request);
	wait_for_request(&request);
}

static void receive_bytes(void *at, size_t size, int from)
{
	MPI_Request request;

	MPI_Irecv(at, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &request);
	wait_for_request(&request);
}

static void share_bytes(void *at, size_t size)
{
	MPI_Request request;

	MPI_Ibcast(at, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	wait_for_request(&request);
}

static int team_send(struct team *team, int to, const struct blob *blob)
{
	uint64_t size = blob->size;

	(void)team;
	send_bytes(&size, sizeof(size), to);
	for (size_t at = 0; at < size; at += PIECE)
		send_bytes(blob->at + at, piece(size - at), to);
	return 0;
}

static int team_receive(struct team *team, int from, struct blob *blob)
{
	uint64_t size;

	(void)team;
	receive_bytes(&size, sizeof(size), from);
	if (reserve_blob(blob, size))
		return -ENOMEM;
	for (size_t at = 0; at < size; at += PIECE)
		receive_bytes(blob->at + at, piece(size - at), from);
	return 0;
}

static int team_share(struct team *team, struct blob *blob)
{
	uint64_t size = blob->size;

	share_bytes(&size, sizeof(size));
	if (team->rank && reserve_blob(blob, size))
		return -ENOMEM;
	for (size_t at = 0; at < size; at += PIECE)
		share_bytes(blob->at + at, piece(size - at));
	return 0;
}

static int team_sum(struct team *team, uint64_t *at, size_t count)
{
	(void)team;
	for (size_t i = 0; i < count; i += PIECE) {
		MPI_Request request;

		MPI_Iallreduce(MPI_IN_PLACE, at + i, (int)piece(count - i),
			       MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
		wait_for_request(&request);
	}
	return 0;
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

/* Processes that MPI has not brought together would all write one file. */
static int check_size(const struct team *team)
{
	struct job job;

	job_init(&job);
	if (!job.launched || job.size == team->size || team->size > 1)
		return 0;
	return fail(-EINVAL,
		    "the launcher started %d processes, and MPI sees %d: this "
		    "copse was built for another MPI",
		    job.size, team->size);
}

/* All words, as one. */
static int put_argument_words(struct blob *to, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		blob_put_text(to, argv[i]);
	return blob_error(to);
}

/* In a script that each rank runs, each may mean another directory. */
static int check_same(struct team *team, int argc, char **argv)
{
	struct blob ours = { 0 }, roots = { 0 };
	uint64_t others = 0;
	int err = put_argument_words(&ours, argc, argv);

	if (!err)
		err = put_argument_words(&roots, argc, argv);
	if (!err)
		err = team_share(team, &roots);
	if (!err) {
		others = ours.size != roots.size ||
			 (ours.size && memcmp(ours.at, roots.at, ours.size));
		err = team_sum(team, &others, 1);
	}
	blob_fini(&ours);
	blob_fini(&roots);
	return !err && others ? fail(-EINVAL,
				     "the processes of the job have different "
				     "options; to merge alone: --alone")
			      : err;
}

static int say_failure(int err)
{
	if (err < 0 && err != -ECANCELED)
		fprintf(stderr, "copse merge: %s\n", fail_reason());
	return err == -EINVAL ? 2 : err < 0 ? 1 : err;
}

static int merge_with_mpi(int argc, char **argv, bool threads_allowed)
{
	struct team team = { .send = team_send,
			     .receive = team_receive,
			     .share = team_share,
			     .sum = team_sum };
	int first, status;

	MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &team.size);
	if (check_size(&team) || check_same(&team, argc, argv)) {
		team.over = true;
		return team.rank ? 2 : say_failure(-EINVAL);
	}
	first = options_parse(&command_merge, argc, argv);
	if (first < 0)
		return say_failure(first);
	status = say_failure(merge_by(&team, threads_each(threads_allowed),
				      argc - first, argv + first));
	fflush(NULL);
	if (status && !team.over)
		MPI_Abort(MPI_COMM_WORLD, status);
	return status;
}

static volatile sig_atomic_t result;

static void leave_on_signal(int signo)
{
	(void)signo;
	_exit(result);
}

/*
 * MPICH 4.0 hangs in there between hosts over TCP (its pull request 6596), when
 * all work is done: so it has only so long.  Open MPI's launcher would take
 * such an end for a failure.
 */
static void finalize(int status)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	MPI_Get_library_version(library, &length);
	if (!strncmp(library, "MPICH", 5)) {
		result = status;
		signal(SIGALRM, leave_on_signal);
		alarm(PATIENCE_S);
	}
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	int level, status;

	out_begin();
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	status = merge_with_mpi(argc, argv, level >= MPI_THREAD_FUNNELED);
	finalize(status);
	return status;
}
