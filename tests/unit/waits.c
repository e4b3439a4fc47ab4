/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-report.c - ranks made by hand that wait for each other, and who is
 * blamed. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "base/err.h"
#include "live/layout.h"
#include "merge/merge.h"
#include "run/run-build.h"
#include "waits/match-events.h"
#include "waits/timeline/time-bins.h"
#include "waits/wait-find.h"
#include "profile/profile.h"
#include "tests/lib/test.h"

#define MS    1000000
#define RANKS 8
#define MANY  4096

/* main calls MPI; what else it does is work or assemble. */
enum {
	MAIN = 1,
	WORK,
	ASSEMBLE,
	INIT,
	POST,
	COMPLETE,
	CALL, /* one MPI function for each kind of part */
	NODES = CALL + LIVE_EVENT_KINDS
};

static struct profile_node nodes[NODES] = {
	[MAIN] = { 0, NODE_CALL, 0, 0x101 },
	[WORK] = { MAIN, NODE_PC, 0, 0x200 },
	[ASSEMBLE] = { MAIN, NODE_PC, 0, 0x300 },
	[INIT] = { MAIN, NODE_NAMED, 7, 0 },
	[POST] = { MAIN, NODE_NAMED, 9, 0 },
	[COMPLETE] = { MAIN, NODE_NAMED, 10, 0 },
	[CALL + LIVE_EVENT_SEND] = { MAIN, NODE_NAMED, 0, 0 },
	[CALL + LIVE_EVENT_RECV] = { MAIN, NODE_NAMED, 1, 0 },
	[CALL + LIVE_EVENT_BARRIER] = { MAIN, NODE_NAMED, 2, 0 },
	[CALL + LIVE_EVENT_ALL] = { MAIN, NODE_NAMED, 3, 0 },
	[CALL + LIVE_EVENT_ONE_ALL] = { MAIN, NODE_NAMED, 4, 0 },
	[CALL + LIVE_EVENT_ALL_ONE] = { MAIN, NODE_NAMED, 5, 0 },
	[CALL + LIVE_EVENT_PREFIX] = { MAIN, NODE_NAMED, 6, 0 },
	[CALL + LIVE_EVENT_FENCE] = { MAIN, NODE_NAMED, 8, 0 },
};
static char app[] = "/no/such/app", no_text[] = "", command[] = "./app";
static char send[] = "MPI_Send", recv[] = "MPI_Recv", barrier[] = "MPI_Barrier",
	    all[] = "MPI_Allreduce", bcast[] = "MPI_Bcast",
	    reduce[] = "MPI_Reduce", scan[] = "MPI_Scan", init[] = "MPI_Init",
	    fence[] = "MPI_Win_fence", post[] = "MPI_Win_post",
	    complete[] = "MPI_Win_complete";
static struct profile_module modules[] = { { app, "", 0 } };
static struct profile_name names[] = {
	{ send, 0, 1 },  { recv, 0, 2 },   { barrier, 0, 4 },  { all, 0, 4 },
	{ bcast, 0, 4 }, { reduce, 0, 4 }, { scan, 0, 4 },     { init, 0, 0 },
	{ fence, 0, 6 }, { post, 0, 6 },   { complete, 0, 6 },
};

static struct rank {
	struct profile profile;
	struct profile_thread threads[2]; /* main, and a helper */
	struct profile_event parts[MANY];
	struct profile_moment moments[MANY];
	/* Its clock shows so much more at time 0, and runs so much faster. */
	double offset, drift;
	/* The next part: */
	uint32_t level, cluster;
} world[RANKS];

static int ranks;
static char directory[64];

static void begin(int count)
{
	ranks = count;
	for (int r = 0; r < count; r++) {
		struct rank *one = &world[r];

		*one = (struct rank){ .threads = { { .runs = 1,
						     .cpu_ns = 1000 * MS,
						     .samples = 1000,
						     .every = 1 },
						   { .runs = 1,
						     .cpu_ns = 2000 * MS,
						     .samples = 1000,
						     .every = 2 } } };
		one->profile = (struct profile){
			.id = { .rank = r,
				.size = count,
				.pid = 100 + (uint32_t)r,
				.host = "node1",
				.exe = app,
				.command = command,
				.job = no_text,
				.version = no_text,
				.events = no_text,
				.mpi_library = no_text,
				.start_mono_ns = 1,
				.mpi_init_ns = 10,
				.mpi_finalize_ns = 1000 * MS,
				.end_mono_ns = 1000 * MS,
				.end = END_EXIT },
			.modules = modules,
			.module_count = 1,
			.names = names,
			.name_count = sizeof(names) / sizeof(*names),
			.nodes = nodes,
			.node_count = NODES,
			.threads = one->threads,
			.thread_count = 2,
			.parts = one->parts,
			.moments = one->moments,
		};
	}
}

/* What rank r's clock shows at a true time. */
static uint64_t clock_of(int r, double ns)
{
	return (uint64_t)(ns + world[r].offset + world[r].drift * ns);
}

/* Rank r's part; times in ms. */
static struct profile_event *event(int r, uint64_t key, int kind, double begun,
				   double enter, double leave)
{
	struct rank *one = &world[r];
	struct profile_event *p = &one->parts[one->profile.part_count++];

	CHECK(one->profile.part_count, <=, MANY);
	*p = (struct profile_event){
		.key = key,
		.begin = clock_of(r, begun * MS),
		.enter = clock_of(r, enter * MS),
		.leave = clock_of(r, leave * MS),
		.begin_node = CALL + (uint32_t)kind,
		.node = CALL + (uint32_t)kind,
		.peer = -1,
		.size = (uint32_t)ranks,
		.comm_rank = (uint32_t)r,
		.kind = (uint32_t)kind,
		.level = one->level,
		.cluster = one->cluster,
	};
	return p;
}

static void message(uint64_t key, int from, double s_begin, double s_enter,
		    double s_leave, int to, double r_begin, double r_enter,
		    double r_leave)
{
	struct profile_event *s =
		event(from, key, LIVE_EVENT_SEND, s_begin, s_enter, s_leave);
	struct profile_event *r =
		event(to, key, LIVE_EVENT_RECV, r_begin, r_enter, r_leave);

	s->size = r->size = 2;
	s->peer = to;
	r->peer = from;
}

/* Rank r was there, a sample each millisecond. */
static void was_in(int r, uint32_t node, double from, double to)
{
	struct rank *one = &world[r];

	for (double t = from + 0.5; t < to; t++) {
		CHECK(one->profile.moment_count, <, MANY);
		one->moments[one->profile.moment_count++] =
			(struct profile_moment){ clock_of(r, t * MS), node, 0,
						 MS };
	}
}

/* A thread of it that does not call MPI: one sample of 4 ms of CPU time. */
static void helped_in(int r, uint32_t node, double from, double to)
{
	struct rank *one = &world[r];

	for (double t = from + 3.5; t < to; t += 4)
		one->moments[one->profile.moment_count++] =
			(struct profile_moment){ clock_of(r, t * MS), node, 1,
						 4 * MS };
}

static int rotated; /* mutable: files are named after other ranks */

static void save(int r)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/rank-%d.h5", directory,
		 (r + rotated) % ranks);
	CHECK(!profile_save(&world[r].profile, path));
}

static void clean(void)
{
	DIR *d = opendir(directory);
	char path[512];

	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	closedir(d);
	rmdir(directory);
}

/* The run of all ranks but `without`, by way of their files. */
static struct run *merged(int without)
{
	struct run *run = NULL;

	strcpy(directory, "/tmp/copse-waits-XXXXXX");
	CHECK(mkdtemp(directory));
	for (int r = 0; r < ranks; r++)
		if (r != without)
			save(r);
	CHECK(!merge_directory(&run, directory));
	clean();
	return run;
}

static const char *name_of(const struct run *run, uint32_t node)
{
	return str_at(&run->strings, run->nodes[node].function);
}

static bool near(double ns, double ms)
{
	return fabs(ns - ms * MS) < 1000;
}

