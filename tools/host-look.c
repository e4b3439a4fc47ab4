/* SPDX-License-Identifier: BSD-3-Clause */
/* host-look.c - see host-look.h. */
#include "tools/host-look.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyse/paths/brief.h"
#include "base/err.h"
#include "base/str.h"
#include "launch/live-run.h"
#include "launch/thread-report.h"
#include "launch/thread-state.h"
#include "merge/merge.h"
#include "run/run-build.h"
#include "run/run-join.h"
#include "symbol/remote-stack.h"

enum {
	OTHERS_MOST = 3,  /* threads of a process that are said beside … */
	OTHERS_FRAMES = 4 /* … with so many functions */
};

/* Of a thread, at one look. */
struct look {
	struct live_progress progress;
	struct thread_state state;
};

struct looks {
	struct look *at;
	size_t count;
	struct thread_report *reports; /* of parents, who may see more */
	size_t report_count;
};

static void fini_looks(struct looks *looks)
{
	free(looks->at);
	free(looks->reports);
	*looks = (struct looks){ 0 };
}

static int take_look(struct looks *to, const struct live_run *live)
{
	struct live_progress *progress;
	int err = live_run_progress(live, &progress, &to->count);

	to->at = err ? NULL : calloc(to->count + 1, sizeof(*to->at));
	if (!to->at) {
		free(progress);
		return err ? err : no_memory();
	}
	for (size_t i = 0; i < to->count; i++) {
		to->at[i].progress = progress[i];
		thread_state_look(&to->at[i].state, (pid_t)progress[i].pid,
				  (pid_t)progress[i].tid);
	}
	free(progress);
	return 0;
}

static const struct look *look_at(const struct looks *looks, uint32_t pid,
				  uint32_t tid)
{
	for (size_t i = 0; i < looks->count; i++)
		if (looks->at[i].progress.pid == pid &&
		    looks->at[i].progress.tid == tid)
			return &looks->at[i];
	return NULL;
}

static bool has_moved(const struct look *a, const struct look *b)
{
	return a && b && a->progress.completed != b->progress.completed;
}

/* It has used a core between the looks. */
static bool has_computed(const struct look *before, const struct look *now)
{
	return now->state.state == 'R' ||
	       (before && now->state.ticks > before->state.ticks + 1);
}

static const struct thread_report *report_of(const struct looks *looks,
					     pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < looks->report_count; i++)
		if (looks->reports[i].pid == pid &&
		    looks->reports[i].tid == tid)
			return &looks->reports[i];
	return NULL;
}

static char *stack_text(const struct looks *looks, const struct thread_state *s,
			pid_t pid, pid_t tid)
{
	const struct thread_report *r = report_of(looks, pid, tid);
	struct remote_thread thread = { pid, tid, s->sp, s->pc, NULL, 0 };

	if (r) {
		thread.sp = r->state.sp;
		thread.pc = r->state.pc;
		thread.stack = r->stack;
		thread.stack_size = r->stack_size;
	}
	return thread.sp ? remote_stack(&thread, brief_name) : NULL;
}

/* "sleeps in pause ← sleeper ← main"; to be freed. */
static char *doing_text(const struct looks *looks, const struct look *now,
			uint32_t pid, uint32_t tid)
{
	const struct thread_state *s = &now->state;
	char *stack = stack_text(looks, s, (pid_t)pid, (pid_t)tid), *text;

	if (stack)
		text = str_format("%s in %s", thread_state_text(s), stack);
	else if (*s->wchan)
		text = str_format("%s in the kernel's %s", thread_state_text(s),
				  s->wchan);
	else
		text = strdup(thread_state_text(s));
	free(stack);
	return text;
}

/* It may be another thread of the process that keeps it from going on. */
static bool waits_for_threads(const char *doing)
{
	static const char *const words[] = { "lock",    "barrier",  "take_gil",
					     "PyEval_", "sem_wait", "cond_",
					     "join",    "futex" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(doing, words[i]))
			return true;
	return false;
}

