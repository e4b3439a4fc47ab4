/* SPDX-License-Identifier: BSD-3-Clause */
/* run-processes.c - the processes of a run: their times, their order, the
 * missing. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/combine.h"
#include "base/err.h"
#include "base/launcher.h"
#include "base/comparison.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/run-build.h"
#include "merge/openmp.h"
#include "merge/run-processes.h"
#include "merge/thread-count.h"

uint64_t process_end(const struct profile *p)
{
	return p->id.end_mono_ns ? p->id.end_mono_ns : profile_last_ns(p);
}

static uint64_t time_between(uint64_t start, uint64_t end)
{
	return end > start ? end - start : 0;
}

static uint64_t earlier_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_process_init(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];
	const char *text;

	if (n->kind != NODE_NAMED)
		return false;
	text = p->names[n->owner].text;
	return !strcmp(text, "MPI_Init") || !strcmp(text, "MPI_Init_thread");
}

static bool is_io(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];

	return n->kind == NODE_NAMED &&
	       p->names[n->owner].class == LIVE_NAME_MPI &&
	       p->names[n->owner].detail == LIVE_MPI_IO;
}

/*
 * Time inside MPI, or in its functions for files alone, on the thread of
 * MPI_Init, in the interval that mpi_ns measures: it begins when MPI_Init
 * returns and ends when MPI_Finalize does.
 */
static uint64_t mpi_time(const struct profile *p, bool io)
{
	const struct profile_column *c = profile_column(p, "mpi.time");
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->count; i++)
		if (c->values[i].thread == p->id.mpi_thread &&
		    !is_process_init(p, c->values[i].node) &&
		    (!io || is_io(p, c->values[i].node)))
			sum += c->values[i].value;
	return sum;
}

/* Pauses between MPI_Init and MPI_Finalize, or the end. */
static uint64_t mpi_paused(const struct profile_identity *id)
{
	return time_between(id->mpi_init_paused_ns,
			    id->mpi_finalize_ns ? id->mpi_finalize_paused_ns
						: id->paused_ns);
}

int process_times(struct run_rank *to, const struct profile *p)
{
	uint64_t end = process_end(p);
	uint64_t mpi_end = p->id.mpi_finalize_ns ? p->id.mpi_finalize_ns : end;

	*to = (struct run_rank){ 0 };
	to->elapsed_ns = time_between(p->id.start_mono_ns, end);
	if (p->id.mpi_init_ns) {
		to->mpi_ns = time_between(
			p->id.mpi_init_ns + mpi_paused(&p->id), mpi_end);
		to->mpi_time_ns = earlier_ns(mpi_time(p, false), to->mpi_ns);
		to->mpi_io_ns = earlier_ns(mpi_time(p, true), to->mpi_time_ns);
	}
	to->threads = thread_count(p);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

#define COLUMN(type, name, help, how) COMBINE_##how(to->name, t->name);
#define ADDED                         COLUMN
#include "live/thread.def"
#undef COLUMN
#undef ADDED
	}
	return openmp_times(&to->openmp, p);
}

int process_fill(struct run_rank *to, struct run *run, const struct profile *p,
		 const char *source)
{
	const struct profile_identity *id = &p->id;
	char *role = process_role(p);

#define COLUMN(type, name, ...) to->name = id->name;
#define ADDED                   COLUMN
#define DERIVED                 COLUMN
#define LOCAL(...)
#include "live/process.def"
#undef COLUMN
#undef ADDED
#undef DERIVED
#undef LOCAL
	to->ppid = id->ppid;
	to->host = str_add(&run->strings, id->host);
	to->source = str_add(&run->strings, source);
	to->command = str_add(&run->strings, id->command);
	to->cores = id->cores;
	to->family = id->family;
	to->world_id = id->world_id;
	to->job.size = id->size > 0 ? (uint32_t)id->size : 0;
	to->mpi_library =
		str_add(&run->strings, id->mpi_library ? id->mpi_library : "");
	to->role = role ? str_add(&run->strings, role) : STR_NONE;
	free(role);
	if (to->role == STR_NONE || to->host == STR_NONE ||
	    to->source == STR_NONE || to->command == STR_NONE ||
	    to->mpi_library == STR_NONE)
		return no_memory();
	return 0;
}

/*
 * The order.  A rank's child may claim the same rank: the member is the one
 * that initialised MPI, the earliest of those.  Ranks of other jobs are none.
 */

