/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c - the table of probes, and those that are asked apart. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/probe.h"

enum {
	PATIENCE_MS = 20000 /* a driver may wake its devices first */
};

const struct probe doctor_probes[] = {
#define PROBE(function, group, name, apart)                                    \
	{ name, group, probe_##function, apart },
#include "check/probes.def"
#undef PROBE
};
const size_t doctor_probe_count =
	sizeof(doctor_probes) / sizeof(doctor_probes[0]);

/* In the child: what the library prints is nobody's answer. */
static void answer_probe(const struct probe *probe, const struct doctor *d,
			 int pipe)
{
	struct finding f = { 0 };
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, 1);
	dup2(nothing, 2);
	probe->ask(&f, d);
	/* Less than PIPE_BUF: all or nothing. */
	if (write(pipe, &f, sizeof(f)) < 0)
		return;
}

static bool hear_finding(int pipe, struct finding *to)
{
	struct pollfd wait = { .fd = pipe, .events = POLLIN };

	return poll(&wait, 1, PATIENCE_MS) > 0 &&
	       read(pipe, to, sizeof(*to)) == sizeof(*to);
}

static void ask_apart(const struct probe *probe, const struct doctor *d,
		      struct finding *to)
{
	bool heard = false;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC)) {
		probe_found(to, FINDING_ABSENT,
			    "cannot create a pipe for the check: %m");
		return;
	}
	child = fork();
	if (!child) {
		answer_probe(probe, d, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	heard = child > 0 && hear_finding(ends[0], to);
	close(ends[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	if (!heard)
		probe_found(to, FINDING_ABSENT,
			    "its library crashed or hung when it was called");
}

void check_ask(const struct probe *probe, const struct doctor *d,
	       struct finding *to)
{
	memset(to, 0, sizeof(*to));
	if (probe->apart)
		ask_apart(probe, d, to);
	else
		probe->ask(to, d);
}