/* Waits for work, as threads of pools and of the MPI library do. */
static bool is_idle_stack(const char *stack)
{
	static const char *const calls[] = { "epoll_wait",
					     "poll",
					     "select",
					     "accept",
					     "gomp_",
					     "do_wait",
					     "futex_abstimed_wait" };

	stack += strspn(stack, "_");
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strncmp(stack, calls[i], strlen(calls[i])))
			return true;
	return false;
}

/* The innermost functions of a stack. */
static void cut_stack(char *stack)
{
	for (size_t i = 0; i < OTHERS_FRAMES && stack; i++) {
		stack = strstr(stack, " ← ");
		if (stack && i + 1 == OTHERS_FRAMES)
			*stack = 0;
		else if (stack)
			stack += strlen(" ← ");
	}
}

static bool add_other_thread(FILE *to, const struct looks *looks, pid_t pid,
			     pid_t tid)
{
	struct thread_state state;
	char *stack = NULL;
	bool good;

	if (thread_state_look(&state, pid, tid))
		stack = stack_text(looks, &state, pid, tid);
	good = stack && !is_idle_stack(stack);
	if (good) {
		cut_stack(stack);
		fprintf(to, ", its thread %d %s in %s", (int)tid,
			thread_state_text(&state), stack);
	}
	free(stack);
	return good;
}

/* What else the process does; takes and gives a text that is to be freed. */
static char *with_other_threads(char *doing, const struct looks *looks,
				pid_t pid, pid_t tid)
{
	char path[64], *text = NULL;
	size_t size, count = 0;
	struct dirent *entry;
	FILE *to;
	DIR *tasks;

	if (!doing || !waits_for_threads(doing))
		return doing;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	to = open_memstream(&text, &size);
	if (to)
		fputs(doing, to);
	while (tasks && to && count < OTHERS_MOST && (entry = readdir(tasks))) {
		pid_t other = atoi(entry->d_name);

		if (other > 0 && other != tid)
			count += add_other_thread(to, looks, pid, other);
	}
	if (tasks)
		closedir(tasks);
	if (!to || fclose(to))
		return doing;
	free(doing);
	return text;
}

/* What the two looks tell of the run's threads. */
static int add_looks(struct run *run, const struct looks *before,
		     const struct looks *now)
{
	uint64_t between = run->ends.looked_ns;

	for (size_t i = 0; i < run->ends.call_count; i++) {
		struct run_last_call *call = &run->ends.calls[i];
		uint32_t pid = run->ranks[call->rank].pid;
		uint32_t tid = call->device ? pid : call->tid;
		const struct look *a = look_at(before, pid, tid);
		const struct look *b = look_at(now, pid, tid);
		char *text;

		call->moved = call->device ? call->begin_age_ns < between
					   : has_moved(a, b);
		call->stopped =
			b && b->state.state && strchr("Tt", b->state.state);
		if (!b || call->open || call->moved)
			continue;
		if (has_computed(a, b)) {
			call->sample_age_ns = 0; /* it is where it was */
			continue;
		}
		text = with_other_threads(doing_text(now, b, pid, call->tid),
					  now, (pid_t)pid, (pid_t)call->tid);
		call->doing = text ? str_add(&run->strings, text) : STR_NONE;
		free(text);
		if (call->doing == STR_NONE)
			return no_memory();
	}
	return 0;
}