struct entry {
	struct run_rank row;
	uint32_t index; /* in the order of reading */
	bool became;    /* another program */
	bool member;
};

ORDER_BY(by_claim, struct entry,
	 ASC(row.job.number) ?:
	 ORDER((uint32_t)a->row.rank, (uint32_t)b->row.rank) ?:
	 ORDER(!a->row.mpi_ns, !b->row.mpi_ns) ?: ASC(row.start_real_ns) ?:
	 ASC(row.pid) ?: ASC(index))

/* -1, no rank, comes last. */
ORDER_BY(by_order, struct entry,
	 ORDER(!a->member, !b->member) ?:
	 ORDER((uint32_t)a->row.rank, (uint32_t)b->row.rank) ?: ASC(row.pid) ?:
	 ASC(index))

bool process_is_shell(const struct run *run, const struct run_rank *r)
{
	static const char *const names[] = { "sh",   "bash", "dash", "zsh",
					     "ksh",  "mksh", "csh",  "tcsh",
					     "fish", "ash" };
	const char *command = str_at(&run->strings, r->command);
	size_t word = strcspn(command, " ");
	const char *slash = memrchr(command, '/', word);
	const char *name = slash ? slash + 1 : command;

	word -= (size_t)(name - command);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == word && !strncmp(names[i], name, word))
			return true;
	return false;
}

#define FAR_LESS 10 /* times the CPU time: who has that less only starts it */

/* The most CPU time of a process that is no shell. */
static uint64_t most_of_others(const struct run *run)
{
	uint64_t most = 0;

	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].cpu_ns > most &&
		    !process_is_shell(run, &run->ranks[i]))
			most = run->ranks[i].cpu_ns;
	return most;
}

struct image { /* a program that a process was */
	uint32_t host, pid, index;
	uint64_t start_ns;
};

ORDER_BY(by_image, struct image,
	 ASC(host) ?: ASC(pid) ?: ASC(start_ns) ?: ASC(index))

/*
 * Which of run->ranks became another program, as env, shims and "poetry run"
 * do.  To be freed; NULL: no memory.
 */
static bool *find_predecessors(const struct run *run)
{
	size_t count = run->rank_count;
	struct image *images = calloc(count + 1, sizeof(*images));
	bool *became = images ? calloc(count + 1, sizeof(*became)) : NULL;

	for (size_t i = 0; became && i < count; i++)
		images[i] = (struct image){
			.host = run->ranks[i].host,
			.pid = (uint32_t)run->ranks[i].pid,
			.index = (uint32_t)i,
			.start_ns = run->ranks[i].start_real_ns,
		};
	if (became)
		qsort(images, count, sizeof(*images), by_image);
	for (size_t i = 1; became && i < count; i++)
		became[images[i - 1].index] =
			images[i - 1].host == images[i].host &&
			images[i - 1].pid == images[i].pid;
	free(images);
	return became;
}

/*
 * Without MPI, shells that start a program (pyenv has fifteen of them), and
 * what becomes it, are not processes beside it.
 */
static bool is_wrapper(const struct run *run, const struct entry *e,
		       uint64_t most_of_others)
{
	return e->row.cpu_ns * FAR_LESS < most_of_others &&
	       (e->became || process_is_shell(run, &e->row));
}

static void choose_members(struct run *run, struct entry *entries)
{
	uint64_t most = run->world ? 0 : most_of_others(run);

	qsort(entries, run->rank_count, sizeof(*entries), by_claim);
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &entries[i].row;

		if (run->world)
			entries[i].member =
				r->job.number == 1 &&
				(uint32_t)r->rank < run->world &&
				(!i || entries[i - 1].row.rank != r->rank);
		else
			entries[i].member = !is_wrapper(run, &entries[i], most);
		run->member_count += entries[i].member;
	}
}

/* Of the first process that has one: of a member, if there are any. */
static uint32_t first_library(const struct run *run)
{
	size_t i = 0;

	while (i < run->rank_count && !run->ranks[i].mpi_library)
		i++;
	return i < run->rank_count ? run->ranks[i].mpi_library : 0;
}

