/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c - small profiles made by hand, their run, and its file. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/run-build.h"
#include "merge/merging.h"
#include "merge/gatherers.h"
#include "merge/merge-gpu-tables.h"
#include "merge/openmp.h"
#include "merge/thread-count.h"
#include "run/values.h"
#include "profile/profile.h"
#include "tests/lib/test.h"

/*
 * A program of two functions without names: 0x100 calls MPI_Init, MPI_Send and
 * 0x200, where the samples are.
 */
enum {
	CALL = 1,
	INIT,
	SEND,
	WORK,
	OTHER,
	NODES
};

static struct profile_node nodes[NODES] = {
	[CALL] = { 0, NODE_CALL, 0, 0x101 },
	[INIT] = { CALL, NODE_NAMED, 0, 0 },
	[SEND] = { CALL, NODE_NAMED, 1, 0 },
	[WORK] = { CALL, NODE_PC, 0, 0x200 },
	[OTHER] = { CALL, NODE_PC, 0, 0x300 },
};
static char path[] = "/no/such/app";
static char init[] = "MPI_Init", send[] = "MPI_Send";
static char job_a[] = "job.a", job_b[] = "job.b", no_text[] = "";
static char command[] = "./app 1";
static struct profile_module modules[] = { { path, "", 0 } };
static struct profile_name names[] = { { init, 0, 0 }, { send, 0, 1 } };
static struct profile_thread threads[] = {
	{ .runs = 1, .cpu_ns = 7, .samples = 3, .last_ns = 2000 },
	{ .runs = 2, .cpu_ns = 5, .samples = 1, .last_ns = 3000 },
};
static struct profile_loss losses[] = { { "dropped.full", 2 } };

struct small {
	struct profile profile;
	struct profile_value cpu[3], mpi[3];
	struct profile_column columns[2];
};

/* Rank r works 10 r at 0x200 (on two threads), and 5 at 0x300 if it is odd. */
static void make(struct small *s, int rank, int size)
{
	uint64_t work = 10 * (uint64_t)rank;

	*s = (struct small){
		.cpu = { { WORK, 0, work }, { WORK, 1, 1 }, { OTHER, 0, 5 } },
		.mpi = { { INIT, 0, 50 }, { SEND, 0, 20 }, { SEND, 1, 3 } },
	};
	s->columns[0] = (struct profile_column){ "cpu.time", UNIT_NS, MERGE_SUM,
						 rank % 2 ? 3 : 2, s->cpu };
	if (!rank) /* no 0 is stored */
		s->columns[0].count--, s->columns[0].values++;
	s->columns[1] = (struct profile_column){ "mpi.time", UNIT_NS, MERGE_SUM,
						 3, s->mpi };
	s->profile = (struct profile){
		.id = { .rank = rank,
			.cores = { 2, 5, 1000 + (uint64_t)rank },
			.size = size,
			.pid = (uint32_t)(100 - rank),
			.host = "node1",
			.exe = path,
			.command = command,
			.job = job_a,
			.version = no_text,
			.events = no_text,
			.mpi_library = no_text,
			.start_mono_ns = 1000,
			.mpi_init_ns = size ? 1100 : 0,
			.mpi_finalize_ns = 0,
			.end_mono_ns = 1600,
			.end = END_EXIT },
		.modules = modules,
		.module_count = 1,
		.names = names,
		.name_count = 2,
		.nodes = nodes,
		.node_count = NODES,
		.columns = s->columns,
		.column_count = 2,
		.losses = losses,
		.loss_count = 1,
		.threads = threads,
		.thread_count = 2,
	};
}

static char directory[] = "/tmp/copse-merge-XXXXXX";

static const char *file(const char *name)
{
	static char to[256];

	snprintf(to, sizeof(to), "%s/%s", directory, name);
	return to;
}

static void save(int rank, int size, char *job, const char *name)
{
	struct small s;

	make(&s, rank, size);
	s.profile.id.job = job;
	CHECK(!profile_save(&s.profile, file(name)));
}

static void save_as(int rank, uint32_t pid, const char *name)
{
	struct small s;

	make(&s, rank, 2);
	s.profile.id.pid = pid;
	CHECK(!profile_save(&s.profile, file(name)));
}

static void clean(void)
{
	char *rm = str_format("rm -rf %s", directory);

	CHECK(rm && !system(rm)); /* NOLINT */
	free(rm);
}

