/* SPDX-License-Identifier: BSD-3-Clause */
/* parent.c - the process beside the measured one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/job.h"
#include "launch/livedir.h"
#include "launch/parent.h"
#include "launch/process.h"
#include "launch/thread-report.h"

#define SECOND 1000000000ull

/*
 * Batch systems kill without another word some time after SIGTERM, Slurm 30 s
 * (KillWait).  Copies are frequent that long, and not for good: the program may
 * take SIGTERM for something else.
 */
#define WARNED_NS (120 * SECOND)

#define TERM_NS (10 * SECOND) /* from SIGTERM to SIGKILL */

enum {
	STOP_PATIENCE_MS = 200,
	MOST_ASKED = 5
};

void parent_begin(struct parent *p)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t all;

	*p = (struct parent){ 0 };
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &p->old_mask);
	/* Ignored, it would take the child's end away from us. */
	sigaction(SIGCHLD, &usual, &p->old_child);
}

void parent_end(struct parent *p)
{
	const struct timespec now = { 0, 0 };
	sigset_t all, mask = p->old_mask;
	int signo;

	sigfillset(&all);
	while ((signo = sigtimedwait(&all, NULL, &now)) > 0)
		if (signo == SIGTERM && !p->told_ns)
			p->told_ns = process_clock();
	sigaddset(&mask, SIGTERM);
	sigaction(SIGCHLD, &p->old_child, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

void parent_give_up(const struct parent *p)
{
	sigaction(SIGCHLD, &p->old_child, NULL);
	sigprocmask(SIG_SETMASK, &p->old_mask, NULL);
}

/* In the child: what was ours is put back, and it does not outlive us. */
static void become_program(const struct parent *p, char **argv, pid_t parent,
			   int pipe)
{
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return;
	parent_give_up(p);
	execvp(argv[0], argv);
	err = errno;
	if (write(pipe, &err, sizeof(err)) < 0)
		return;
}

/* Fork and exec; the child's pid, or -errno of either with a reason. */
static pid_t start_program(struct parent *p, char **argv)
{
	pid_t self = getpid(), child;
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return fail(-errno, "no pipe: %s", strerror(errno));
	child = fork();
	if (!child) {
		become_program(p, argv, self, ends[1]);
		_exit(127);
	}
	p->tried = child > 0;
	if (child < 0)
		err = errno;
	close(ends[1]);
	/* Closed by a successful exec. */
	if (child > 0 && read(ends[0], &err, sizeof(err)) > 0)
		waitpid(child, NULL, 0);
	close(ends[0]);
	if (child < 0)
		return fail(-err, "no process for it: %s", strerror(err));
	return err ? fail(-err, "cannot execute '%s': %s", argv[0],
			  strerror(err))
		   : child;
}

/* The program's file: it may be removed, or built anew, while that runs. */
static int open_executed(pid_t child)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)child);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* True when the child has ended; it stays a zombie. */
static bool has_ended(pid_t child)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == child;
}

/* Until the next raw copy; 0: there is none. */
static uint64_t checkpoint_interval(const struct parent *p, uint64_t now)
{
	bool warned = p->warned_ns && now - p->warned_ns < WARNED_NS;

	return warned ? SECOND : p->checkpoint_ns;
}

static void make_checkpoint(struct parent *p, struct harvest *h)
{
	uint64_t now = process_clock(), next;

	/* Signals may come in numbers. */
	if (!p->last_ns || now - p->last_ns > SECOND / 4)
		harvest_checkpoint(h);
	p->last_ns = process_clock();
	next = checkpoint_interval(p, p->last_ns);
	p->next_ns = next ? p->last_ns + next : UINT64_MAX;
}

/*
 * One process is enough to ask, where a job has thousands; and more than once,
 * where the batch system is busy with that.
 */
static void ask_why_job_ended(struct parent *p, struct harvest *h)
{
	if (h->rank > 0 || *h->batch.end || p->asked++ >= MOST_ASKED)
		return;
	job_end_ask(&h->batch);
	if (*h->batch.end)
		livedir_renote(h->live_dir, &h->batch);
}

/*
 * The shell must see its job stop.  But only once the program itself has: it
 * may handle the signal, or stopping may not be allowed to it; and a parent
 * that stops while its program runs would hide the program's end.
 */
static void stop_once_child_has(pid_t child)
{
	const struct timespec step = { 0, 1000000 };

	for (int ms = 0; ms < STOP_PATIENCE_MS; ms++) {
		siginfo_t info = { 0 };

		if (!waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) &&
		    info.si_pid == child) {
			raise(SIGSTOP);
			return;
		}
		nanosleep(&step, NULL);
	}
}

