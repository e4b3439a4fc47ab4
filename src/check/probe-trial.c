/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe-trial.c - measure something, and see whether samples come.
 *
 * What is measured is a shell that never ends.  It is killed once it has used
 * enough time, and its profile is read where it grew, in shared memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "check/probe.h"
#include "launch/livedir.h"
#include "launch/preload.h"
#include "launch/process.h"
#include "live/layout.h"
#include "profile/profile.h"

#define SECOND       1000000000ull
#define CPU_NS       (SECOND / 5) /* of which 50 samples would come at 250/s */
#define AT_LEAST     (2 * SECOND / 5)
#define PATIENCE     (30 * SECOND)
#define LONGEST_LOAD (3 * SECOND) /* of CPU time */

/* What is read from all profiles of a trial. */
struct trial {
	uint64_t samples, dropped, cpu_ns, wall_ns;
	uint32_t clock, wall;
};

static void become_shell(const struct settings *s, const char *live,
			 const char *script)
{
	char name[] = "sh", option[] = "-c", *words = strdup(script);
	char *argv[] = { name, option, words, NULL };
	int nothing = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, 0);
	dup2(nothing, 1);
	dup2(nothing, 2);
	if (words && !preload_set(s, live, NULL, false))
		execvp(name, argv);
}

static bool has_profile(const char *live)
{
	struct live_file *files;
	size_t count = livedir_files(live, &files);

	free(files);
	return count != 0;
}

/*
 * Until it has computed for a while since its first sample, or for as long as
 * one waits: the loader may take longer than that.
 */
