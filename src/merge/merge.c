/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.c - a directory of rank files becomes one run.
 *
 * Files are added in the order of their names.  When they turn
 * out to be of several jobs, or several to be of one process, they are read
 * once more, with those of the other jobs and the copies left out; that is rare
 * and costs less than reading every file twice.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/comparison.h"
#include "run/run-build.h"
#include "merge/inputs.h"
#include "merge/run-processes.h"
#include "merge/merging.h"
#include "run/split.h"
#include "run/values.h"
#include "waits/waits.h"
#include "base/ordered-pool.h"

/*
 * One pass over the files.
 */

static void say_merge_progress(const struct merging *m, const char *what,
			       size_t done, size_t of)
{
	if (m->progress && m->progress->step)
		m->progress->step(m->progress->to, what, done, of);
}

static unsigned int thread_limit(const struct merging *m)
{
	return m->progress ? m->progress->threads : 0;
}

static void pass_fini(struct merging *m)
{
	run_free(m->run);
	unify_free(m->unify);
	gatherers_fini(&m->gatherers);
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

/* One more file of a job, new or not. */
static int add_job(struct merging *m, const struct merged_job *more)
{
	struct merged_job *job;
	size_t i = 0;

	while (i < m->job_count && m->jobs[i].key != more->key)
		i++;
	if (i == m->job_count) {
		job = reallocarray(m->jobs, i + 1, sizeof(*job));
		if (!job)
			return no_memory();
		m->jobs = job;
		m->jobs[m->job_count++] =
			(struct merged_job){ .key = more->key };
	}
	job = &m->jobs[i];
	job->files += more->files;
	if (more->newest > job->newest)
		job->newest = more->newest;
	return 0;
}

static int add_entry(struct merging *m, const struct profile *p,
		     const char *name, const struct run_rank *times)
{
	struct run *run = m->run;
	struct run_rank *ranks =
		reallocarray(run->ranks, run->rank_count + 1, sizeof(*ranks));
	size_t index = run->rank_count;
	int err;

	if (!ranks)
		return no_memory();
	run->ranks = ranks;
	ranks[index] = *times;
	err = process_fill(&ranks[index], run, p, name);
	if (!err)
		run->rank_count++;
	return err;
}

/* True when the process was met in another file. */
static bool is_process_known(const struct run *run, const struct profile *p)
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

struct input_file { /* as it was read */
	struct profile *profile;
	char *reason; /* why not, NULL: all is well */
	char *note;   /* what of it cannot be read, or NULL */
	struct unify_added added;
	struct run_rank times;
	void *found[GATHERERS];
	bool is_added;
	uint32_t process; /* as which it was added */
};

/* `wanted`: the job to keep, NULL for all. */
static int add_profile(struct merging *m, struct input_file *file,
		       const char *name, const char *wanted)
{
	const struct profile *p = file->profile;
	const char *key = p->id.job ? p->id.job : "";
	struct merged_job job = { str_add(&m->run->strings, key), 1,
				  p->id.start_real_ns };
	struct gathered one = { .profile = p,
				.process = (uint32_t)m->run->rank_count,
				.run = m->run };
	int err;

	if (job.key == STR_NONE)
		return no_memory();
	if (wanted && *key && strcmp(key, wanted) != 0)
		return run_problem(m->run, name,
				   "belongs to another run: left out");
	err = unify_add(m->unify, p, &file->added);
	one.nodes = file->added.nodes;
	if (!err)
		err = add_entry(m, p, name, &file->times);
	if (!err)
		err = gatherers_add(&m->gatherers, one, file->found);
	if (!err && *key)
		err = add_job(m, &job);
	return err;
}

/*
 * Files are read and unpacked by several threads at a time, their trees are
 * added one after the other, in their order, and their values by several
 * threads again.
 */

struct input_reading {
	struct merging *m;
	const char *wanted;
};

static void file_drop(void *item)
{
	struct input_file *file = item;

	profile_free(file->profile);
	unify_added_fini(&file->added);
	for (size_t i = 0; i < GATHERERS; i++)
		free(file->found[i]);
	free(file->reason);
	free(file->note);
	free(file);
}

static int read_input_profile(const struct merging *m,
			      const struct input *input,
			      struct input_file *file)
{
	char *path = input_path(input, m->directory);
	int err = path ? 0 : -ENOMEM;

	if (!err)
		err = input_load(input, path, &file->profile);
	if (!err)
		err = unify_check(file->profile);
	if (!err)
		err = gpu_lines_put(file->profile, &file->note);
	if (!err)
		err = unify_look(m->unify, file->profile, &file->added);
	if (!err)
		err = process_times(&file->times, file->profile);
	if (!err)
		err = gatherers_look(file->found, file->profile);
	if (err && err != -ENOMEM) {
		file->reason = strdup(short_reason(path));
		err = file->reason ? 0 : -ENOMEM;
	}
	free(path);
	return err;
}

static int read_input_file(void *of, size_t i, void **item)
{
	const struct input_reading *reading = of;
	const struct merging *m = reading->m;
	const struct input *input = &m->inputs.at[i];
	struct input_file *file = calloc(1, sizeof(*file));
	int err = file ? 0 : -ENOMEM;

	if (!err && input->same_as) {
		file->reason = duplicates_say(&m->inputs, input);
		err = file->reason ? 0 : -ENOMEM;
	} else if (!err) {
		err = read_input_profile(m, input, file);
	}
	if (err) {
		if (file)
			file_drop(file);
		return no_memory();
	}
	*item = file;
	return 0;
}

static int add_file(void *of, size_t i, void *item)
{
	struct input_reading *reading = of;
	struct merging *m = reading->m;
	const struct input *input = &m->inputs.at[i];
	struct input_file *file = item;
	size_t before = m->run->rank_count;
	int err = 0;

	say_merge_progress(m, "reading profiles", i, m->inputs.count);
	if (file->reason)
		err = run_problem(m->run, input->label, file->reason);
	else if (!(input->live && is_process_known(m->run, file->profile)))
		err = add_profile(m, file, input->label, reading->wanted);
	if (m->run->rank_count > before) {
		file->is_added = true;
		file->process = (uint32_t)before;
		if (file->note && !err)
			err = run_problem(m->run, input->label, file->note);
	}
	return err;
}

/* Not of what was left out. */
static int add_profile_values(void *of, size_t i, void *item)
{
	const struct input_reading *reading = of;
	struct input_file *file = item;
	int err = 0;

	(void)i;
	if (file->is_added)
		err = unify_add_values(reading->m->unify, file->profile,
				       &file->added, file->process);
	return err;
}

static int pass_init(struct merging *m)
{
	pass_fini(m);
	m->run = calloc(1, sizeof(*m->run));
	m->unify = unify_new(m->directory);
	if (!m->run || !m->unify || str_add(&m->run->strings, "") != 0)
		return no_memory();
	return gatherers_init(&m->gatherers);
}

static int read_all_inputs(struct merging *m, const char *wanted)
{
	struct input_reading reading = { m, wanted };
	struct ordered_work work = { .count = m->inputs.count,
				     .make = read_input_file,
				     .take = add_file,
				     .finish = add_profile_values,
				     .drop = file_drop,
				     .of = &reading };
	int err = pass_init(m);

	if (!err)
		err = ordered_pool_run(&work, thread_limit(m));
	say_merge_progress(m, "reading profiles", m->inputs.count,
			   m->inputs.count);
	return err;
}

/* The job of most files, the newest of equals. */
static const struct merged_job *main_job(const struct merging *m)
{
	const struct merged_job *best = m->jobs;

	for (size_t i = 1; i < m->job_count; i++) {
		const struct merged_job *job = &m->jobs[i];

		if (job->files > best->files ||
		    (job->files == best->files && job->newest > best->newest))
			best = job;
	}
	return best;
}

static int choose_inputs(struct merging *m, char **wanted, bool *copies)
{
	int err = duplicates_find(&m->inputs, m->run, copies);

	if (!err && m->job_count > 1) {
		*wanted = strdup(str_at(&m->run->strings, main_job(m)->key));
		err = *wanted ? 0 : no_memory();
	}
	return err;
}

static int read_main_job(struct merging *m)
{
	char *wanted = NULL;
	bool copies = false;
	int err = read_all_inputs(m, NULL);

	if (!err)
		err = choose_inputs(m, &wanted, &copies);
	if (!err && (wanted || copies))
		err = read_all_inputs(m, wanted);
	free(wanted);
	return err;
}

/* Says why there is nothing, by the first file when there was one. */
static int fail_without_profiles(const struct merging *m)
{
	const struct run *run = m->run;

	if (!m->inputs.count)
		return fail(-ENOENT,
			    "%s: holds no profile (rank-N.h5, node-HOST.h5)",
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

static void naming_step(void *to, const char *what, size_t done, size_t of)
{
	say_merge_progress(to, what, done, of);
}

/* Names, nodes and values, and what was gathered, which refers to them. */
static int symbolize_all(struct merging *m, const uint32_t *order)
{
	struct symbol_progress progress = { naming_step, m };
	size_t size = unify_size(m->unify);
	struct unify_references references = {
		.wanted = calloc(size, sizeof(*references.wanted)),
		.became = calloc(size, sizeof(*references.became)),
	};
	int err = -ENOMEM;

	fail_step("finding names");
	if (references.wanted && references.became) {
		gatherers_wanted(&m->gatherers, references.wanted);
		err = unify_finish(m->unify, m->run, order, &references,
				   &progress);
	}
	if (!err)
		err = gatherers_finish(&m->gatherers, m->run, order,
				       references.became);
	free(references.wanted);
	free(references.became);
	return err ? no_memory() : 0;
}

static int make_waits(struct merging *m)
{
	void **states = m->gatherers.states;
	struct gathered_waits from = { .events = states[GATHERER_match_events],
				       .gpus = states[GATHERER_time_bins],
				       .steps = states[GATHERER_steps],
				       .devices = states[GATHERER_device_waits],
				       .slices =
					       states[GATHERER_device_slices] };
	int err;

	fail_step("joining wait states");
	say_merge_progress(m, "joining wait states", 0, 1);
	err = waits_make(m->run, &from);
	say_merge_progress(m, "joining wait states", 1, 1);
	return err;
}

static int finish_merge(struct merging *m)
{
	struct run *run = m->run;
	uint32_t *order = calloc(run->rank_count, sizeof(*order));
	int err;

	if (!order)
		return no_memory();
	err = processes_sort(run, order);
	run->command = run->ranks[0].command;
	if (m->job_count)
		run->job = main_job(m)->key;
	if (!err)
		err = run->part ? 0 : processes_missing(run, m->directory);
	if (!err)
		err = symbolize_all(m, order);
	if (!err)
		run->source->threads = thread_limit(m);
	if (!err)
		err = merge_name_main(run);
	if (!err)
		err = make_waits(m);
	free(order);
	return err;
}

/* Of one file of the directory, or of all; the values are not in memory. */
static int merge_profiles(struct run **to, const char *directory,
			  const char *only, bool part,
			  const struct merge_progress *progress)
{
	struct merging m = { .directory = directory, .progress = progress };
	struct run *run;
	int err;

	fail_step("reading profiles");
	err = inputs_list(&m.inputs, directory);
	if (only)
		inputs_only(&m.inputs, only);
	if (!err)
		err = read_main_job(&m);
	if (!err && !m.run->rank_count)
		err = fail_without_profiles(&m);
	if (!err) {
		m.run->part = part;
		err = finish_merge(&m);
	}
	run = m.run;
	m.run = NULL;
	pass_fini(&m); /* its room is needed for the values */
	inputs_fini(&m.inputs);
	fail_step("bringing values together");
	if (!err)
		err = values_arrange(run);
	if (!err)
		err = waits_bound(run);
	if (!err)
		err = run_stats(run);
	if (!err)
		err = split_make(run);
	if (err)
		run_free(run);
	else
		*to = run;
	return err;
}

static int merge_fetch(struct run **to, const char *directory, const char *only,
		       bool part)
{
	struct run *run = NULL;
	int err = merge_profiles(&run, directory, only, part, NULL);

	if (!err)
		err = run_fetch(run);
	if (err)
		run_free(run);
	else
		*to = run;
	return err;
}

int merge_directory(struct run **to, const char *directory)
{
	return merge_fetch(to, directory, NULL, false);
}

int merge_part(struct run **to, const char *directory)
{
	return merge_fetch(to, directory, NULL, true);
}

int merge_save(struct run **to, const char *directory, const char *path,
	       const struct merge_progress *progress)
{
	bool kept = false;
	int err = merge_profiles(to, directory, NULL, false, progress);

	fail_step("writing the database");
	if (!err)
		err = fresh_keep(to, path, &kept);
	return err || kept ? err : run_save(*to, path);
}

/*
 * run.h5 beside the rank files, as long as none of them is younger.
 */

/* A directory that may not be written is no problem, a full disk is one. */
static int save_database(struct run *run, const char *database)
{
	int err;

	fail_step("writing the database");
	err = run_save(run, database);

	if (!err || err == -EACCES || err == -EPERM || err == -EROFS)
		return 0;
	return run_problem(run, "run.h5", short_reason(database));
}

/* What was just written, or all values in memory where that could not be. */
static int reopen_run(struct run **to, const char *database,
		      const char *directory)
{
	struct run *run;

	fail_step("reading the database");
	if (!fresh_is(database, directory) || run_load(&run, database))
		return run_fetch(*to);
	run_free(*to);
	*to = run;
	return 0;
}

static int open_run_directory(struct run **to, const char *directory,
			      const struct merge_progress *progress)
{
	char *database = str_format("%s/run.h5", directory);
	bool kept = false;
	int err;

	if (!database)
		return no_memory();
	if (fresh_is(database, directory) && !run_load(to, database)) {
		free(database);
		return 0;
	}
	err = merge_profiles(to, directory, NULL, false, progress);
	if (!err)
		err = fresh_keep(to, database, &kept);
	if (!err && !kept)
		err = save_database(*to, database);
	if (!err && !kept)
		err = reopen_run(to, database, directory);
	free(database);
	return err;
}

static int open_profile(struct run **to, const char *path)
{
	const char *file = str_base(path);
	char *directory = file > path ? strndup(path, (size_t)(file - path))
				      : strdup(".");
	int err;

	if (!directory)
		return no_memory();
	err = merge_fetch(to, directory, file, true);
	/* What others of the family have is not here. */
	for (size_t i = 0; !err && i < (*to)->rank_count; i++)
		(*to)->ranks[i].family = (struct family){ 0 };
	free(directory);
	return err;
}

int merge_open(struct run **to, const char *path,
	       const struct merge_progress *progress)
{
	struct stat status;
	int err;

	if (stat(path, &status))
		return fail(-errno, "%s: %s", path, strerror(errno));
	fail_step("reading the database");
	if (S_ISDIR(status.st_mode))
		return open_run_directory(to, path, progress);
	err = run_load(to, path);
	/* A database may have any name. */
	if (err == -EINVAL && inputs_is_name(str_base(path)))
		err = open_profile(to, path);
	return err;
}