static uint32_t child(const struct run *run, uint32_t parent,
		      const char *function)
{
	for (uint32_t i = 1; i < run->node_count; i++)
		if (run->nodes[i].parent == parent &&
		    !strcmp(str_at(&run->strings, run->nodes[i].function),
			    function))
			return i;
	return 0;
}

static bool has_problem(const struct run *run, const char *source,
			const char *text)
{
	for (size_t i = 0; i < run->problem_count; i++)
		if (!strcmp(str_at(&run->strings, run->problems[i].source),
			    source) &&
		    strstr(str_at(&run->strings, run->problems[i].text), text))
			return true;
	return false;
}

static uint64_t value_at(const struct run_metric *m, uint32_t node,
			 uint32_t rank)
{
	for (uint64_t i = m->first[node]; i < m->first[node + 1]; i++)
		if (m->values[i].rank == rank)
			return m->values[i].value;
	return 0;
}

TEST(ranks_become_one_tree)
{
	const struct run_metric *cpu;
	struct run *run = NULL;
	uint32_t main, work;

	CHECK(mkdtemp(directory));
	for (int rank = 3; rank >= 0; rank--) {
		char name[32];

		snprintf(name, sizeof(name), "rank-%d.h5", rank);
		save(rank, 4, job_a, name);
	}
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 4);
	CHECK(run->member_count, ==, 4);
	CHECK(run->world, ==, 4);
	CHECK(run->node_count, ==, 6);
	main = child(run, 0, "app+0x100");
	work = child(run, main, "app+0x200");
	CHECK(main, ==, 1);
	CHECK(work);
	CHECK(run->nodes[work].flags, ==, RUN_UNNAMED);
	CHECK(child(run, main, "MPI_Init") && child(run, main, "app+0x300"));
	CHECK(run->nodes[child(run, main, "MPI_Send")].kind, ==, RUN_MPI);
	CHECK(run->nodes[child(run, main, "MPI_Send")].detail, ==, 1);
	cpu = run_metric(run, "cpu.time");
	CHECK(cpu && !run_metric(run, "gpu.time"));
	for (uint32_t r = 0; r < 4; r++)
		CHECK(value_at(cpu, work, r), ==, 10 * r + 1);
	CHECK(cpu->stats[work].sum, ==, 64);
	CHECK(cpu->stats[work].mean, ==, 16);
	CHECK(cpu->stats[work].min, ==, 1);
	CHECK(cpu->stats[work].min_rank, ==, 0);
	CHECK(cpu->stats[work].max, ==, 31);
	CHECK(cpu->stats[work].max_rank, ==, 3);
	CHECK(cpu->stats[work].deviation, >, 11.18);
	CHECK(cpu->stats[work].deviation, <, 11.19);
	CHECK(run->ranks[2].mpi_ns, ==, 500);
	CHECK(run->ranks[2].mpi_time_ns, ==, 20);
	CHECK(run->ranks[2].elapsed_ns, ==, 600);
	CHECK(run->ranks[2].cpu_ns, ==, 12);
	CHECK(run->ranks[2].threads, ==, 3);
	CHECK(run->ranks[2].pid, ==, 98);
	CHECK(run->loss_count, ==, 4);
	CHECK(run->losses[3].rank, ==, 3);
	CHECK(has_problem(run, path, "cannot be opened"));
	CHECK(run->problem_count, ==, 1);
	run_free(run);
	clean();
}

TEST(time_in_files_is_that_of_the_first_thread)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	names[1].detail = LIVE_MPI_IO;
	save(0, 1, job_a, "rank-0.h5");
	CHECK(!merge_directory(&run, directory));
	CHECK(run->ranks[0].mpi_time_ns, ==, 20);
	CHECK(run->ranks[0].mpi_io_ns, ==, 20);
	CHECK(!run_save(run, file("run.h5")));
	run_free(run);
	CHECK(!run_load(&run, file("run.h5")));
	CHECK(run->ranks[0].mpi_io_ns, ==, 20);
	run_free(run);
	clean();
}