static void let_trial_run(pid_t child, const char *live, uint64_t cpu_ns)
{
	const struct timespec step = { 0, 10000000 };
	uint64_t start = process_clock(), passed = 0, used = 0, loaded = 0;

	while (passed < AT_LEAST ||
	       (passed < PATIENCE && used - loaded < cpu_ns &&
		loaded < LONGEST_LOAD)) {
		nanosleep(&step, NULL);
		passed = process_clock() - start;
		used = process_cpu_ns(child);
		if (!has_profile(live))
			loaded = used;
		if (waitpid(child, NULL, WNOHANG | WNOWAIT) > 0)
			break;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void read_trial_profile(struct trial *to, const char *live,
			       const char *name)
{
	char *path = str_format("%s/%s", live, name);
	struct profile *p = NULL;

	if (path && !profile_load(&p, path)) {
		for (size_t i = 0; i < p->thread_count; i++) {
			to->samples += p->threads[i].samples;
			to->cpu_ns += p->threads[i].cpu_ns;
			to->wall_ns += p->threads[i].wall_ns;
		}
		for (size_t i = 0; i < p->loss_count; i++)
			if (!strncmp(p->losses[i].name, "dropped.", 8))
				to->dropped += p->losses[i].count;
		to->clock = p->id.clock;
		to->wall |= p->id.wall == LIVE_WALL_SAMPLED;
	}
	profile_free(p);
	free(path);
}

static void read_profiles(struct trial *to, const char *live)
{
	struct live_file *files;
	size_t count = livedir_files(live, &files);

	for (size_t i = 0; i < count; i++)
		read_trial_profile(to, live, files[i].name);
	free(files);
}

/* 0, or -errno with a reason. */
static int try_to_measure(struct trial *to, const struct doctor *d,
			  const char *events, const char *script,
			  uint64_t cpu_ns)
{
	struct settings s = *d->settings;
	struct live_note note = { .key = "check" };
	char live[PATH_MAX];
	pid_t child;
	int err;

	s.events = events;
	s.from_start = true;
	s.include = s.exclude = "";
	s.openmp = s.locks = s.io = false;
	*to = (struct trial){ 0 };
	err = preload_find("libcopse.so", live);
	if (!err)
		err = livedir_new(live, &note);
	if (err)
		return err;
	child = fork();
	if (!child) {
		become_shell(&s, live, script);
		_exit(127);
	}
	if (child > 0) {
		let_trial_run(child, live, cpu_ns);
		read_profiles(to, live);
	} else {
		err = fail(-errno, "cannot start a process: %s",
			   strerror(errno));
	}
	livedir_remove(live);
	return err;
}

void probe_collector(struct finding *to, const struct doctor *d)
{
	char path[PATH_MAX];

	(void)d;
	if (!preload_find("libcopse.so", path)) {
		probe_found(to, FINDING_YES, "%.300s", path);
		return;
	}
	probe_found(to, FINDING_NO, "%.300s", fail_reason());
	probe_mend(to, "install copse again");
}

static const struct {
	enum finding_state state;
	const char *says, *costs;
} clocks[] = {
	[LIVE_CLOCK_NONE] = { FINDING_NO, "no clock", "" },
	[LIVE_CLOCK_SIGTRAP] = { FINDING_YES,
				 "sigtrap: exact, time in the "
				 "kernel included",
				 "" },
	[LIVE_CLOCK_MIXED] = { FINDING_LIMITED,
			       "mixed: exact in user code, the kernel by CPU "
			       "timer",
			       "page faults look like user code" },
	[LIVE_CLOCK_TIMER] = { FINDING_LIMITED,
			       "timer: bound to the scheduler's ticks",
			       "samples are few; what keeps step with the "
			       "ticks, as loops of 1 ms, is some points off" },
};

/* True when there is nothing more to say: no sample came. */
static bool say_no_sample_came(struct finding *to, enum finding_state state,
			       int err, const struct trial *trial)
{
	if (!err && trial->samples)
		return false;
	probe_found(to, state, "tried: %.300s",
		    err ? fail_reason() : "no sample was taken");
	if (state == FINDING_NO)
		probe_instead(to, "programs run unmeasured");
	probe_mend(to, "see the problems above");
	return true;
}

void probe_cpu(struct finding *to, const struct doctor *d)
{
	const char *forced = getenv("COPSE_CLOCK");
	struct trial t;
	int err = try_to_measure(&t, d, "cpu", "while :; do :; done", CPU_NS);
	bool many = t.dropped > t.samples / 10;

	if (say_no_sample_came(to, FINDING_NO, err, &t))
		return;
	if (t.clock >= sizeof(clocks) / sizeof(clocks[0]))
		t.clock = LIVE_CLOCK_NONE;
	probe_found(to, many ? FINDING_LIMITED : clocks[t.clock].state,
		    "%s; tried: %" PRIu64 " samples in %.2f s of CPU time, "
		    "%" PRIu64 " dropped%s%s",
		    clocks[t.clock].says, t.samples, (double)t.cpu_ns / 1e9,
		    t.dropped, forced ? "; COPSE_CLOCK=" : "",
		    forced ? forced : "");
	if (!many)
		probe_instead(to, "%s", clocks[t.clock].costs);
	if (to->state == FINDING_LIMITED)
		probe_mend(to, many ? "make room in /dev/shm"
				    : "see perf events and locked memory");
}

/* Without any work the slower clocks would take no sample, waiting or not. */
static const char work_and_sleep[] =
	"while :; do sleep 0.02; i=0; while [ $i -lt 5000 ]; do "
	"i=$((i + 1)); done; done";

void probe_wall(struct finding *to, const struct doctor *d)
{
	struct trial t;
	int err = try_to_measure(&t, d, "cpu,wall", work_and_sleep, CPU_NS / 2);
	double waited = ((double)t.wall_ns - (double)t.cpu_ns) / 1e9;

	if (say_no_sample_came(to, FINDING_LIMITED, err, &t))
		return;
	if (t.wall && waited > 0) {
		probe_found(
			to, FINDING_YES,
			"waiting is sampled where it happens; tried: %.2f s "
			"of it",
			waited);
		return;
	}
	probe_found(to, FINDING_LIMITED, "waiting cannot be sampled");
	probe_instead(to, "it is added to the sample that follows");
	probe_mend(to, "see perf events and locked memory");
}
