/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.c - a directory of rank files becomes one run.
 *
 * Files are added in the order of their names.  When they turn
 * out to be of several jobs, they are read once more, with those of the other
 * jobs left out; that is rare and costs less than reading every file twice.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "merge/build.h"
#include "merge/entry.h"
#include "merge/gather.h"
#include "merge/traffic.h"
#include "merge/unify.h"
#include "merge/values.h"
#include "merge/waiting.h"
#include "merge/work.h"

/*
 * The files: rank-NAME.h5, and rank-NAME.live, the raw copy of a live profile,
 * which is left where `copse run` could not make the other of it.
 */

struct input {
	char *name;
	bool live;
};

struct inputs {
	struct input *at;
	size_t count;
};

static void inputs_fini(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->at[i].name);
	free(inputs->at);
	*inputs = (struct inputs){ 0 };
}

static bool has_suffix(const char *name, const char *suffix)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, suffix);
}

static int is_rank_file(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "rank-", 5) &&
	       (has_suffix(entry->d_name, ".h5") ||
		has_suffix(entry->d_name, ".live"));
}

/* Raw copies last: most have a better file before them. */
static int by_name(const void *x, const void *y)
{
	const struct input *a = x, *b = y;

	if (a->live != b->live)
		return a->live - b->live;
	return strverscmp(a->name, b->name); /* rank-2 before rank-10 */
}

static int inputs_list(struct inputs *inputs, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_rank_file, NULL);
	int err = 0;

	if (count < 0)
		return fail(-errno, "%s: %s", directory, strerror(errno));
	inputs->at = calloc((size_t)count + 1, sizeof(*inputs->at));
	if (!inputs->at)
		err = -ENOMEM;
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char *copy = err ? NULL : strdup(name);

		if (copy)
			inputs->at[inputs->count++] =
				(struct input){ copy,
						has_suffix(name, ".live") };
		else
			err = -ENOMEM;
		free(entries[i]);
	}
	free(entries);
	if (err)
		return fail(err, "out of memory");
	qsort(inputs->at, inputs->count, sizeof(*inputs->at), by_name);
	return 0;
}

/*
 * One pass over the files.
 */

struct job {
	uint32_t key; /* string of the run */
	size_t files;
	uint64_t newest;
};

struct merging {
	const char *directory;
	struct inputs inputs;
	const struct merge_progress *progress;
	struct run *run;
	struct unify *unify;
	struct gathered parts;
	struct traffic traffic;
	struct job *jobs;
	size_t job_count;
};

static void say(const struct merging *m, const char *what, size_t done,
		size_t of)
{
	if (m->progress && m->progress->step)
		m->progress->step(m->progress->to, what, done, of);
}

static unsigned int threads(const struct merging *m)
{
	return m->progress ? m->progress->threads : 0;
}

static void pass_fini(struct merging *m)
{
	run_free(m->run);
	unify_free(m->unify);
	gather_fini(&m->parts);
	traffic_fini(&m->traffic);
	free(m->jobs);
	m->run = NULL;
	m->unify = NULL;
	m->jobs = NULL;
	m->job_count = 0;
}

/* The last reason, without the path that a file's name already says. */
static const char *short_reason(const char *path)
{
	const char *reason = fail_reason();
	size_t length = strlen(path);

	if (!strncmp(reason, path, length) &&
	    !strncmp(reason + length, ": ", 2))
		return reason + length + 2;
	return reason;
}

static int count_job(struct merging *m, uint32_t key, uint64_t start)
{
	struct job *job;
	size_t i = 0;

	while (i < m->job_count && m->jobs[i].key != key)
		i++;
	if (i == m->job_count) {
		job = reallocarray(m->jobs, i + 1, sizeof(*job));
		if (!job)
			return fail(-ENOMEM, "out of memory");
		m->jobs = job;
		m->jobs[m->job_count++] = (struct job){ .key = key };
	}
	job = &m->jobs[i];
	job->files++;
	if (start > job->newest)
		job->newest = start;
	return 0;
}