/* The cause of that kind and culprit, or NULL. */
static const struct run_cause *cause(const struct run *run, uint32_t kind,
				     uint32_t culprit)
{
	const struct run_waits *w = &run->waits;

	for (size_t i = 0; i < w->cause_count; i++)
		if (w->causes[i].kind == kind &&
		    w->causes[i].culprit == culprit)
			return &w->causes[i];
	return NULL;
}

static double waited_for(const struct run *run, uint32_t kind, uint32_t culprit)
{
	const struct run_cause *c = cause(run, kind, culprit);

	return c ? c->ns : 0;
}

/* What rank r waited in that cause. */
static double waited_by(const struct run *run, const struct run_cause *c,
			uint32_t r)
{
	const struct run_waits *w = &run->waits;

	for (size_t i = 0; i < w->victim_count; i++)
		if (&w->causes[w->victims[i].cause] == c &&
		    w->victims[i].rank == r)
			return w->victims[i].ns;
	return 0;
}

/* Where the culprit of the largest cause was most. */
static const struct run_cause_context *where(const struct run *run)
{
	CHECK(run->waits.context_count, >, 0);
	CHECK(run->waits.contexts[0].cause, ==, 0);
	return &run->waits.contexts[0];
}

static bool says(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->line_count; i++)
		if (strstr(report->lines[i], text))
			return true;
	return false;
}

TEST(all_wait_for_the_last_in_a_barrier)
{
	const struct run_cause *c;
	struct run *run;

	begin(3);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 51);
	event(1, 1, LIVE_EVENT_BARRIER, 20, 20, 51);
	event(2, 1, LIVE_EVENT_BARRIER, 50, 50, 51);
	was_in(2, ASSEMBLE, 0, 45);
	was_in(2, WORK, 45, 50);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, 1);
	CHECK(run->waits.cause_count, ==, 1);
	c = cause(run, WAIT_BARRIER, 2);
	CHECK(c && near(c->ns, 70));
	CHECK(c->instances, ==, 2);
	CHECK(c->error_ns, ==, 0);
	CHECK(c->clock_ns, ==, 0);
	CHECK(c->indirect_ns, ==, 0);
	CHECK(near(waited_by(run, c, 0), 40) && near(waited_by(run, c, 1), 30));
	CHECK(name_of(run, c->victim), ==, "MPI_Barrier");
	CHECK(run->nodes[c->victim].kind, ==, RUN_MPI);
	CHECK(name_of(run, where(run)->node), ==, "app+0x300");
	CHECK(fabs(where(run)->ns / c->ns - 60. / 70), <, 0.03);
	CHECK(!where(run)->flags);
	CHECK(near(run->waits.ranks[0].waited_ns, 40));
	CHECK(near(run->waits.ranks[0].main_ns, 40));
	CHECK(near(run->waits.ranks[2].caused_ns, 70));
	run_free(run);
}

TEST(who_left_before_the_last_came_did_not_wait_for_it)
{
	struct run *run;

	begin(3);
	event(0, 1, LIVE_EVENT_ALL, 10, 10, 31); /* as with nothing to reduce */
	event(1, 1, LIVE_EVENT_ALL, 30, 30, 31);
	event(2, 1, LIVE_EVENT_ALL, 50, 50, 51);
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_ALL, 1), 20));
	run_free(run);
}

TEST(all_wait_for_the_last_at_a_fence)
{
	const struct run_cause *c;
	struct run *run;

	begin(3);
	event(0, 1, LIVE_EVENT_FENCE, 10, 10, 51);
	event(1, 1, LIVE_EVENT_FENCE, 20, 20, 51);
	event(2, 1, LIVE_EVENT_FENCE, 50, 50, 51);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, 1);
	CHECK(run->waits.cause_count, ==, 1);
	c = cause(run, WAIT_FENCE, 2);
	CHECK(c && near(c->ns, 70));
	CHECK(c->instances, ==, 2);
	CHECK(name_of(run, c->victim), ==, "MPI_Win_fence");
	run_free(run);
}

/* MPI_MODE_NOPRECEDE: nobody had to wait, whatever the clock says of others. */
TEST(a_fence_that_let_ranks_pass_is_no_wait)
{
	struct run *run;

	begin(3);
	event(0, 1, LIVE_EVENT_FENCE, 10, 10, 10.5);
	event(1, 1, LIVE_EVENT_FENCE, 20, 20, 20.5);
	event(2, 1, LIVE_EVENT_FENCE, 50, 50, 50.5);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, 1);
	CHECK(run->waits.cause_count, ==, 0);
	run_free(run);
}

static void all_to_one(int root, double a, double b, double c, double leave)
{
	event(0, 1, LIVE_EVENT_ALL_ONE, a, a, root == 0 ? leave : a + 1);
	event(1, 1, LIVE_EVENT_ALL_ONE, b, b, root == 1 ? leave : b + 1);
	event(2, 1, LIVE_EVENT_ALL_ONE, c, c, root == 2 ? leave : c + 1);
	for (int r = 0; r < 3; r++)
		world[r].parts[world[r].profile.part_count - 1].peer = root;
}

TEST(the_root_waits_for_the_last_of_a_reduce)
{
	const struct run_cause *c;
	struct run *run;

	begin(3);
	all_to_one(0, 10, 15, 40, 41);
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	c = cause(run, WAIT_ALL_ONE, 2);
	CHECK(c && near(c->ns, 30) && near(c->early_ns, 5));
	run_free(run);
}

TEST(a_late_root_makes_all_wait_in_a_broadcast)
{
	struct run *run;

	begin(3);
	for (int r = 0; r < 3; r++) {
		double enter = r == 1 ? 40 : 10 * r;

		event(r, 1, LIVE_EVENT_ONE_ALL, enter, enter, 41)->peer = 1;
	}
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_ONE_ALL, 1), 40 + 20));
	run_free(run);
}

/* It could not send before; a small message is gone before they come. */
TEST(a_root_waits_for_late_receivers)
{
	struct run *run;

	for (int small = 0; small < 2; small++) {
		begin(3);
		for (int r = 0; r < 3; r++)
			event(r, 1, LIVE_EVENT_ONE_ALL, 20 * r, 20 * r,
			      r || !small ? 41 : 1)
				->peer = 0;
		run = merged(-1);
		CHECK(run->waits.cause_count, ==, !small);
		CHECK(near(waited_for(run, WAIT_LATE_RECEIVER, 2),
			   small ? 0 : 40));
		run_free(run);
	}
}

TEST(a_scan_waits_for_lower_ranks_alone)
{
	struct run *run;

	begin(4);
	event(0, 1, LIVE_EVENT_PREFIX, 10, 10, 11);
	event(1, 1, LIVE_EVENT_PREFIX, 30, 30, 31);
	event(2, 1, LIVE_EVENT_PREFIX, 20, 20, 31);
	event(3, 1, LIVE_EVENT_PREFIX, 50, 50, 51);
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_PREFIX, 1), 10));
	run_free(run);
}

TEST(a_receiver_waits_for_a_late_sender)
{
	struct run *run;

	begin(2);
	message(1, 0, 30, 30, 31, 1, 10, 10, 31);
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_LATE_SENDER, 0), 20));
	run_free(run);
}

TEST(a_sender_waits_for_a_late_receiver_unless_it_left)
{
	struct run *run;

	begin(2);
	message(1, 0, 10, 10, 41, 1, 40, 40, 41);
	message(2, 0, 50, 50, 51, 1, 70, 70, 71); /* eager */
	run = merged(-1);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_LATE_RECEIVER, 1), 30));
	run_free(run);
}

/* Begun in time, but the data did not move while the sender computed. */
/* Of the last message: the call that rank `from` sent it by. */
static void sent_by(int from, uint32_t node)
{
	struct rank *one = &world[from];

	one->parts[one->profile.part_count - 1].begin_node = node;
	one->parts[one->profile.part_count - 1].node = node;
}