static void on_parent_signal(struct parent *p, struct harvest *h,
			     const siginfo_t *info)
{
	int signo = info->si_signo;

	if (info->si_pid == getpid() && info->si_code <= 0)
		return; /* SIGPIPE of our own message */
	if (!signal_origin_is_group(&p->origin, signo))
		kill(h->child, signo);
	else if (signo == SIGTERM && !p->told_ns)
		p->told_ns = process_clock();
	if (signo == SIGTERM)
		p->warned_ns = process_clock();
	switch (signo) {
	case SIGTERM:
		make_checkpoint(p, h);
		ask_why_job_ended(p, h);
		break;
	case SIGINT:
	case SIGHUP:
	case SIGQUIT:
	case SIGCONT:
		make_checkpoint(p, h);
		break;
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		stop_once_child_has(h->child);
		break;
	}
}

/* The job hangs, and the user wants it ended: first with a word. */
static void end_program(struct parent *p, struct harvest *h, uint64_t now)
{
	if (!p->ending_ns) {
		p->ending_ns = now;
		h->stuck = true;
		kill(h->child, SIGTERM);
	} else if (now - p->ending_ns > TERM_NS) {
		kill(h->child, SIGKILL);
	}
}

/* Once a second: what others may ask for at any time. */
static void parent_tick(struct parent *p, struct harvest *h)
{
	uint64_t now = process_clock();

	inquiry_look(&p->inquiry, now);
	alarm_look(&p->alarm, now);
	thread_report_answer(h->live_dir);
	memory_watch_look(&p->memory, h, now);
	core_wait_look(&p->core_wait, h->child, now);
	if (p->alarm.ends)
		end_program(p, h, now);
	p->tick_ns = now + SECOND;
}

static void on_parent_time(struct parent *p, struct harvest *h)
{
	uint64_t now = process_clock();

	if (now >= p->tick_ns)
		parent_tick(p, h);
	if (now < p->next_ns)
		return;
	if (p->warned_ns)
		ask_why_job_ended(p, h);
	make_checkpoint(p, h);
}

static void wait_for_program_end(struct parent *p, struct harvest *h)
{
	sigset_t all;

	sigfillset(&all);
	while (!has_ended(h->child)) {
		uint64_t now = process_clock();
		uint64_t next =
			p->next_ns < p->tick_ns ? p->next_ns : p->tick_ns;
		uint64_t left = next > now ? next - now : 0;
		struct timespec wait = { (time_t)(left / SECOND),
					 (long)(left % SECOND) };
		siginfo_t info;
		int signo;

		signo = sigtimedwait(&all, &info, &wait);
		if (signo > 0 && signo != SIGCHLD)
			on_parent_signal(p, h, &info);
		else if (signo < 0 && errno == EAGAIN)
			on_parent_time(p, h);
	}
}

static void note_end(struct parent *p, struct harvest *h)
{
	struct live_end end = { .mono_ns = process_clock() };
	struct family counts = p->io;
	struct rusage used = { 0 };
	int status = 0;

	/* Goes when it is waited for. */
	end.cpu_ns = process_cpu_ns(h->child);
	core_wait_look(&p->core_wait, h->child, process_clock());
	if (p->core_wait.count.ran)
		process_cores(h->child, &end.cores);
	end.cores.waited_ns = p->core_wait.ns;
	while (wait4(h->child, &status, 0, &used) < 0 && errno == EINTR)
		;
	end.signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
	end.status = WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 0;
	process_usage(&counts, &used);
	process_io(&counts);
	harvest_end(h, &end, &counts);
	memory_watch_end(&p->memory, h, (uint64_t)used.ru_maxrss * 1024);
	/* A launcher may kill us too, soon: the quickest copy first. */
	if (end.signal || end.status)
		harvest_checkpoint(h);
}

/* What the program has heard may wait for us still. */
static bool was_terminated(const struct harvest *h)
{
	sigset_t waiting;

	return h->end.signal == SIGTERM ||
	       (!sigpending(&waiting) && sigismember(&waiting, SIGTERM));
}

int parent_run(struct parent *p, char **argv, struct harvest *h,
	       unsigned int checkpoint_s)
{
	pid_t child;

	signal_origin_start(&p->origin);
	memory_watch_start(&p->memory);
	p->core_wait.look_ns = p->start_ns = process_clock();
	p->checkpoint_ns = checkpoint_s * SECOND;
	p->next_ns = checkpoint_s ? p->start_ns + p->checkpoint_ns : UINT64_MAX;
	p->tick_ns = p->start_ns + SECOND;
	process_io(&p->io);
	child = start_program(p, argv);
	if (child > 0) {
		h->child = child;
		h->file = open_executed(child);
		wait_for_program_end(p, h);
		note_end(p, h);
		if (was_terminated(h))
			ask_why_job_ended(p, h);
	}
	memory_watch_fini(&p->memory);
	signal_origin_stop(&p->origin);
	return child > 0 ? 0 : child;
}