TEST(absent_values_count_as_zero)
{
	const struct run_stat *stat;
	struct run *run = NULL;
	uint32_t other;

	CHECK(mkdtemp(directory));
	save(0, 2, job_a, "rank-0.h5");
	save(1, 2, job_a, "rank-1.h5");
	save_as(1, 77, "rank-1-77.h5"); /* a child: same rank */
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 3);
	CHECK(run->member_count, ==, 2);
	other = child(run, 1, "app+0x300");
	stat = &run_metric(run, "cpu.time")->stats[other];
	CHECK(stat->sum, ==, 10);
	CHECK(stat->mean, ==, 2.5);
	CHECK(stat->deviation, ==, 2.5);
	CHECK(stat->min, ==, 0);
	CHECK(stat->min_rank, ==, 0);
	CHECK(stat->max, ==, 5);
	CHECK(stat->max_rank, ==, 1);
	run_free(run);
	clean();
}

TEST(a_process_counts_once)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	save(0, 2, job_a, "rank-0.h5");
	save(1, 2, job_a, "rank-1.h5");
	save(1, 2, job_a, "rank-1-99-0.live"); /* its copy */
	save_as(1, 77, "rank-1-77-0.live");
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 3);
	CHECK(run->member_count, ==, 2);
	CHECK(run->ranks[1].pid, !=, run->ranks[2].pid);
	run_free(run);
	clean();
}

/*
 * A rank of the job `id` that was in MPI for so many ns, as rank-RANK-PID.h5.
 */
static void save_in_job(uint64_t id, int rank, int size, uint64_t ns,
			uint32_t pid)
{
	struct small s;
	char name[48];

	make(&s, rank, size);
	s.profile.id.world_id = id;
	s.profile.id.pid = pid;
	s.profile.id.start_real_ns = pid;
	s.profile.id.mpi_finalize_ns = s.profile.id.mpi_init_ns + ns;
	snprintf(name, sizeof(name), "rank-%d-%u.h5", rank, pid);
	CHECK(!profile_save(&s.profile, file(name)));
}

/* The members are these processes, in the order of ranks. */
static bool members_are(const struct run *run, size_t count, uint32_t first)
{
	bool good = run->member_count == count && run->world == count;

	for (uint32_t i = 0; i < count && good; i++)
		good = run->ranks[i].pid == first + i &&
		       run->ranks[i].rank == (int32_t)i &&
		       run->ranks[i].job.number == 1;
	return good;
}

/* The largest is not the one that took most time. */
TEST(members_are_of_one_job)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	for (uint32_t i = 0; i < 3; i++)
		save_in_job(7, (int)i, 3, 100, 10 + i);
	for (uint32_t i = 0; i < 2; i++)
		save_in_job(9, (int)i, 2, 200, 20 + i);
	save_as(-1, 5, "rank-0-5.h5"); /* the script */
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 6);
	CHECK(members_are(run, 2, 20));
	CHECK(run->problem_count, ==, 1); /* the program itself */
	CHECK(!run_save(run, file("run.h5")));
	run_free(run);
	CHECK(!run_load(&run, file("run.h5")));
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		CHECK(run_is_other_job(r), ==, (r->pid / 10 == 1));
		CHECK(r->pid == 5 ? !r->job.number : r->job.number);
		CHECK(r->pid == 5 || r->job.size == (r->pid < 20 ? 3 : 2));
	}
	run_free(run);
	clean();
}

/* A process more of a rank, later, is of the same job. */
TEST(jobs_of_one_size_are_told_apart)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	for (uint32_t i = 0; i < 2; i++) {
		save_in_job(7, (int)i, 2, 100, 10 + i);
		save_in_job(9, (int)i, 2, 100, 20 + i);
		save_in_job(8, (int)i, 2, 100, 30 + i);
	}
	save_in_job(8, 1, 2, 1, 40);
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 7);
	CHECK(members_are(run, 2, 30));
	CHECK(run->ranks[2].job.number, ==, 2);
	CHECK(run->ranks[2].pid, ==, 10);
	CHECK(run->ranks[3].job.number, ==, 3);
	CHECK(run->ranks[3].pid, ==, 20);
	CHECK(run->ranks[6].job.number, ==, 1);
	CHECK(run->ranks[6].pid, ==, 40);
	run_free(run);
	clean();
}

/* As in files that are older than names of worlds. */
TEST(jobs_without_a_name_are_one)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	save_in_job(7, 0, 2, 100, 20);
	save_in_job(7, 1, 2, 100, 21);
	save_in_job(0, 0, 3, 100, 10);
	save_in_job(0, 2, 3, 100, 22);
	CHECK(!merge_directory(&run, directory));
	CHECK(run->world, ==, 3);
	CHECK(run->member_count, ==, 3);
	CHECK(run->ranks[0].pid, ==, 10);
	CHECK(run->ranks[1].pid, ==, 21);
	for (size_t i = 0; i < run->rank_count; i++)
		CHECK(run->ranks[i].job.number, ==, 1);
	run_free(run);
	clean();
}