static void wait_between(double between)
{
	struct timespec left = { (time_t)between,
				 (long)((between - (double)(time_t)between) *
					1e9) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* The directory holds copies alone. */
static void remove_copies(const char *directory)
{
	DIR *list = opendir(directory);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(directory);
}

/* Of several processes, as a shell and what it started, one has. */
static bool has_called(const struct run *run, const struct live_folder *folder)
{
	struct live_file *files;
	size_t count = livedir_files(folder->path, &files);
	bool has = false;

	for (size_t f = 0; f < count; f++)
		for (size_t i = 0; i < run->ends.call_count && !has; i++)
			has = run->ranks[run->ends.calls[i].rank].pid ==
			      (uint32_t)files[f].pid;
	free(files);
	return has;
}

/*
 * "has made no call yet: process 12 (app) sleeps in pause ← main"; to be freed.
 * NULL: it has, or is gone.
 */
static char *silent_text(const struct run *run, const struct looks *looks,
			 const struct live_folder *folder)
{
	char *who, *text = NULL, *doing = NULL;
	struct look now = { 0 };
	pid_t pid;

	if (has_called(run, folder))
		return NULL;
	who = livedir_inhabitants(folder->path, &pid);
	if (who && pid) {
		thread_state_look(&now.state, pid, pid);
		doing = doing_text(looks, &now, (uint32_t)pid, (uint32_t)pid);
	}
	if (doing)
		text = str_format("has made no call yet: %s %s", who, doing);
	free(doing);
	free(who);
	return text;
}

/* Whose processes have called nothing, measured or not: before MPI_Init. */
static int add_silent(struct run *run, const struct live_run *live,
		      const struct looks *looks)
{
	int err = 0;

	for (size_t i = 0; i < live->count && !err; i++) {
		char *text = silent_text(run, looks, &live->at[i]), rank[32];

		if (live->at[i].note.rank < 0)
			strcpy(rank, "A process");
		else
			snprintf(rank, sizeof(rank), "Rank %d",
				 live->at[i].note.rank);
		if (text)
			err = run_problem(run, rank, text);
		free(text);
	}
	return err;
}

/* Of a run of which nothing is known but what it was started with. */
static int add_all_silent(struct run *to, const struct live_run *live,
			  const struct looks *looks, double between)
{
	const struct live_note *note = &live->at[0].note;

	to->ends.looked_ns = (uint64_t)(between * 1e9);
	to->world = note->rank < 0 ? 0 : (uint32_t)note->size;
	to->command = str_add(&to->strings, note->command);
	return to->command == STR_NONE ? no_memory()
				       : add_silent(to, live, looks);
}

int host_run(struct run **to, struct live_run *live, bool part)
{
	const char *tmp = secure_getenv("TMPDIR");
	char *directory =
		str_format("%s/copse-look-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int err;

	if (!directory)
		return no_memory();
	if (!mkdtemp(directory)) {
		err = fail(-errno, "cannot create %s: %s", directory,
			   strerror(errno));
		free(directory);
		return err;
	}
	err = live_run_copy(live, directory);
	if (!err)
		err = part ? merge_part(to, directory)
			   : merge_directory(to, directory);
	remove_copies(directory);
	free(directory);
	return err;
}

/* The looks are added before the parts of a run are joined. */
static int join_looks(struct run *to, struct live_run *live,
		      const struct looks *before, const struct looks *now,
		      double between)
{
	struct run *run = NULL;
	int err = host_run(&run, live, true);

	if (err == -ENODATA)
		return add_all_silent(to, live, now, between);
	if (err)
		return err;
	run->ends.looked_ns = (uint64_t)(between * 1e9);
	err = add_looks(run, before, now);
	if (!err)
		err = add_silent(run, live, now);
	if (!err)
		err = run_join_ends(to, run);
	run_free(run);
	return err;
}

/* A thread sleeps, and where is not said: its parent may know. */
static bool is_kept_from(const struct looks *looks)
{
	for (size_t i = 0; i < looks->count; i++)
		if (strchr("SD", looks->at[i].state.state) &&
		    looks->at[i].state.state && !looks->at[i].state.sp)
			return true;
	return false;
}

int host_look(struct run *to, struct live_run *live, double between)
{
	struct looks before = { 0 }, now = { 0 };
	int err = take_look(&before, live);

	live_run_ask(live);
	if (!err) {
		wait_between(between);
		err = take_look(&now, live);
	}
	if (!err && is_kept_from(&now))
		now.report_count = thread_report_ask(live, &now.reports);
	if (!err)
		err = join_looks(to, live, &before, &now, between);
	fini_looks(&before);
	fini_looks(&now);
	return err;
}