/* It has something to transfer, whatever the other end does. */
TEST(who_ends_an_epoch_waits_for_no_receiver)
{
	struct run *run;

	begin(2);
	message(1, 0, 10, 10, 60, 1, 40, 40, 61);
	sent_by(0, COMPLETE);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, 1);
	CHECK(run->waits.cause_count, ==, 0);
	run_free(run);
}

TEST(no_progress_outside_mpi)
{
	struct run *run;

	begin(2);
	message(1, 0, 5, 60, 62, 1, 10, 10, 61);
	was_in(0, ASSEMBLE, 6, 60);
	run = merged(-1);
	CHECK(near(waited_for(run, WAIT_LATE_SENDER, 0), 50));
	CHECK(name_of(run, where(run)->node), ==, "app+0x300");
	run_free(run);
	begin(2);
	message(1, 0, 5, 60, 62, 1, 10, 10, 11); /* it was sent at once */
	run = merged(-1);
	CHECK(!run->waits.cause_count);
	run_free(run);
}

TEST(one_call_waits_once_for_its_last_message)
{
	struct run *run;

	begin(4);
	message(1, 1, 20, 20, 21, 0, 5, 10, 51);
	message(2, 2, 50, 50, 51, 0, 5, 10, 51);
	message(3, 3, 30, 30, 31, 0, 5, 10, 51);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, 3);
	CHECK(run->waits.cause_count, ==, 1);
	CHECK(near(waited_for(run, WAIT_LATE_SENDER, 2), 40));
	CHECK(near(run->waits.ranks[0].waited_ns, 40));
	run_free(run);
}

/* Each waits for the one before it, and all for rank 0. */
TEST(a_pipeline_blames_its_first_cause)
{
	struct run *run;
	double late;

	begin(RANKS);
	for (int r = 1; r < RANKS; r++) {
		late = 100 + r;
		message((uint64_t)r, r - 1, late, late, late + 1, r, 10, 10,
			late + 1);
	}
	was_in(0, ASSEMBLE, 10, 101);
	run = merged(-1);
	CHECK(run->waits.joined.instances, ==, RANKS - 1);
	/* Rank r waited until 100 + r; 1 ms is what each was later itself. */
	CHECK(waited_for(run, WAIT_LATE_SENDER, 0), >, 7 * 90 * (double)MS);
	for (uint32_t r = 1; r < RANKS; r++)
		CHECK(waited_for(run, WAIT_LATE_SENDER, r), <=, 7 * MS);
	CHECK(cause(run, WAIT_LATE_SENDER, 0)->indirect_ns, >, 6 * 90. * MS);
	CHECK(name_of(run, where(run)->node), ==, "app+0x300");
	run_free(run);
}

/*
 * Rank 0 is late once.  Rank 1 waits for it in this step, rank 2 for rank 1 in
 * the next, when that has long stopped waiting, and so on.
 */
TEST(a_wave_is_blamed_on_who_began_it)
{
	struct run *run;

	begin(4);
	for (int i = 0; i < 5; i++)
		for (int r = 1; r < 4; r++) {
			double step = 20 * i + 10, late = 8;
			double sender = step + (i >= r ? late : 0);
			double receiver = step + (i > r ? late : 0);

			message((uint64_t)(10 * i + r), r - 1, sender, sender,
				sender + .5, r, receiver, receiver,
				fmax(sender, receiver) + .5);
		}
	run = merged(-1);
	/* 8 ms for each of three; nobody else did anything. */
	CHECK(fabs(waited_for(run, WAIT_LATE_SENDER, 0) - 24 * MS), <, 2 * MS);
	for (uint32_t r = 1; r < 4; r++)
		CHECK(waited_for(run, WAIT_LATE_SENDER, r), <, 2 * MS);
	run_free(run);
}

/* Two that wait for each other, by clocks that cannot be right. */
TEST(circles_end)
{
	struct run *run;

	begin(3);
	message(1, 0, 50, 50, 51, 1, 10, 10, 51);
	message(2, 1, 50, 50, 52, 2, 10, 10, 52);
	message(3, 2, 50, 50, 53, 0, 10, 10, 53);
	run = merged(-1);
	CHECK(run->waits.cause_count, >, 0);
	run_free(run);
}

TEST(who_slept_is_named_by_what_it_called_next)
{
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 91);
	event(1, 1, LIVE_EVENT_BARRIER, 90, 90, 91);
	was_in(1, WORK, 0, 12);
	run = merged(-1);
	CHECK(near(waited_for(run, WAIT_BARRIER, 1), 80));
	CHECK(where(run)->flags, ==, RUN_CONTEXT_UNSAMPLED);
	CHECK(name_of(run, where(run)->node), ==, "app+0x100");
	run_free(run);
}

/* Where no sample of the culprit tells, those of its other threads may. */
TEST(who_slept_is_told_with_what_its_helpers_did)
{
	const struct run *runs[] = { NULL, NULL };
	struct analysis_options options = { 0 };
	const struct run_cause_context *last;
	struct report *report = NULL;
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 91);
	event(1, 1, LIVE_EVENT_BARRIER, 90, 90, 91);
	was_in(1, WORK, 0, 10);
	helped_in(1, ASSEMBLE, 0, 100);
	runs[0] = run = merged(-1);
	last = &run->waits.contexts[run->waits.context_count - 1];
	CHECK(near(waited_for(run, WAIT_BARRIER, 1), 80));
	CHECK(where(run)->flags, ==, RUN_CONTEXT_UNSAMPLED);
	CHECK(near(where(run)->ns, 80));
	CHECK(last->flags, ==, RUN_CONTEXT_HELPERS);
	CHECK(last->samples, ==, 20);
	CHECK(near(last->ns, 80));
	CHECK(name_of(run, last->node), ==, "app+0x300");
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(says(report, "in MPI_Barrier ← app+0x100, while it slept or "
			   "lacked a core, in app+0x100 (not sampled); its "
			   "other threads were most often in app+0x300"));
	report_free(report);
	/* It was known to have no core: then that is all there is to say. */
	run->ranks[1].cores = (struct cores){
		.count = 1, .key = 1, .waited_ns = run->ranks[1].elapsed_ns
	};
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(says(report, "Rank 1 waited for a core"));
	CHECK(!says(report, "slept") && !says(report, "MPI_Barrier"));
	report_free(report);
	run_free(run);
}

/* One that was sampled needs no others. */
TEST(helpers_of_who_was_sampled_are_not_told)
{
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 91);
	event(1, 1, LIVE_EVENT_BARRIER, 90, 90, 91);
	was_in(1, WORK, 0, 90);
	helped_in(1, ASSEMBLE, 0, 100);
	run = merged(-1);
	CHECK(run->waits.context_count, ==, 1);
	CHECK(!where(run)->flags);
	run_free(run);
}

TEST(a_lost_rank_is_counted)
{
	struct run *run;

	begin(3);
	for (int r = 0; r < 3; r++)
		event(r, 1, LIVE_EVENT_BARRIER, 10 * r, 10 * r, 31);
	message(2, 0, 50, 50, 51, 1, 40, 40, 51);
	run = merged(2);
	CHECK(run->waits.joined.lacking, ==, 1);
	CHECK(run->waits.joined.instances, ==, 1);
	CHECK(near(waited_for(run, WAIT_LATE_SENDER, 0), 10));
	run_free(run);
}

TEST(parts_that_disagree_are_counted)
{
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 31)->check = 5;
	event(1, 1, LIVE_EVENT_BARRIER, 30, 30, 31)->check = 6;
	event(0, 2, LIVE_EVENT_BARRIER, 40, 40, 51);
	event(1, 2, LIVE_EVENT_ALL, 50, 50, 51);
	event(0, 3, LIVE_EVENT_BARRIER, 60, 60, 61);
	event(0, 3, LIVE_EVENT_BARRIER, 62, 62, 63);
	message(4, 0, 70, 70, 71, 1, 65, 65, 71);
	world[1].parts[world[1].profile.part_count - 1].peer = 1;
	event(1, 5, LIVE_EVENT_SEND, 80, 80, 81)->size = 2;
	event(1, 5, LIVE_EVENT_SEND, 82, 82, 83)->size = 2;
	run = merged(-1);
	CHECK(run->waits.joined.disagreeing, ==, 5);
	CHECK(!run->waits.joined.instances && !run->waits.cause_count);
	run_free(run);
}