static void write_file(const char *name, const char *text, size_t length)
{
	int fd = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd, >=, 0);
	CHECK(write(fd, text, length), ==, (ssize_t)length);
	close(fd);
}

/* Whatever it is called, and whatever else has to be left out. */
TEST(a_copied_file_is_left_out)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	save(0, 2, job_a, "rank-0-copy.h5");
	save(0, 2, job_a, "rank-0.h5");
	save(1, 2, job_a, "rank-1.h5");
	save(1, 2, job_a, "rank-10.h5");
	save(1, 2, job_a, "rank-11.h5");
	save(3, 2, job_b, "rank-2.h5");
	write_file("rank-0-bad.h5", "no", 2);
	CHECK(!merge_directory(&run, directory));
	CHECK(run->rank_count, ==, 2);
	CHECK(run->member_count, ==, 2);
	CHECK(run_metric(run, "mpi.time")->stats[child(run, 1, "MPI_Init")].sum,
	      ==, 100);
	CHECK(has_problem(run, "rank-2.h5", "another run"));
	CHECK(has_problem(run, "rank-0.h5", "as in rank-0-copy.h5"));
	CHECK(has_problem(run, "rank-10.h5", "as in rank-1.h5"));
	CHECK(has_problem(run, "rank-11.h5", "as in rank-1.h5"));
	run_free(run);
	clean();
}

TEST(bad_and_missing_files_are_named)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	CHECK(merge_directory(&run, directory), ==, -ENOENT);
	CHECK(strstr(fail_reason(), "holds no profile"));
	write_file("rank-0.h5", "not HDF5 at all", 15);
	CHECK(merge_directory(&run, directory), ==, -ENOENT);
	CHECK(strstr(fail_reason(), "rank-0.h5"));
	save(1, 8, job_a, "rank-1.h5");
	save(4, 8, job_a, "rank-4.h5");
	save(5, 8, job_b, "rank-5.h5");
	write_file("rank-6.h5", "", 0);
	write_file("notes.txt", "mine", 4);
	CHECK(!merge_directory(&run, directory));
	CHECK(run->member_count, ==, 2);
	CHECK(run->world, ==, 8);
	CHECK(has_problem(run, "rank-0.h5", ""));
	CHECK(has_problem(run, "rank-6.h5", ""));
	CHECK(has_problem(run, "rank-5.h5", "another run"));
	CHECK(has_problem(run, "rank 0", "no profile"));
	CHECK(has_problem(run, "ranks 2-3", "no profile"));
	CHECK(has_problem(run, "ranks 5-7", "no profile"));
	CHECK(run->problem_count, ==, 7); /* and the program itself */
	CHECK(str_at(&run->strings, run->job), ==, job_a);
	CHECK(run->ranks[1].rank, ==, 4);
	run_free(run);
	clean();
}

static bool same_values(const struct run_value *a, const struct run_value *b,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].rank != b[i].rank || a[i].value != b[i].value)
			return false;
	return true;
}

static bool same_metric(const struct run *a, const struct run *b, size_t i)
{
	const struct run_metric *x = &a->metrics[i], *y = &b->metrics[i];
	struct value_buffer buffers[2] = { 0 };
	const struct run_value *of_a, *of_b;
	size_t count, count_b;
	bool same = !strcmp(x->name, y->name) && x->unit == y->unit &&
		    x->merge == y->merge;

	for (size_t n = 0; n <= a->node_count && same; n++)
		same = x->first[n] == y->first[n];
	for (size_t n = 0; n < a->node_count && same; n++)
		same = x->stats[n].sum == y->stats[n].sum &&
		       x->stats[n].deviation == y->stats[n].deviation &&
		       x->stats[n].squares == y->stats[n].squares &&
		       x->stats[n].least == y->stats[n].least &&
		       x->stats[n].most == y->stats[n].most &&
		       x->stats[n].max_rank == y->stats[n].max_rank;
	for (size_t n = 0; n < a->node_count && same; n++) {
		CHECK(!values_of_node(a, i, n, &buffers[0], &of_a, &count));
		CHECK(!values_of_node(b, i, n, &buffers[1], &of_b, &count_b));
		same = count == count_b && same_values(of_a, of_b, count);
	}
	value_buffer_fini(&buffers[0]);
	value_buffer_fini(&buffers[1]);
	return same;
}