static int add_entry(struct merging *m, const struct profile *p,
		     const char *name)
{
	struct run *run = m->run;
	struct run_rank *ranks =
		reallocarray(run->ranks, run->rank_count + 1, sizeof(*ranks));
	uint32_t index = (uint32_t)run->rank_count;
	int err;

	if (!ranks)
		return fail(-ENOMEM, "out of memory");
	run->ranks = ranks;
	err = entry_fill(&ranks[index], run, p, name);
	if (!err)
		run->rank_count++;
	for (size_t i = 0; i < p->loss_count && !err; i++)
		if (p->losses[i].count)
			err = run_loss(run, p->losses[i].name, index,
				       p->losses[i].count);
	if (p->id.rank >= 0 && p->id.size > 0 &&
	    (uint32_t)p->id.size > run->world)
		run->world = (uint32_t)p->id.size;
	return err;
}

static int keep_first(struct run *run, uint32_t *to, const char *text)
{
	if (*to || !text)
		return 0;
	*to = str_add(&run->strings, text);
	return *to == STR_NONE ? fail(-ENOMEM, "out of memory") : 0;
}

static int add_identity(struct run *run, const struct profile_identity *id)
{
	int err = keep_first(run, &run->version, id->version);

	for (size_t i = 0; i < batch_count; i++) {
		const struct batch_info *info = &batch_infos[i];

		if (!*batch_text(&run->batch, info))
			batch_set(&run->batch, info,
				  batch_text(&id->batch, info), info->size);
	}
	if (!err)
		err = keep_first(run, &run->mpi_library, id->mpi_library);
	return err;
}

/* True when the process was met in another file. */
static bool is_known(const struct run *run, const struct profile *p)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->pid == p->id.pid &&
		    r->start_real_ns == p->id.start_real_ns &&
		    !strcmp(str_at(&run->strings, r->host), p->id.host))
			return true;
	}
	return false;
}

/* `wanted`: the job to keep, NULL for all. */
static int add_profile(struct merging *m, const struct profile *p,
		       const char *name, const char *wanted)
{
	const char *key = p->id.job ? p->id.job : "";
	uint32_t job = str_add(&m->run->strings, key), *nodes = NULL;
	uint32_t process = (uint32_t)m->run->rank_count;
	int err;

	if (job == STR_NONE)
		return fail(-ENOMEM, "out of memory");
	if (wanted && *key && strcmp(key, wanted) != 0)
		return run_problem(m->run, name,
				   "belongs to another run: left out");
	err = unify_add(m->unify, p, process, &nodes);
	if (err == -EINVAL)
		return run_problem(m->run, name, fail_reason());
	if (!err)
		err = gather_add(&m->parts, p, process, nodes);
	if (!err)
		err = traffic_add(&m->traffic, p, process, nodes);
	free(nodes);
	if (!err)
		err = add_entry(m, p, name);
	if (!err)
		err = add_identity(m->run, &p->id);
	if (!err && *key)
		err = count_job(m, job, p->id.start_real_ns);
	return err;
}

/*
 * Files are read and unpacked by several threads at a time, and added one after
 * the other, in their order.
 */

struct reading {
	struct merging *m;
	const char *wanted;
};

struct file { /* as it was read */
	struct profile *profile;
	char *reason; /* why not, NULL: all is well */
};

static void file_drop(void *item)
{
	struct file *file = item;

	profile_free(file->profile);
	free(file->reason);
	free(file);
}

static int read_file(void *of, size_t i, void **item)
{
	const struct merging *m = ((struct reading *)of)->m;
	struct file *file = calloc(1, sizeof(*file));
	char *path = str_format("%s/%s", m->directory, m->inputs.at[i].name);
	int err = file && path ? 0 : -ENOMEM;

	if (!err)
		err = profile_load(&file->profile, path);
	if (err && err != -ENOMEM) {
		file->reason = strdup(short_reason(path));
		err = file->reason ? 0 : -ENOMEM;
	}
	free(path);
	if (err) {
		free(file);
		return fail(-ENOMEM, "out of memory");
	}
	*item = file;
	return 0;
}