/* Which level is kept is what all ranks have; the sum is an estimate. */
TEST(levels_scale_and_have_an_error)
{
	const struct run_cause *c;
	struct run *run;

	begin(2);
	world[0].threads[0].level = 1;
	world[1].threads[0].level = 3;
	for (int i = 0; i < 64; i++) {
		for (int r = 0; r < 2; r++) {
			world[r].level = i % 2 ? 3 : 2;
			world[r].cluster = 1 + (uint32_t)i / 8;
			event(r, 1 + (uint64_t)i, LIVE_EVENT_BARRIER,
			      10 * i + r, 10 * i + r, 10 * i + 2);
		}
	}
	for (int r = 0; r < 2; r++) { /* as MPI_Finalize: always kept */
		world[r].level = UINT8_MAX;
		event(r, 99, LIVE_EVENT_BARRIER, 700 + r, 700 + r, 702);
	}
	run = merged(-1);
	CHECK(run->waits.joined.level, ==, 3);
	CHECK(run->waits.joined.instances, ==, 33);
	c = cause(run, WAIT_BARRIER, 1);
	CHECK(c && near(c->ns, 8 * 32 + 1));
	/* 8 clusters of 4 ms; p = 1/8: sqrt(8 * 4^2 * 8 * 7) */
	CHECK(near(c->error_ns, sqrt(8 * 16 * 56)));
	run_free(run);
}

/*
 * Rank 0 waited long in one call of eight, which was kept, for rank 1, and for
 * rank 2 in one that was kept whatever the level.
 */
TEST(nobody_waits_longer_in_a_call_than_it_is_in_it)
{
	struct profile_value inside = { .node = CALL + LIVE_EVENT_ALL,
					.value = 240 * MS };
	struct profile_column time = { .name = "mpi.time",
				       .values = &inside,
				       .count = 1 };
	struct run_waits *w;
	struct run *run;
	double sum = 0;

	begin(3);
	for (int r = 0; r < 3; r++) {
		world[r].threads[0].level = 3;
		world[r].profile.columns = &time;
		world[r].profile.column_count = 1;
		world[r].level = 3;
		event(r, 1, LIVE_EVENT_ALL, 10, r == 1 ? 110 : 10, 111);
		world[r].level = UINT8_MAX;
		event(r, 2, LIVE_EVENT_ALL, 200, r == 2 ? 400 : 200, 401);
	}
	run = merged(-1);
	w = &run->waits;
	CHECK(w->joined.level, ==, 3);
	CHECK(w->cause_count, ==, 2);
	/* Of 8 * 100 ms and 200 ms there are 240 ms, in this proportion. */
	CHECK(near(waited_by(run, cause(run, WAIT_ALL, 1), 0), 192));
	CHECK(near(waited_by(run, cause(run, WAIT_ALL, 2), 0), 48));
	CHECK(near(waited_by(run, cause(run, WAIT_ALL, 1), 2), 240));
	CHECK(near(waited_for(run, WAIT_ALL, 1), 432));
	CHECK(near(waited_for(run, WAIT_ALL, 2), 248));
	CHECK(near(w->ranks[0].waited_ns, 240));
	CHECK(near(w->ranks[1].waited_ns, 200)); /* less than it was inside */
	CHECK(near(w->ranks[1].caused_ns, 432));
	/* The largest stand first still, and nothing is lost. */
	CHECK(w->causes[0].ns, >=, w->causes[1].ns);
	for (size_t i = 0; i < w->context_count; i++)
		sum += w->contexts[i].ns;
	CHECK(near(sum, 432 + 248));
	run_free(run);
}

/* What does not fit goes, level by level, whatever the order. */
TEST(parts_are_bounded)
{
	static uint32_t same[NODES];
	size_t bytes = 100 * sizeof(struct event_record);
	struct matched_events forward, backward;

	begin(4);
	for (uint32_t i = 0; i < NODES; i++)
		same[i] = i;
	for (int i = 0; i < 256; i++)
		for (int r = 0; r < 4; r++) {
			world[r].level = (uint32_t)__builtin_ctz(i + 1);
			event(r, 1 + (uint64_t)i, LIVE_EVENT_BARRIER, i, i, i);
		}
	for (int r = 0; r < 4; r++)
		was_in(r, WORK, 0, 100);
	match_init(&forward, bytes, 100 * sizeof(struct trace_point));
	match_init(&backward, bytes, 100 * sizeof(struct trace_point));
	for (int r = 0; r < 4; r++) {
		struct gathered one = { .profile = &world[r].profile,
					.process = (uint32_t)r,
					.nodes = same };

		CHECK(!gatherer_match_events.add(&forward, &one));
		one.profile = &world[3 - r].profile;
		CHECK(!gatherer_match_events.add(&backward, &one));
	}
	CHECK(forward.level, ==, 4);
	CHECK(backward.level, ==, 4);
	CHECK(forward.count, ==, 4 * 16);
	CHECK(backward.count, ==, 4 * 16);
	CHECK(forward.thinned, ==, 2);
	CHECK(backward.thinned, ==, 2);
	CHECK(forward.point_count, ==, 100);
	CHECK(backward.point_count, ==, 100);
	match_fini(&forward);
	match_fini(&backward);
}

/* Clocks */

static void set_clock(int r, double offset_ms, double drift)
{
	struct profile_identity *id = &world[r].profile.id;

	world[r].offset = offset_ms * MS;
	world[r].drift = drift;
	snprintf(id->clock_id, sizeof(id->clock_id), "clock%d", r);
	/* The dates of hosts differ as well, by some milliseconds. */
	id->start_mono_ns = clock_of(r, 0);
	id->start_real_ns = 1700000000000000000 + (uint64_t)(r * 7 * MS);
	id->end_mono_ns = id->late_mono_ns = clock_of(r, 1000 * MS);
	id->late_real_ns = id->start_real_ns + 1000 * MS;
}

TEST(clocks_are_aligned_by_what_was_measured)
{
	const struct run_cause *c;
	struct run *run;

	begin(3);
	set_clock(0, 1000, 0);
	set_clock(1, 9000000, 4e-5);
	set_clock(2, 70, -3e-5);
	/* Each is the last in turn: bounds from both sides. */
	for (int i = 0; i < 90; i++)
		for (int r = 0; r < 3; r++) {
			double late = 10 * i + (i % 3 == r ? 5 : 1);

			event(r, 1 + (uint64_t)i, LIVE_EVENT_ALL, late, late,
			      10 * i + 5.01);
			was_in(r, i % 3 == r ? ASSEMBLE : WORK, 10 * i, late);
		}
	run = merged(-1);
	CHECK(run->waits.joined.clocks, ==, 3);
	CHECK(!run->waits.joined.unbound);
	CHECK(run->waits.joined.clock_error_ns, >, 1000);
	CHECK(run->waits.joined.clock_error_ns, <, 30000);
	for (uint32_t r = 0; r < 3; r++) {
		c = cause(run, WAIT_ALL, r);
		CHECK(c);
		CHECK(c->instances, ==, 60);
		CHECK(fabs(c->ns - 240. * MS), <=, c->clock_ns);
		CHECK(c->clock_ns, <, 4. * MS);
	}
	CHECK(name_of(run, where(run)->node), ==, "app+0x300");
	run_free(run);
}