/* Without the padding before the first 64-bit member. */
static bool same_rank(const struct run_rank *x, const struct run_rank *y)
{
	size_t words = offsetof(struct run_rank, mpi_error) + 4;
	size_t rest = offsetof(struct run_rank, freq);

	return !memcmp(x, y, words) &&
	       !memcmp(&x->freq, &y->freq, sizeof(*x) - rest);
}

static bool is_above(const struct run *run, uint32_t node, uint32_t above)
{
	for (; node > above; node = run->nodes[node].parent)
		;
	return node == above;
}

/* Foreign: what relies on the order of nodes would not end. */
TEST(a_tree_out_of_order_is_refused)
{
	struct run *run = NULL, *loaded = NULL;
	uint32_t last, closed = 1;

	CHECK(mkdtemp(directory));
	save(0, 1, job_a, "rank-0.h5");
	CHECK(!merge_directory(&run, directory));
	last = (uint32_t)run->node_count - 1;
	while (is_above(run, last - 1, closed))
		closed++;
	CHECK(closed, <, last - 1);
	run->nodes[last].parent = closed;
	CHECK(!run_save(run, file("run.h5")));
	CHECK(run_load(&loaded, file("run.h5")), <, 0);
	CHECK(strstr(fail_reason(), "damaged: node"));
	run_free(run);
	clean();
}

/* Foreign: kernels are counted by the numbers of their names. */
TEST(names_that_are_none_are_refused)
{
	struct run *run = NULL, *loaded = NULL;

	CHECK(mkdtemp(directory));
	save(0, 1, job_a, "rank-0.h5");
	CHECK(!merge_directory(&run, directory));
	run->nodes[1].function = run->strings.count;
	CHECK(!run_save(run, file("run.h5")));
	CHECK(run_load(&loaded, file("run.h5")), <, 0);
	CHECK(strstr(fail_reason(), "damaged: node 1"));
	run_free(run);
	clean();
}

/* Foreign: who talks to whom is shown by the members' ranks. */
TEST(members_that_are_no_ranks_are_refused)
{
	struct run *run = NULL, *loaded = NULL;

	CHECK(mkdtemp(directory));
	save(0, 2, job_a, "rank-0.h5");
	save(1, 2, job_a, "rank-1.h5");
	CHECK(!merge_directory(&run, directory));
	run->ranks[1].rank = 2;
	CHECK(!run_save(run, file("run.h5")));
	CHECK(run_load(&loaded, file("run.h5")), <, 0);
	CHECK(strstr(fail_reason(), "damaged: rank 1 of 2"));
	run_free(run);
	clean();
}

/* What a file says is no reason to count to it. */
TEST(billions_of_ranks_are_missing_at_once)
{
	struct run *run = NULL;

	CHECK(mkdtemp(directory));
	save(0, 2000000000, job_a, "rank-0.h5");
	fclose(fopen(file(".left-out-3"), "w"));
	fclose(fopen(file(".left-out-4"), "w"));
	CHECK(!merge_directory(&run, directory));
	CHECK(has_problem(run, "ranks 1-2", "no profile"));
	CHECK(has_problem(run, "ranks 3-4", "not measured"));
	CHECK(has_problem(run, "ranks 5-1999999999", "no profile"));
	run_free(run);
	clean();
}

TEST(a_run_survives_its_file)
{
	struct run *a = NULL, *b = NULL;

	CHECK(mkdtemp(directory));
	save(0, 3, job_a, "rank-0.h5");
	save(2, 3, job_a, "rank-2.h5");
	CHECK(!merge_directory(&a, directory));
	CHECK(!run_save(a, file("other.h5")));
	CHECK(!run_load(&b, file("other.h5")));
	CHECK(a->rank_count, ==, b->rank_count);
	CHECK(a->world, ==, b->world);
	CHECK(a->member_count, ==, b->member_count);
	for (size_t i = 0; i < a->rank_count; i++)
		CHECK(same_rank(&a->ranks[i], &b->ranks[i]));
	CHECK(b->ranks[1].cores.count, ==, 2);
	CHECK(b->ranks[1].cores.waited_ns, ==, 1002);
	CHECK(a->node_count, ==, b->node_count);
	CHECK(!memcmp(a->nodes, b->nodes, a->node_count * sizeof(*a->nodes)));
	CHECK(a->strings.count, ==, b->strings.count);
	for (uint32_t i = 0; i < a->strings.count; i++)
		CHECK(a->strings.at[i], ==, b->strings.at[i]);
	CHECK(a->command, ==, b->command);
	CHECK(a->job, ==, b->job);
	CHECK(a->loss_count, ==, b->loss_count);
	CHECK(a->problem_count, ==, b->problem_count);
	CHECK(a->problem_count, ==, 2);
	CHECK(a->metric_count, ==, 2);
	CHECK(b->metric_count, ==, 2);
	CHECK(same_metric(a, b, 0) && same_metric(a, b, 1));
	run_free(a);
	run_free(b);
	clean();
}

