/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-attach.c - copse attach: measures programs that run already. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/attach.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/str.h"
#include "launch/harvest.h"
#include "launch/job.h"
#include "launch/livedir.h"
#include "launch/output.h"
#include "tools/command.h"
#include "tools/run-end.h"

enum {
	USUAL_HZ = 99, /* no multiple of what programs do themselves */
	MOST_HZ = 1000,
	ENVIRONMENT_MOST = 1 << 20
};

/* Mutable: the options. */
static const char *output = "";
static double duration;
static unsigned int freq = USUAL_HZ;
static bool force, no_report, no_waits;

static const struct option options[] = {
	{ 'o', "output", "DIR", "where the profiles go, default PROGRAM.copse",
	  parse_string, &output },
	{ 'd', "duration", "SECONDS",
	  "how long to measure, default until Ctrl-C or the end of the program",
	  parse_real, &duration },
	{ 'F', "freq", "HZ", "samples per second and thread, default 99",
	  parse_count, &freq },
	{ 0, "no-waits", NULL, "do not look at what threads wait for",
	  parse_flag, &no_waits },
	{ 'f', "force", NULL, "replace the profiles in DIR", parse_flag,
	  &force },
	{ 0, "no-report", NULL, "no summary at the end", parse_flag,
	  &no_report },
	{ 0 }
};

/* What one call of copse attach measures. */
struct attachment {
	struct attach attach;
	pid_t *pids;
	struct job *jobs; /* as the launchers of these see them */
	struct output output;
	char live[PATH_MAX];
};

/*
 * A process's job, by its environment and not by ours.  Where we may not read
 * that, it has no rank.
 */
static void find_job_of(struct job *job, pid_t pid)
{
	char **own = environ, *text = malloc(ENVIRONMENT_MOST), *at;
	size_t size =
		text ? proc_file(pid, "environ", text, ENVIRONMENT_MOST) : 0;
	char **theirs = calloc(size / 2 + 2, sizeof(*theirs));
	size_t count = 0;

	for (at = text; theirs && at < text + size; at += strlen(at) + 1)
		if (*at)
			theirs[count++] = at;
	if (theirs)
		environ = theirs;
	job_init(job);
	environ = own;
	free(theirs);
	free(text);
}

static int take_pid(pid_t *to, const char *word)
{
	uint64_t pid;

	if (!str_to_uint(word, &pid) || !pid || pid > INT_MAX)
		return fail(-EINVAL, "'%s' is not the number of a process",
			    word);
	*to = (pid_t)pid;
	return 0;
}

static int take_pids(struct attachment *a, int argc, char **argv)
{
	int err = 0;

	a->pids = calloc((size_t)argc, sizeof(*a->pids));
	a->jobs = calloc((size_t)argc, sizeof(*a->jobs));
	a->attach.processes =
		calloc((size_t)argc, sizeof(*a->attach.processes));
	if (!a->pids || !a->jobs || !a->attach.processes)
		return no_memory();
	for (int i = 0; i < argc && !err; i++) {
		err = take_pid(&a->pids[i], argv[i]);
		for (int k = 0; k < i && !err; k++)
			if (a->pids[k] == a->pids[i])
				err = fail(-EINVAL, "process %s is there twice",
					   argv[i]);
		if (!err)
			find_job_of(&a->jobs[i], a->pids[i]);
	}
	return err;
}

static int find_output(struct attachment *a, const struct job *job)
{
	char path[64], *wanted = NULL, program[PATH_MAX];
	ssize_t size;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)a->pids[0]);
	size = readlink(path, program, sizeof(program) - 1);
	if (size < 0)
		size = (ssize_t)proc_file(a->pids[0], "comm", program,
					  sizeof(program));
	program[size > 0 ? size : 0] = 0;
	program[strcspn(program, "\n ")] = 0;
	err = output_name(&wanted, output, str_base(program), job);
	if (!err)
		err = output_open(&a->output, wanted, job, force);
	free(wanted);
	return err;
}

static int make_live_folder(struct attachment *a, const struct job *job)
{
	struct live_note note = { .rank = job->rank, .size = job->size };

	if (!realpath(a->output.path, note.output))
		return fail(-errno, "%s: %s", a->output.path, strerror(errno));
	snprintf(note.key, sizeof(note.key), "%s", job->key);
	snprintf(note.command, sizeof(note.command), "copse attach %d",
		 (int)a->pids[0]);
	return livedir_new(a->live, &note);
}