/* `middle` meets rank 0 and `other`, which never meet each other. */
static void align_through(int middle, int other)
{
	struct run *run;

	begin(3);
	set_clock(0, 0, 0);
	set_clock(middle, 500, 2e-5);
	set_clock(other, 123456, 0);
	for (int i = 0; i < 40; i++) {
		int to = i % 2 ? 0 : other;
		double t = 20 * i;

		message(1 + 2 * (uint64_t)i, middle, t, t, t + .01, to, t - 4,
			t - 4, t + .01);
		message(2 + 2 * (uint64_t)i, to, t + 9, t + 9, t + 9.01, middle,
			t + 1, t + 1, t + 9.01);
	}
	run = merged(-1);
	CHECK(run->waits.joined.clocks, ==, 3);
	CHECK(!run->waits.joined.unbound);
	CHECK(run->waits.joined.clock_error_ns, <, 50000);
	CHECK(fabs(run->waits.ranks[0].waited_ns - 20 * 4. * MS), <, MS);
	CHECK(fabs(run->waits.ranks[other].waited_ns - 20 * 4. * MS), <, MS);
	CHECK(fabs(run->waits.ranks[middle].waited_ns - 40 * 8. * MS), <, MS);
	run_free(run);
}

TEST(clocks_are_aligned_through_others)
{
	align_through(1, 2);
	align_through(2, 1);
}

/* MPI_Win_start may leave before MPI_Win_post. */
TEST(a_post_bounds_no_clocks)
{
	struct run *run;

	begin(2);
	set_clock(0, 0, 0);
	set_clock(1, 500, 0);
	for (int i = 0; i < 40; i++) {
		double t = 20 * i;

		for (int r = 0; r < 2; r++)
			event(r, 1 + 2 * (uint64_t)i, LIVE_EVENT_BARRIER,
			      t + (i + r) % 2, t + (i + r) % 2, t + 1.01);
		message(2 + 2 * (uint64_t)i, 0, t + 9, t + 9, t + 9.01, 1,
			t + 3, t + 3, t + 3.01);
		sent_by(0, POST);
	}
	run = merged(-1);
	CHECK(run->waits.joined.clocks, ==, 2);
	CHECK(!run->waits.joined.unbound);
	CHECK(run->waits.joined.clock_error_ns, <, 50000);
	CHECK(!cause(run, WAIT_LATE_SENDER, 0));
	run_free(run);
}

/* A clock that was set half-way: no line fits, and the error says so. */
TEST(a_clock_that_jumps_has_a_large_error)
{
	struct run *run;

	begin(2);
	set_clock(0, 0, 0);
	set_clock(1, 50, 0);
	for (int i = 0; i < 90; i++) {
		if (i == 45)
			world[1].offset += 3 * MS;
		for (int r = 0; r < 2; r++)
			event(r, 1 + (uint64_t)i, LIVE_EVENT_BARRIER,
			      10 * i + (i + r) % 2, 10 * i + (i + r) % 2,
			      10 * i + 1.01);
	}
	run = merged(-1);
	CHECK(run->waits.joined.clock_error_ns, >, 500000);
	CHECK(run->waits.joined.clock_error_ns, <, 10. * MS);
	run_free(run);
}

TEST(clocks_without_bounds_have_their_dates)
{
	struct run *run;

	begin(2);
	set_clock(0, 0, 0);
	set_clock(1, 50, 0);
	run = merged(-1);
	CHECK(run->waits.joined.clocks, ==, 2);
	CHECK(run->waits.joined.unbound, ==, 1);
	CHECK(run->waits.joined.clock_error_ns, ==, CLOCK_DATE_NS);
	run_free(run);
}

/* MPI_Init bounds clocks, but is no wait; a bound that cannot be is dropped. */
TEST(init_is_no_wait)
{
	struct run *run;

	begin(2);
	set_clock(0, 0, 0);
	set_clock(1, 5000, 0);
	for (int r = 0; r < 2; r++)
		event(r, 1, LIVE_EVENT_BARRIER, 10 * r, 10 * r, 11)->node =
			INIT;
	run = merged(-1);
	CHECK(!run->waits.cause_count && !run->waits.joined.unbound);
	CHECK(run->waits.joined.clock_error_ns, <, 100. * MS);
	run_free(run);
}

/* Whatever they say, nothing crashes and every index leads somewhere. */
TEST(nonsense_is_survived)
{
	unsigned int seed = 7;

	for (int round = 0; round < 30; round++) {
		const struct run_waits *w;
		struct run *run;

		begin(4);
		for (int r = 0; r < 4; r++) {
			set_clock(r, rand_r(&seed) % 1000, 0);
			world[r].profile.id.late_real_ns =
				(uint64_t)rand_r(&seed) << 33;
		}
		for (int i = 0; i < 400; i++) {
			int r = rand_r(&seed) % 4;
			double t = i, d = rand_r(&seed) % 50;
			struct profile_event *p =
				event(r, (uint64_t)rand_r(&seed) % 100,
				      rand_r(&seed) % 7, t, t, t + d);

			p->size = (uint32_t)rand_r(&seed) % 3 + 1;
			p->peer = rand_r(&seed) % 6 - 1;
			p->begin = (uint64_t)rand_r(&seed) % (p->leave + 1);
			p->thread = 0;
		}
		run = merged(-1);
		w = &run->waits;
		for (size_t i = 0; i < w->cause_count; i++)
			CHECK(w->causes[i].victim < run->node_count &&
			      isfinite(w->causes[i].ns));
		for (size_t i = 0; i < w->context_count; i++)
			CHECK(w->contexts[i].node < run->node_count &&
			      isfinite(w->contexts[i].ns));
		run_free(run);
	}
}

/* The database */

static bool same_cause(const struct run_cause *a, const struct run_cause *b)
{
	return a->kind == b->kind && a->victim == b->victim &&
	       a->culprit == b->culprit && a->instances == b->instances &&
	       a->ns == b->ns && a->error_ns == b->error_ns &&
	       a->clock_ns == b->clock_ns && a->indirect_ns == b->indirect_ns &&
	       a->early_ns == b->early_ns;
}

static const struct run *skewed(int late)
{
	begin(4);
	for (int i = 0; i < 20; i++)
		for (int r = 0; r < 4; r++) {
			double t = 40 * i + (r == late ? 30 : 5);

			event(r, 1 + (uint64_t)i, LIVE_EVENT_ALL, t, t,
			      40 * i + 31);
			was_in(r, r == late ? ASSEMBLE : WORK, 40 * i, t);
		}
	return merged(-1);
}

TEST(waits_survive_their_file)
{
	struct run *a = (struct run *)skewed(3), *b = NULL;
	const char *path = "/tmp/copse-waits-run.h5";
	char mine[64];

	snprintf(mine, sizeof(mine), "%s.%d", path, getpid());
	CHECK(!run_save(a, mine));
	CHECK(!run_load(&b, mine));
	unlink(mine);
	CHECK(a->waits.cause_count, ==, 1);
	CHECK(b->waits.cause_count, ==, 1);
	CHECK(same_cause(a->waits.causes, b->waits.causes));
	CHECK(a->waits.victim_count, ==, 3);
	CHECK(b->waits.victim_count, ==, 3);
	CHECK(a->waits.context_count, ==, b->waits.context_count);
	CHECK(a->waits.joined.instances, ==, b->waits.joined.instances);
	CHECK(a->waits.joined.parts, ==, 80);
	CHECK(b->waits.joined.parts, ==, 80);
	CHECK(b->waits.joined.clocks, ==, 1);
	CHECK(a->waits.ranks[3].caused_ns, ==, b->waits.ranks[3].caused_ns);
	run_free(a);
	run_free(b);
}

/* Foreign: nobody could be named for them. */
TEST(contexts_of_nobody_are_refused)
{
	struct run *a = (struct run *)skewed(3), *b = NULL;
	char mine[64];

	snprintf(mine, sizeof(mine), "/tmp/copse-nobody-run.h5.%d", getpid());
	a->waits.causes[0].culprit = WAIT_OTHERS;
	CHECK(!run_save(a, mine));
	CHECK(run_load(&b, mine), <, 0);
	CHECK(strstr(fail_reason(), "the wait states"));
	unlink(mine);
	run_free(a);
}