/* With a rank's file that is so many seconds younger. */
static bool is_remade(struct timespec of_database, time_t more)
{
	struct timespec times[2] = { of_database, of_database };
	struct stat before, after;
	struct run *run = NULL;

	times[1].tv_sec += more;
	CHECK(!utimensat(AT_FDCWD, file("rank-0.h5"), times, 0));
	CHECK(!stat(file("run.h5"), &before));
	CHECK(!merge_open(&run, directory, NULL));
	CHECK(!stat(file("run.h5"), &after));
	run_free(run);
	return before.st_ino != after.st_ino;
}

TEST(runtimes_of_openmp_are_told_by_their_files)
{
	CHECK(openmp_code("/usr/lib/libgomp.so.1.0.0"), ==, OPENMP_RUNTIME);
	CHECK(openmp_code("x.libs/libgomp-a34b3233.so.1.0.0"), ==,
	      OPENMP_RUNTIME);
	CHECK(openmp_code("/opt/intel/libiomp5.so"), ==, OPENMP_RUNTIME);
	CHECK(openmp_code("/usr/lib/llvm-14/lib/libomp.so.5"), ==,
	      OPENMP_RUNTIME);
	CHECK(openmp_code("/usr/lib/libomptarget.so.14"), ==, OPENMP_OTHER);
	CHECK(openmp_code("/home/me/libomp"), ==, OPENMP_OTHER);
	CHECK(openmp_code("/lib/libc.so.6"), ==, OPENMP_SYSTEM);
	CHECK(openmp_code("[vdso]"), ==, OPENMP_OTHER);
	/* The stretch of the runtime begins with its first frame … */
	CHECK(openmp_frame(OPENMP_SYSTEM, 1, 0), ==, 0);
	CHECK(openmp_frame(OPENMP_RUNTIME, 2, 0), ==, 2);
	CHECK(openmp_frame(OPENMP_RUNTIME, 3, 2), ==, 2);
	CHECK(openmp_frame(OPENMP_SYSTEM, 4, 2), ==, 2);
	/* … and ends with the program's. */
	CHECK(openmp_frame(OPENMP_OTHER, 5, 2), ==, 0);
}

TEST(the_database_is_made_when_it_is_needed)
{
	struct run *run = NULL;
	struct stat first, second;

	CHECK(mkdtemp(directory));
	save(0, 1, job_a, "rank-0.h5");
	CHECK(!merge_open(&run, directory, NULL));
	CHECK(!stat(file("run.h5"), &first));
	run_free(run);
	CHECK(!merge_open(&run, directory, NULL));
	CHECK(!stat(file("run.h5"), &second));
	CHECK(first.st_ino, ==, second.st_ino);
	run_free(run);
	CHECK(!is_remade(second.st_mtim, 0));
	CHECK(!is_remade(second.st_mtim, -1));
	CHECK(is_remade(second.st_mtim, 1));
	write_file("run.h5", "rubbish", 7);
	CHECK(!merge_open(&run, directory, NULL)); /* made again */
	run_free(run);
	CHECK(!merge_open(&run, file("run.h5"), NULL));
	CHECK(run->rank_count, ==, 1);
	run_free(run);
	CHECK(merge_open(&run, file("nothing"), NULL), ==, -ENOENT);
	clean();
}

TEST(statistics_without_members)
{
	struct run run = { 0 };

	CHECK(!run_stats(&run));
}