static int add_file(void *of, size_t i, void *item)
{
	struct reading *reading = of;
	struct merging *m = reading->m;
	const struct input *input = &m->inputs.at[i];
	struct file *file = item;
	int err = 0;

	say(m, "reading profiles", i, m->inputs.count);
	if (file->reason)
		err = run_problem(m->run, input->name, file->reason);
	else if (!(input->live && is_known(m->run, file->profile)))
		err = add_profile(m, file->profile, input->name,
				  reading->wanted);
	file_drop(file);
	return err;
}

static int read_all(struct merging *m, const char *wanted)
{
	struct reading reading = { m, wanted };
	struct work work = { .count = m->inputs.count,
			     .make = read_file,
			     .take = add_file,
			     .drop = file_drop,
			     .of = &reading };
	int err;

	pass_fini(m);
	m->run = calloc(1, sizeof(*m->run));
	m->unify = unify_new(m->directory);
	gather_init(&m->parts, GATHER_PARTS, GATHER_MOMENTS);
	if (!m->run || !m->unify || str_add(&m->run->strings, "") != 0 ||
	    traffic_init(&m->traffic, TRAFFIC_PEERS))
		return fail(-ENOMEM, "out of memory");
	err = work_run(&work, threads(m));
	say(m, "reading profiles", m->inputs.count, m->inputs.count);
	return err;
}

/* The job of most files, the newest of equals. */
static const struct job *main_job(const struct merging *m)
{
	const struct job *best = m->jobs;

	for (size_t i = 1; i < m->job_count; i++) {
		const struct job *job = &m->jobs[i];

		if (job->files > best->files ||
		    (job->files == best->files && job->newest > best->newest))
			best = job;
	}
	return best;
}

static int read_main_job(struct merging *m)
{
	int err = read_all(m, NULL);
	char *wanted;

	if (err || m->job_count < 2)
		return err;
	wanted = strdup(str_at(&m->run->strings, main_job(m)->key));
	err = wanted ? read_all(m, wanted) : fail(-ENOMEM, "out of memory");
	free(wanted);
	return err;
}

/* Says why there is nothing, by the first file when there was one. */
static int nothing(const struct merging *m)
{
	const struct run *run = m->run;

	if (!m->inputs.count)
		return fail(-ENOENT, "%s: holds no profile (rank-N.h5)",
			    m->directory);
	return fail(-ENOENT, "%s: none of its profiles can be read (%s: %s)",
		    m->directory,
		    run->problem_count
			    ? str_at(&run->strings, run->problems[0].source)
			    : "",
		    run->problem_count
			    ? str_at(&run->strings, run->problems[0].text)
			    : "");
}