/* Ranks, and so clocks, contexts and sums, are met in another order. */
TEST(the_order_of_files_does_not_matter)
{
	struct run *is[2];

	for (rotated = 0; rotated < 2; rotated++) {
		begin(4);
		for (int r = 0; r < 4; r++)
			set_clock(r, 1000 * (4 - r), r * 1e-5);
		for (int i = 0; i < 60; i++)
			for (int r = 0; r < 4; r++) {
				double t = 10 * i + (r + i) % 4 + .1 * r;

				event(r, 1 + (uint64_t)i,
				      i % 2 ? LIVE_EVENT_ALL
					    : LIVE_EVENT_BARRIER,
				      t, t, 10 * i + 3.5);
				was_in(r, r % 2 ? ASSEMBLE : WORK, 10 * i, t);
			}
		message(1000, 0, 700, 700, 701, 3, 650, 650, 701);
		is[rotated] = merged(-1);
	}
	CHECK(is[0]->waits.cause_count, >, 4);
	CHECK(is[0]->waits.cause_count, ==, is[1]->waits.cause_count);
	for (size_t i = 0; i < is[0]->waits.cause_count; i++)
		CHECK(same_cause(&is[0]->waits.causes[i],
				 &is[1]->waits.causes[i]));
	CHECK(is[0]->waits.context_count, ==, is[1]->waits.context_count);
	for (size_t i = 0; i < is[0]->waits.context_count; i++)
		CHECK(is[0]->waits.contexts[i].node ==
			      is[1]->waits.contexts[i].node &&
		      is[0]->waits.contexts[i].ns ==
			      is[1]->waits.contexts[i].ns);
	for (size_t i = 0; i < 4; i++)
		CHECK(is[0]->waits.ranks[i].waited_ns, ==,
		      is[1]->waits.ranks[i].waited_ns);
	CHECK(is[0]->waits.joined.clock_error_ns, ==,
	      is[1]->waits.joined.clock_error_ns);
	run_free(is[0]);
	run_free(is[1]);
}

TEST(the_sentence_a_person_would_say)
{
	struct run *run = (struct run *)skewed(3);
	const struct run *runs[] = { run, NULL };
	struct analysis_options options = { .limit = SIZE_MAX };
	struct report *report = NULL;

	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(says(report,
		   "• Ranks 0–2 waited 1.50 s (38 % of all time) for rank 3 in "
		   "MPI_Allreduce ← app+0x100, while it was in app+0x300"));
	CHECK(report->tables[0].row_count, >=, 1);
	report_free(report);
	run_free(run);
}

/* No half of it is in one path, and all in main, which calls the barrier. */
TEST(a_part_is_said_with_its_share)
{
	struct analysis_options options = { 0 };
	const struct run *runs[] = { NULL, NULL };
	struct report *report = NULL;
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 91);
	event(1, 1, LIVE_EVENT_BARRIER, 90, 90, 91);
	was_in(1, WORK, 10, 46);
	was_in(1, ASSEMBLE, 46, 80);
	was_in(1, INIT, 80, 90);
	runs[0] = run = merged(-1);
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(says(report, "for rank 1 in MPI_Barrier ← app+0x100, 44 % of it "
			   "while it was in app+0x200"));
	report_free(report);
	run_free(run);
}