int processes_sort(struct run *run, uint32_t *order)
{
	struct entry *entries = calloc(run->rank_count + 1, sizeof(*entries));
	bool *became = find_predecessors(run);
	int err = entries && became ? 0 : no_memory();

	if (!err)
		err = launch_ranks_take(run, became);
	if (!err)
		err = mpi_jobs_number(run);
	if (err)
		goto out;
	for (size_t i = 0; i < run->rank_count; i++)
		entries[i] = (struct entry){ .row = run->ranks[i],
					     .index = (uint32_t)i,
					     .became = became[i] };
	run->member_count = 0;
	choose_members(run, entries);
	qsort(entries, run->rank_count, sizeof(*entries), by_order);
	for (size_t i = 0; i < run->rank_count; i++) {
		run->ranks[i] = entries[i].row;
		order[entries[i].index] = (uint32_t)i;
	}
	run->mpi_library = first_library(run);
out:
	free(entries);
	free(became);
	return err;
}

/*
 * The ranks that `copse run` was not to measure, as its marks say.  Listed
 * once: how many ranks are missing is what a file says, and may be billions.
 */
struct mark_numbers {
	uint32_t *at; /* in order */
	size_t count, next;
};

#define MARK ".left-out-"

ORDER_BY(by_mark_number, uint32_t, ORDER(*a, *b))

static int add_mark_name(struct mark_numbers *marks, const char *name)
{
	uint64_t rank;

	if (strncmp(name, MARK, strlen(MARK)) != 0 ||
	    !str_to_uint(name + strlen(MARK), &rank) || rank >= UINT32_MAX)
		return 0;
	if (!ARRAY_RESIZE(marks->at, marks->count + 1))
		return no_memory();
	marks->at[marks->count++] = (uint32_t)rank;
	return 0;
}

static int marks_init(struct mark_numbers *marks, const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	int err = 0;

	*marks = (struct mark_numbers){ 0 };
	while (dir && !err && (entry = readdir(dir)))
		err = add_mark_name(marks, entry->d_name);
	if (dir)
		closedir(dir);
	if (marks->count)
		qsort(marks->at, marks->count, sizeof(*marks->at),
		      by_mark_number);
	return err;
}

/* The last of the ranks that are like `from`, which grows from call to call. */
static uint32_t last_alike(struct mark_numbers *marks, uint32_t from,
			   uint32_t to, bool *left_out)
{
	while (marks->next < marks->count && marks->at[marks->next] < from)
		marks->next++;
	*left_out =
		marks->next < marks->count && marks->at[marks->next] == from;
	if (!*left_out && marks->next < marks->count &&
	    marks->at[marks->next] <= to)
		return marks->at[marks->next] - 1;
	if (!*left_out)
		return to;
	while (from < to && ++marks->next < marks->count &&
	       marks->at[marks->next] == from + 1)
		from++;
	return from;
}

static const char *why_missing(const struct run *run, bool left_out)
{
	const char *job = str_at(&run->strings, run->job);

	if (left_out)
		return "not measured, as --include and --exclude say";
	if (!strncmp(job, LAUNCHER_ALONE, strlen(LAUNCHER_ALONE)))
		return "no profile here; copse run in front of the launcher "
		       "measures ranks on its own host only, behind it (mpirun "
		       "... copse run PROGRAM) on all";
	return "no profile here; if it was killed together with its copse run, "
	       "try copse recover on its host";
}

static int say_missing_range(struct run *run, uint32_t from, uint32_t to,
			     bool left_out)
{
	char *source = from == to ? str_format("rank %u", from)
				  : str_format("ranks %u-%u", from, to);
	int err;

	if (!source)
		return no_memory();
	err = run_problem(run, source, why_missing(run, left_out));
	free(source);
	return err;
}

static int say_missing_processes(struct run *run, struct mark_numbers *marks,
				 uint32_t from, uint32_t to)
{
	int err = 0;

	for (uint32_t last; from <= to && !err; from = last + 1) {
		bool left_out;

		last = last_alike(marks, from, to, &left_out);
		err = say_missing_range(run, from, last, left_out);
	}
	return err;
}

int processes_missing(struct run *run, const char *directory)
{
	struct mark_numbers marks;
	uint32_t next = 0;
	int err = marks_init(&marks, directory);

	for (size_t i = 0; i < run->member_count && run->world && !err; i++) {
		uint32_t rank = (uint32_t)run->ranks[i].rank;

		if (rank > next)
			err = say_missing_processes(run, &marks, next,
						    rank - 1);
		next = rank + 1;
	}
	if (!err && next < run->world)
		err = say_missing_processes(run, &marks, next, run->world - 1);
	free(marks.at);
	return err;
}