static int by_loss(const void *x, const void *y)
{
	const struct run_loss *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static void naming_step(void *to, const char *what, size_t done, size_t of)
{
	say(to, what, done, of);
}

/* Names, nodes and values, and what waits refer to of them. */
static int name_all(struct merging *m, const uint32_t *order)
{
	struct symbol_progress progress = { naming_step, m };
	size_t size = unify_size(m->unify);
	struct unify_references references = {
		.wanted = calloc(size, sizeof(*references.wanted)),
		.became = calloc(size, sizeof(*references.became)),
	};
	int err = -ENOMEM;

	if (references.wanted && references.became) {
		gather_wanted(&m->parts, references.wanted);
		traffic_wanted(&m->traffic, references.wanted);
		err = unify_finish(m->unify, m->run, order, &references,
				   &progress);
	}
	if (!err)
		err = gather_rename(&m->parts, m->run, order,
				    references.became);
	if (!err)
		err = traffic_finish(&m->traffic, m->run, order,
				     references.became);
	free(references.wanted);
	free(references.became);
	return err ? fail(err, "out of memory") : 0;
}

static int finish(struct merging *m)
{
	struct run *run = m->run;
	uint32_t *order = calloc(run->rank_count, sizeof(*order));
	int err;

	if (!order)
		return fail(-ENOMEM, "out of memory");
	err = entries_sort(run, order);
	for (size_t i = 0; i < run->loss_count && !err; i++)
		run->losses[i].rank = order[run->losses[i].rank];
	if (!err && run->loss_count)
		qsort(run->losses, run->loss_count, sizeof(*run->losses),
		      by_loss);
	run->command = run->ranks[0].command;
	if (m->job_count)
		run->job = main_job(m)->key;
	if (!err)
		err = entries_missing(run, m->directory);
	if (!err)
		err = name_all(m, order);
	if (!err)
		run->source->threads = threads(m);
	if (!err)
		err = run_name_main(run);
	if (!err) {
		say(m, "joining wait states", 0, 1);
		err = waits_make(run, &m->parts);
		say(m, "joining wait states", 1, 1);
	}
	if (!err)
		err = run_stats(run);
	free(order);
	return err;
}

/* The values are not in memory. */
static int merge(struct run **to, const char *directory,
		 const struct merge_progress *progress)
{
	struct merging m = { .directory = directory, .progress = progress };
	int err = inputs_list(&m.inputs, directory);

	if (!err)
		err = read_main_job(&m);
	if (!err && !m.run->rank_count)
		err = nothing(&m);
	if (!err)
		err = finish(&m);
	if (!err) {
		*to = m.run;
		m.run = NULL;
	}
	pass_fini(&m);
	inputs_fini(&m.inputs);
	return err;
}

int merge_directory(struct run **to, const char *directory,
		    const struct merge_progress *progress)
{
	struct run *run = NULL;
	int err = merge(&run, directory, progress);

	if (!err)
		err = run_fetch(run);
	if (err)
		run_free(run);
	else
		*to = run;
	return err;
}

int merge_save(struct run **to, const char *directory, const char *path,
	       const struct merge_progress *progress)
{
	int err = merge(to, directory, progress);

	return err ? err : run_save(*to, path);
}

/*
 * run.h5 beside the rank files, as long as it is newer than all of them.
 */

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec
				      : a->tv_nsec > b->tv_nsec;
}

static bool is_fresh(const char *database, const char *directory)
{
	struct inputs inputs = { 0 };
	struct stat of_database, of_file;
	bool fresh = !stat(database, &of_database) &&
		     !inputs_list(&inputs, directory);

	for (size_t i = 0; i < inputs.count && fresh; i++) {
		char *path = str_format("%s/%s", directory, inputs.at[i].name);

		fresh = path && !stat(path, &of_file) &&
			later(&of_database.st_mtim, &of_file.st_mtim);
		free(path);
	}
	inputs_fini(&inputs);
	return fresh;
}

/* A directory that may not be written is no problem, a full disk is one. */
static int save_beside(struct run *run, const char *database)
{
	int err = run_save(run, database);

	if (!err || err == -EACCES || err == -EPERM || err == -EROFS)
		return 0;
	return run_problem(run, "run.h5", short_reason(database));
}

/* What was just written, or all values in memory where that could not be. */
static int reopen(struct run **to, const char *database, const char *directory)
{
	struct run *run;

	if (!is_fresh(database, directory) || run_load(&run, database))
		return run_fetch(*to);
	run_free(*to);
	*to = run;
	return 0;
}

static int open_directory(struct run **to, const char *directory,
			  const struct merge_progress *progress)
{
	char *database = str_format("%s/run.h5", directory);
	int err;

	if (!database)
		return fail(-ENOMEM, "out of memory");
	if (is_fresh(database, directory) && !run_load(to, database)) {
		free(database);
		return 0;
	}
	err = merge(to, directory, progress);
	if (!err)
		err = save_beside(*to, database);
	if (!err)
		err = reopen(to, database, directory);
	free(database);
	return err;
}

int run_open(struct run **to, const char *path,
	     const struct merge_progress *progress)
{
	struct stat status;

	if (stat(path, &status))
		return fail(-errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return open_directory(to, path, progress);
	return run_load(to, path);
}