static int open_processes(struct attachment *a, int count)
{
	struct attach_how how = { .freq = freq,
				  .kernel = true,
				  .waiting = !no_waits,
				  .events = epoll_create1(EPOLL_CLOEXEC) };
	int err = 0;

	a->attach.events = how.events;
	attach_plan(&how, a->pids, (size_t)count);
	for (int i = 0; i < count && !err; i++) {
		const struct job *job = &a->jobs[i];

		err = attach_process_open(&a->attach.processes[i], a->pids[i],
					  a->live, job, job->launched, &how);
		a->attach.count += !err;
	}
	return err;
}

/* What cannot be known of them, and why. */
static void say_limits(const struct attach *a)
{
	const struct attach_process *p = &a->processes[0];
	size_t unmeasured = 0, resting = 0;

	for (size_t i = 0; i < a->count; i++) {
		unmeasured += a->processes[i].unmeasured;
		resting += a->processes[i].resting;
	}
	if (!p->how.kernel)
		fprintf(stderr, "copse attach: time in the kernel has no paths "
				"(kernel.perf_event_paranoid is above 1)\n");
	if (!p->how.reads)
		fprintf(stderr,
			"copse attach: what threads wait for and functions "
			"of Python are not known (this user may not trace "
			"them)\n");
	if (resting)
		fprintf(stderr,
			"copse attach: threads are measured in turns of a "
			"second: for %zu of them no more memory may be locked "
			"(ulimit -l, kernel.perf_event_mlock_kb) or opened "
			"(ulimit -n)\n",
			resting);
	if (unmeasured)
		fprintf(stderr,
			"copse attach: %zu threads are not measured: %s\n",
			unmeasured, strerror(-p->refused));
}

static int write_profiles(struct attachment *a, const struct job *job)
{
	struct harvest h = { .live_dir = a->live,
			     .output = &a->output,
			     .key = job->key,
			     .rank = job->rank,
			     .parent = getpid(),
			     .child = a->pids[0],
			     .file = -1,
			     .batch = job->batch };
	int err;

	for (size_t i = 0; i < a->attach.count; i++)
		attach_process_close(&a->attach.processes[i]);
	err = finish_harvest(&h);
	harvest_fini(&h);
	return err;
}

static int conclude_attachment(struct attachment *a)
{
	int err = no_report ? 0 : conclude_print(a->output.path, -1, false);

	if (err)
		return err;
	fprintf(stderr,
		"%scopse attach: the profiles are in %s; to see them: "
		"copse report ",
		no_report ? "" : "\n", a->output.path);
	str_quote(stderr, a->output.path);
	fputc('\n', stderr);
	return 0;
}

static int attach_all(struct attachment *a, int count)
{
	struct job job;
	int err;

	job_init(&job);
	job.rank = 0;
	job.size = 1;
	err = find_output(a, &job);
	if (!err)
		err = make_live_folder(a, &job);
	if (!err)
		err = open_processes(a, count);
	if (!err) {
		say_limits(&a->attach);
		err = attach_run(&a->attach, duration);
	}
	if (!err)
		err = attach_check(&a->attach);
	if (!err)
		err = write_profiles(a, &job);
	if (*a->live)
		livedir_remove(a->live);
	if (a->output.fd >= 0 && *a->output.path && output_done(&a->output)) {
		if (!err)
			err = conclude_attachment(a);
		if (output_has_profile(&a->output))
			output_release(&a->output);
		else
			output_discard(&a->output);
	}
	return err;
}

/* A thread has a descriptor, and a module one. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int attach_command(int argc, char **argv)
{
	struct attachment a = { .output.fd = -1 };
	int err;

	if (!argc)
		return fail(-EINVAL, "which process? copse attach [options] "
				     "PID...");
	if (!freq || freq > MOST_HZ)
		return fail(-EINVAL, "--freq wants 1 to %d samples a second",
			    MOST_HZ);
	if (duration < 0)
		return fail(-EINVAL, "--duration wants seconds");
	raise_descriptors();
	err = take_pids(&a, argc, argv);
	if (!err)
		err = attach_all(&a, argc);
	for (int i = 0; a.attach.processes && i < argc; i++)
		attach_process_close(&a.attach.processes[i]);
	free(a.attach.processes);
	output_close(&a.output);
	free(a.jobs);
	free(a.pids);
	return err;
}

const struct command command_attach = {
	.name = "attach",
	.synopsis = "[options] PID...",
	.help = "measure a program that runs already, from outside",
	.options = options,
	.run = attach_command,
};