/* Who reads no row may still be told that there is none, and why. */
TEST(no_rows_have_a_reason)
{
	static const struct {
		int ranks, without;
		double late; /* ms */
		const char *says;
	} cases[] = {
		{ 2, -1, 0, "Nobody waited for another rank." },
		{ 2, -1, 1, "for longer than 2.00 ms (0.1 % of all time)" },
		{ 2, 1, 1,
		  "No collective call or message has the event records" },
		{ 1, -1, 0, "One rank waits for nobody." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct analysis_options options = { 0 };
		const struct run *runs[] = { NULL, NULL };
		struct report *report = NULL;
		struct run *run;

		begin(cases[i].ranks);
		for (int r = 0; r < cases[i].ranks; r++)
			event(r, 1, LIVE_EVENT_BARRIER, 10 + r * cases[i].late,
			      10 + r * cases[i].late, 12);
		runs[0] = run = merged(cases[i].without);
		CHECK(!analysis_find("waits")->run(&report, runs, &options));
		CHECK(!report->tables[0].row_count);
		CHECK(says(report, cases[i].says));
		report_free(report);
		run_free(run);
	}
}

/* What all saw has no error of chance, and is not said to be exact. */
TEST(no_error_is_none_for_readers)
{
	struct analysis_options options = { 0 };
	const struct run *runs[] = { NULL, NULL };
	struct report *report = NULL;
	const struct report_table *t;
	struct run *run;

	begin(2);
	event(0, 1, LIVE_EVENT_BARRIER, 10, 10, 91);
	event(1, 1, LIVE_EVENT_BARRIER, 90, 90, 91);
	was_in(1, WORK, 0, 90);
	runs[0] = run = merged(-1);
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	t = &report->tables[0];
	CHECK(t->row_count, ==, 1);
	for (size_t c = 0; c < t->column_count; c++) {
		const char *id = t->columns[c].id, *title = t->columns[c].title;

		if (id && !strcmp(id, "error"))
			CHECK(!title && !t->cells[c].none &&
			      t->cells[c].number == 0);
		if (title && !strcmp(title, "±"))
			CHECK(!id && t->cells[c].none);
	}
	report_free(report);
	run_free(run);
}

/* Everybody is the last in turn. */
TEST(nobody_is_named_where_all_wait_for_all)
{
	const struct run *runs[] = { NULL, NULL };
	struct analysis_options options = { 0 };
	struct report *report = NULL;
	struct run *run;

	begin(4);
	for (int i = 0; i < 20; i++)
		for (int r = 0; r < 4; r++) {
			double t = 40 * i + (r == i % 4 ? 30 : 5);

			event(r, 1 + (uint64_t)i, LIVE_EVENT_ALL, t, t,
			      40 * i + 31);
		}
	runs[0] = run = merged(-1);
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(says(report, "• The ranks waited 1.50 s (38 % of all time) for "
			   "one another in MPI_Allreduce"));
	report_free(report);
	run_free(run);
}

TEST(little_waiting_is_no_finding)
{
	const struct run *runs[] = { NULL, NULL };
	struct analysis_options options = { 0 };
	struct report *report = NULL;
	struct run *run;

	begin(4);
	for (int r = 0; r < 4; r++)
		event(r, 1, LIVE_EVENT_ALL, 10 + r, 10 + r, 14);
	runs[0] = run = merged(-1);
	CHECK(!analysis_find("waits")->run(&report, runs, &options));
	CHECK(!says(report, "waited"));
	report_free(report);
	run_free(run);
}

/*
 * The timeline: from 0 to 1000 ms in 64 bins of 15.6 ms, unless it says else.
 */

static const struct run_time_row *row_of(const struct run *run, uint32_t rank,
					 uint32_t kind)
{
	for (size_t i = 0; i < run->timeline.row_count; i++)
		if (run->timeline.rows[i].rank == rank &&
		    run->timeline.rows[i].kind == kind)
			return &run->timeline.rows[i];
	test_fail(__FILE__, __LINE__, "no such row");
}

/* The cell of that moment, ms. */
static const struct run_time_cell *cell_at(const struct run *run, uint32_t rank,
					   uint32_t kind, double ms)
{
	const struct run_time_row *row = row_of(run, rank, kind);
	uint32_t bin =
		(uint32_t)(ms * MS / (double)run->timeline.axes->width_ns);

	CHECK(bin, >=, row->first_bin);
	CHECK(bin, <, row->first_bin + row->cells);
	return &run->timeline.cells[row->first + bin - row->first_bin];
}

static bool is_share(unsigned int value, double share)
{
	return fabs(value / 255. - share) < 0.02;
}

TEST(a_cell_of_the_timeline_names_where_half_of_the_time_was)
{
	const struct run_time_cell *cell;
	struct run *run;

	begin(2);
	was_in(0, WORK, 0, 500);
	was_in(0, ASSEMBLE, 500, 1000);
	for (double at = 0; at < 1000; at += 2) {
		was_in(1, WORK, at, at + 1);
		was_in(1, ASSEMBLE, at + 1, at + 2);
	}
	event(0, 1, LIVE_EVENT_BARRIER, 999, 999, 1000);
	event(1, 1, LIVE_EVENT_BARRIER, 999, 999, 1000);
	run = merged(-1);
	CHECK(run->timeline.axis_count, ==, 1);
	CHECK(run->timeline.row_count, ==, 2);
	CHECK(run->timeline.axes->bins, ==, 64 * 2);
	CHECK(run->timeline.axes->width_ns / 1000, ==, 7812);
	cell = cell_at(run, 0, RUN_TIME_THREAD, 100);
	CHECK(name_of(run, cell->node), ==, "app+0x200");
	CHECK(is_share(cell->share, 1) && is_share(cell->known, 1));
	CHECK(is_share(cell->busy, 1) && !cell->mpi && !cell->io);
	CHECK(cell->moments == 7 || cell->moments == 8);
	cell = cell_at(run, 0, RUN_TIME_THREAD, 900);
	CHECK(name_of(run, cell->node), ==, "app+0x300");
	/* Neither has more than half, but what calls both. */
	cell = cell_at(run, 1, RUN_TIME_THREAD, 500);
	CHECK(is_share(cell->known, 1));
	CHECK(strcmp(name_of(run, cell->node), "app+0x200") == 0
		      ? is_share(cell->share, 4. / 8)
		      : cell->share >= 127);
	run_free(run);
}

TEST(a_gap_between_samples_was_off_a_core)
{
	const struct run_time_cell *cell;
	struct run *run;

	begin(2);
	was_in(0, WORK, 0, 400);
	was_in(0, WORK, 800, 1000); /* the first of them slept since 400 */
	world[0].moments[400].weight_ns = 401 * MS;
	was_in(1, WORK, 0, 1000);
	event(0, 1, LIVE_EVENT_BARRIER, 999, 999, 1000);
	event(1, 1, LIVE_EVENT_BARRIER, 999, 999, 1000);
	run = merged(-1);
	cell = cell_at(run, 0, RUN_TIME_THREAD, 600);
	CHECK(is_share(cell->known, 1));
	CHECK(cell->busy, <=, 1);
	CHECK(!cell->moments);
	CHECK(name_of(run, cell->node), ==, "app+0x200");
	CHECK(is_share(cell_at(run, 0, RUN_TIME_THREAD, 200)->busy, 1));
	CHECK(is_share(cell_at(run, 1, RUN_TIME_THREAD, 600)->busy, 1));
	run_free(run);
}

TEST(of_time_in_mpi_the_timeline_tells_waiting_and_transfer)
{
	const struct run_time_cell *cell;
	struct run *run;

	begin(2);
	was_in(0, WORK, 0, 200);
	was_in(0, CALL + LIVE_EVENT_BARRIER, 200, 1000);
	was_in(1, WORK, 0, 600);
	was_in(1, CALL + LIVE_EVENT_BARRIER, 600, 1000);
	event(0, 1, LIVE_EVENT_BARRIER, 200, 200, 1000);
	event(1, 1, LIVE_EVENT_BARRIER, 600, 600, 1000);
	run = merged(-1);
	cell = cell_at(run, 0, RUN_TIME_THREAD, 400);
	CHECK(is_share(cell->mpi, 1) && is_share(cell->mpi_wait, 1));
	CHECK(run->nodes[cell->node].kind, ==, RUN_MPI);
	cell = cell_at(run, 0, RUN_TIME_THREAD, 800);
	CHECK(is_share(cell->mpi, 1) && !cell->mpi_wait);
	cell = cell_at(run, 1, RUN_TIME_THREAD, 400);
	CHECK(!cell->mpi && !cell->mpi_wait);
	run_free(run);
}

TEST(rows_of_hosts_with_other_clocks_are_on_one_axis)
{
	struct run *run;

	begin(4);
	for (int r = 0; r < 4; r++) {
		if (r >= 2) {
			strcpy(world[r].profile.id.host, "node2");
			world[r].offset = 7e9;
		}
		world[r].profile.id.start_mono_ns = clock_of(r, 1);
		world[r].profile.id.start_real_ns = 1 + 5 * MS * (uint64_t)r;
		world[r].profile.id.end_mono_ns = clock_of(r, 1000 * MS);
		was_in(r, WORK, 0, 300);
		was_in(r, ASSEMBLE, 300, 1000);
		for (uint64_t k = 1; k < 10; k++)
			event(r, k, LIVE_EVENT_BARRIER, 100. * (double)k,
			      100. * (double)k, 100. * (double)k + 0.2);
	}
	run = merged(-1);
	CHECK(run->timeline.row_count, ==, 4);
	CHECK(run->timeline.axes->width_ns * run->timeline.axes->bins, <,
	      1010 * (uint64_t)MS);
	for (uint32_t r = 0; r < 4; r++) {
		CHECK(name_of(run, cell_at(run, r, RUN_TIME_THREAD, 280)->node),
		      ==, "app+0x200");
		CHECK(name_of(run, cell_at(run, r, RUN_TIME_THREAD, 320)->node),
		      ==, "app+0x300");
	}
	run_free(run);
}

TEST(helpers_and_gpus_have_rows_of_their_own)
{
	/* From 512 to 768 units of 2^20 ns: half busy. */
	static struct profile_device device = { .id = 3, .bin_shift = 20 };
	static struct profile_bin bins[256];
	const struct run_time_cell *cell;
	struct run *run;

	begin(2);
	for (uint32_t i = 0; i < 256; i++)
		bins[i] = (struct profile_bin){ 0, 512 + i, 1 << 19 };
	world[1].profile.devices = &device;
	world[1].profile.device_count = 1;
	world[1].profile.bins = bins;
	world[1].profile.bin_count = 256;
	for (int r = 0; r < 2; r++) {
		was_in(r, WORK, 0, 1000);
		event(r, 1, LIVE_EVENT_BARRIER, 999, 999, 1000);
	}
	helped_in(1, ASSEMBLE, 0, 500);
	run = merged(-1);
	CHECK(run->timeline.row_count, ==, 4);
	CHECK(row_of(run, 1, RUN_TIME_GPU)->number, ==, 3);
	CHECK(is_share(cell_at(run, 1, RUN_TIME_GPU, 600)->gpu, 0.5));
	CHECK(is_share(cell_at(run, 1, RUN_TIME_THREAD, 600)->gpu, 0.5));
	CHECK(!cell_at(run, 1, RUN_TIME_THREAD, 300)->gpu);
	CHECK(!cell_at(run, 0, RUN_TIME_THREAD, 600)->gpu);
	cell = cell_at(run, 1, RUN_TIME_HELPERS, 250);
	CHECK(name_of(run, cell->node), ==, "app+0x300");
	CHECK(is_share(cell->share, 1));
	CHECK(cell->busy, >, 200);
	run_free(run);
}

TEST(operations_are_kept_as_they_were)
{
	const struct run_operation *o;
	struct run *run;

	begin(2);
	for (int r = 0; r < 2; r++)
		was_in(r, WORK, 0, 1000);
	event(0, 1, LIVE_EVENT_BARRIER, 200, 200, 700);
	event(1, 1, LIVE_EVENT_BARRIER, 600, 600, 700);
	message(2, 1, 800, 800, 810, 0, 750, 790, 810);
	run = merged(-1);
	CHECK(run->waits.operation_count, ==, 4);
	o = run->waits.operations;
	CHECK(o[0].rank, ==, 0);
	CHECK(o[0].kind, ==, LIVE_EVENT_BARRIER);
	CHECK(near((double)o[0].enter_ns, 200) &&
	      near((double)o[0].leave_ns, 700));
	CHECK(near((double)o[0].wait_ns, 400));
	CHECK(o[0].culprit, ==, 1);
	CHECK(o[1].kind, ==, RUN_OPERATION_RECV);
	CHECK(o[1].peer, ==, 1);
	CHECK(near((double)o[1].begin_ns, 750) &&
	      near((double)o[1].enter_ns, 790));
	CHECK(near((double)o[1].wait_ns, 10));
	CHECK(o[1].culprit, ==, 1);
	CHECK(o[2].rank, ==, 1);
	CHECK(o[2].operation, ==, o[0].operation);
	CHECK(!o[2].wait_ns);
	CHECK(o[2].culprit, ==, WAIT_OTHERS);
	CHECK(o[3].kind, ==, RUN_OPERATION_SEND);
	CHECK(o[3].peer, ==, 0);
	CHECK(o[3].operation, ==, o[1].operation);
	run_free(run);
}

/* Of more than there is room for, whole ones of the levels above. */
TEST(operations_are_kept_whole_within_bounds)
{
	enum {
		RECORDS = OPERATION_RECORDS + OPERATION_RECORDS / 2
	};
	struct clock_source source = { .start_mono = 1 };
	struct matched_events events = { .sources = &source,
					 .source_count = 1,
					 .count = RECORDS };
	struct wait_state *waits = calloc(RECORDS, sizeof(*waits));
	struct clocks clocks = { 0 };
	struct run run = { 0 };

	events.at = calloc(RECORDS, sizeof(*events.at));
	CHECK(events.at && waits);
	for (uint32_t i = 0; i < RECORDS; i++)
		events.at[i] =
			(struct event_record){ .key = i / 2 + 1,
					       .process = i % 2,
					       .enter = i,
					       .leave = i + 1,
					       .level = (uint8_t)(i / 2 % 4) };
	CHECK(!operations_keep(&run, &events, waits, &clocks));
	CHECK(run.waits.operation_count, ==, RECORDS / 2);
	for (uint32_t i = 0; i < RECORDS / 2; i++)
		CHECK(run.waits.operations[i].operation % 4, >=, 2);
	free(run.waits.operations);
	free(events.at);
	free(waits);
}

/*
 * Steps.
 */

static struct profile_stamp stamps[RANKS][MANY];
static struct profile_step steps_of[RANKS][2];

/* From that rank's context a call each so many ms, `count` of them. */
static struct profile_step *stepped(int r, uint32_t node, double from,
				    double each, uint32_t count)
{
	struct profile *p = &world[r].profile;
	struct profile_step *step = &steps_of[r][p->step_count++];

	for (uint32_t i = 0; i < count; i++)
		stamps[r][p->stamp_count + i] = (struct profile_stamp){
			clock_of(r, (from + each * i) * MS), i * MS
		};
	*step = (struct profile_step){ .node = node,
				       .calls = count,
				       .head = count < 63 ? count : 63,
				       .stride = 1,
				       .per = 1,
				       .regular = 1,
				       .outer = 1,
				       .first = (uint32_t)p->stamp_count,
				       .count = count };
	p->steps = steps_of[r];
	p->stamps = stamps[r];
	p->stamp_count += count;
	return step;
}

TEST(iterations_are_what_most_ranks_repeat)
{
	const struct run_iterations *t;
	struct run *run;

	begin(4);
	for (int r = 0; r < 4; r++)
		stepped(r, CALL + LIVE_EVENT_ALL, 100 + r, 20,
			r == 3 ? 30 : 40);
	run = merged(-1);
	t = &run->iterations;
	CHECK(t->step_count, ==, 1);
	CHECK(t->steps->iterations, ==, 40);
	CHECK(name_of(run, t->steps->node), ==, "MPI_Allreduce");
	CHECK(!t->steps->marked);
	CHECK(t->steps->per, ==, 1);
	CHECK(t->steps->each, ==, 1);
	/* The one that called less often has other iterations. */
	CHECK(t->rank_count, ==, 3);
	CHECK(t->row_count, ==, 3 * 39);
	CHECK(near((double)t->ranks[1].begin_ns, 101));
	CHECK(t->rows[5].us, ==, 20000);
	CHECK(t->rows[5].mpi_us, ==, 1000);
	run_free(run);
}

/* The number of steps of 4 ranks that call 40, 40, 40 and `last` times. */
static uint64_t steps_of_four(uint32_t last)
{
	struct run *run;
	uint64_t count;

	begin(4);
	for (int r = 0; r < 4; r++)
		stepped(r, CALL + LIVE_EVENT_ALL, 100, 20, r == 3 ? last : 40);
	run = merged(-1);
	count = run->iterations.step_count ? run->iterations.steps->iterations
					   : 0;
	run_free(run);
	return count;
}

TEST(ranks_that_call_nearly_as_often_share_no_steps)
{
	CHECK(steps_of_four(40), ==, 40);
	CHECK(steps_of_four(41), ==, 0);
	CHECK(steps_of_four(80), ==, 40);
}

/* As hpcc's rings, which one function measures twice. */
TEST(one_path_may_have_two_loops)
{
	struct run *run;

	begin(2);
	for (int r = 0; r < 2; r++) {
		stepped(r, CALL + LIVE_EVENT_ALL, 100, 20, 40);
		stepped(r, CALL + LIVE_EVENT_ALL, 1000, 20, 30);
	}
	run = merged(-1);
	CHECK(run->iterations.series_count, ==, 2);
	CHECK(run->iterations.series[0].iterations, ==, 40);
	CHECK(run->iterations.series[1].iterations, ==, 30);
	run_free(run);
}

/*
 * 4 ranks call a function from several lines 40 times; `lines` of them do it in
 * the same way, and each calls another one in each `turn`-th of its calls, the
 * others `late` calls later; below 0, they do not.
 */
static uint64_t steps_of_lines(int lines, int turn, int late)
{
	struct run *run;
	uint64_t count;

	begin(4);
	for (int r = 0; r < 4; r++) {
		struct profile_step *step =
			stepped(r, CALL + LIVE_EVENT_ALL, 100, 20, 40);

		step->lines = r < lines ? 7 : 9;
		step->ordered = 1;
		if (turn && (r < lines || late >= 0))
			stepped(r, CALL + LIVE_EVENT_SEND,
				95 + 20 * (r < lines ? 0 : late), 20 * turn,
				38 / (uint32_t)turn);
	}
	run = merged(-1);
	count = run->iterations.step_count ? run->iterations.steps->iterations
					   : 0;
	run_free(run);
	return count;
}

TEST(ranks_that_call_from_different_lines_share_steps)
{
	CHECK(steps_of_lines(2, 0, 0), ==, 40);
	CHECK(steps_of_lines(4, 0, 0), ==, 0);
	/* Another loop is around it, or its calls are of a rank in turn. */
	CHECK(steps_of_lines(2, 4, 0), ==, 9);
	CHECK(steps_of_lines(2, 2, 1), ==, 40);
	CHECK(steps_of_lines(2, 2, -1), ==, 40);
}

TEST(a_row_is_several_iterations_where_stamps_were_thinned)
{
	const struct run_iterations *t;
	struct run *run;

	begin(2);
	for (int r = 0; r < 2; r++) {
		struct profile_step *step =
			stepped(r, CALL + LIVE_EVENT_ALL, 0, 1, 263);

		/* 63 calls, and one of 4 of 800; two are an iteration. */
		for (uint32_t i = 63; i < 263; i++)
			stamps[r][i].ns =
				clock_of(r, (63 + 4. * (i - 63)) * MS);
		step->stride = 4;
		step->per = 2;
		step->calls = 863;
	}
	run = merged(-1);
	t = &run->iterations;
	CHECK(t->step_count, ==, 1);
	CHECK(t->steps->iterations, ==, 431);
	CHECK(t->steps->each, ==, 2);
	CHECK(t->steps->head, ==, 31);
	CHECK(t->rows[30].us, ==, 2000);
	CHECK(t->rows[31].us, ==, 4000);
	CHECK(t->ranks[0].count, ==, 31 + 199);
	run_free(run);
}
