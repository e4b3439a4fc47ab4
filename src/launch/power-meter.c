/* SPDX-License-Identifier: BSD-3-Clause */
/* power-meter.c - starts, ends and survives the process that reads power. */
#include "launch/power-meter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/power-file.h"
#include "launch/power-loop.h"
#include "launch/process.h"

enum {
	PATIENCE_MS = 600, /* for a last reading, its end, and a core */
	KILL_MS = 20,      /* for its end once it was killed */
};

/* In the process: nothing of `copse run` stays open but the pipe. */
static void detach_meter(int pipe)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "copse-meter");
	dup2(pipe, 0);
	process_close_from(1);
	if (open("/dev/null", O_RDWR) == 1)
		dup2(1, 2);
}

int power_meter_start(struct power_meter *m, const char *folder,
		      enum power_pace pace)
{
	pid_t parent = getpid();
	int ends[2], err;

	*m = (struct power_meter){ .power = power_file_new(folder) };
	if (!m->power)
		return -EIO;
	if (pipe2(ends, O_CLOEXEC))
		return fail(-errno, "no pipe: %s", strerror(errno));
	m->pid = fork();
	err = m->pid < 0 ? -errno : 0;
	if (!m->pid) {
		detach_meter(ends[0]);
		if (getppid() == parent)
			power_loop_run(m->power, folder, pace);
		_exit(0);
	}
	close(ends[0]);
	m->pipe = ends[1];
	if (!err)
		return 0;
	m->pid = 0;
	close(ends[1]);
	return fail(err, "no second process: %s", strerror(-err));
}

/* True once it has ended, waited for that long at most. */
static bool ends_within(pid_t pid, unsigned int ms)
{
	const struct timespec step = { 0, 1000000 };

	for (unsigned int i = 0; i < ms; i++) {
		if (waitpid(pid, NULL, WNOHANG))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

static void explain_meter(struct power_meter *m, bool hangs)
{
	const struct live_power *p = m->power;

	if (p->trouble[0])
		snprintf(m->trouble, sizeof(m->trouble), "%.*s",
			 (int)sizeof(p->trouble) - 1, p->trouble);
	else if (hangs)
		snprintf(m->trouble, sizeof(m->trouble),
			 "NVML does not answer");
	else if (!p->ended)
		snprintf(m->trouble, sizeof(m->trouble),
			 "what reads it has ended by itself: a fault in NVML");
}

void power_meter_stop(struct power_meter *m)
{
	bool hangs = false;

	if (m->pid) {
		close(m->pipe);
		hangs = !ends_within(m->pid, PATIENCE_MS);
		if (hangs) {
			kill(m->pid, SIGKILL);
			ends_within(m->pid, KILL_MS);
		}
		explain_meter(m, hangs);
	}
	power_file_close(m->power);
	m->power = NULL;
	m->pid = 0;
}