/* As in a stripped program, with and without names in the C library. */
TEST(main_is_who_the_c_library_calls)
{
	enum {
		TREE_START = 1,
		TREE_CALLER,
		TREE_MAIN,
		TREE_WORK,
		TREE_COUNT
	};
	struct run_node tree[] = { [TREE_START] = { .kind = RUN_FUNCTION },
				   [TREE_CALLER] = { .parent = TREE_START,
						     .kind = RUN_FUNCTION,
						     .flags = RUN_UNNAMED },
				   [TREE_MAIN] = { .parent = TREE_CALLER,
						   .kind = RUN_FUNCTION,
						   .flags = RUN_UNNAMED },
				   [TREE_WORK] = { .parent = TREE_MAIN,
						   .kind = RUN_FUNCTION,
						   .flags = RUN_UNNAMED } };
	struct run run = { .nodes = tree, .node_count = TREE_COUNT };
	uint32_t libc = str_add(&run.strings, "libc.so.6");
	uint32_t app = str_add(&run.strings, "app");

	tree[TREE_START].function = str_add(&run.strings, "__libc_start_main");
	tree[TREE_CALLER].function = str_add(&run.strings, "libc.so.6+0x1");
	tree[TREE_MAIN].function = str_add(&run.strings, "app+0x1");
	tree[TREE_WORK].function = str_add(&run.strings, "app+0x2");
	tree[TREE_START].module = tree[TREE_CALLER].module = libc;
	tree[TREE_MAIN].module = tree[TREE_WORK].module = app;
	CHECK(!merge_name_main(&run));
	CHECK(str_at(&run.strings, tree[TREE_MAIN].function), ==, "main");
	CHECK(!tree[TREE_MAIN].flags);
	CHECK(tree[TREE_WORK].flags, ==, RUN_UNNAMED);
	strings_fini(&run.strings);
}

/* More of one kernel and block than a byte counts. */
TEST(shapes_that_differ_in_little_are_told_apart)
{
	enum {
		SHAPES = 600
	};
	struct profile_shape shapes[SHAPES] = { 0 };
	struct profile profile = { .names = names,
				   .name_count = 2,
				   .shapes = shapes,
				   .shape_count = SHAPES };
	const struct gathered one = { .profile = &profile };
	struct gpu_facts facts = { 0 };

	for (uint32_t i = 0; i < SHAPES; i++)
		shapes[i] = (struct profile_shape){ .block_x = 32,
						    .local = i / 2,
						    .launches = 1 };
	CHECK(!gatherer_merge_gpu_tables.add(&facts, &one));
	CHECK(facts.sum.shape_count, ==, SHAPES / 2);
	CHECK(facts.sum.shapes[SHAPES / 2 - 1].launches, ==, 2);
	gatherer_merge_gpu_tables.fini(&facts);
}

/* A thread of PMIx that was sampled, and one of the program in MPI. */
TEST(threads_of_mpi_itself_are_not_counted)
{
	static char pmix[] = "/usr/lib/libpmix.so.2", libc[] = "/lib/libc.so.6";
	static char vdso[] = "[vdso]";
	struct profile_module files[] = { { path, "", 0 },
					  { pmix, "", 0 },
					  { libc, "", 0 },
					  { vdso, "", 0 } };
	struct profile_node tree[] = {
		{ 0 },
		{ 0, NODE_CALL, 2, 0x10 }, /* libc, which began a thread */
		{ 1, NODE_CALL, 1, 0x20 },
		{ 2, NODE_PC, 2, 0x30 },
		{ 1, NODE_CALL, 0, 0x40 },
		{ 4, NODE_PC, 1, 0x50 },
		{ 2, NODE_PC, 3, 0x60 }, /* it read the clock */
	};
	struct profile_value values[] = { { 3, 1, 9 }, { 5, 0, 9 } };
	struct profile_column column = { "cpu.time", UNIT_NS, MERGE_SUM, 2,
					 values };
	struct small s;

	make(&s, 0, 1);
	s.profile.modules = files;
	s.profile.module_count = 4;
	s.profile.nodes = tree;
	s.profile.node_count = 7;
	s.profile.columns = &column;
	s.profile.column_count = 1;
	CHECK(thread_count(&s.profile), ==, 1);
	values[0].node = 6;
	CHECK(thread_count(&s.profile), ==, 1);
	values[0].node = 5;
	CHECK(thread_count(&s.profile), ==, 3);
	/* Without samples: with MPI, those it began are among them. */
	s.profile.column_count = 0;
	CHECK(thread_count(&s.profile), ==, 1);
	s.profile.id.mpi_init_ns = 0;
	CHECK(thread_count(&s.profile), ==, 3);
}
