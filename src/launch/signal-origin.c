/* SPDX-License-Identifier: BSD-3-Clause */
/* signal-origin.c - a process that watches the signals of the process group. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/process.h"
#include "launch/signal-origin.h"

/*
 * How far apart the two deliveries of one group signal may be seen.  Too short
 * and a program on a crowded node gets it twice, too long and one sent to the
 * parent alone arrives late.
 */
#define PATIENCE_MS 40

/* It keeps no descriptor of the program's open, and ends with its parent. */
static void watch_signals(int to, pid_t parent)
{
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "copse-signals");
	dup2(to, 0);
	process_close_from(1);
	sigfillset(&all);
	while (getppid() == parent) {
		int signo = sigwaitinfo(&all, NULL);
		unsigned char byte = (unsigned char)signo;

		if (signo > 0 && write(0, &byte, 1) != 1)
			break;
	}
}

int signal_origin_start(struct signal_origin *s)
{
	pid_t parent = getpid();
	int ends[2];

	*s = (struct signal_origin){ 0 };
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return fail(-errno, "no pipe: %s", strerror(errno));
	s->pid = fork();
	if (!s->pid) {
		watch_signals(ends[1], parent);
		_exit(0);
	}
	close(ends[1]);
	s->pipe = ends[0];
	if (s->pid > 0)
		return 0;
	s->pid = 0;
	close(ends[0]);
	return fail(-errno, "no second process: %s", strerror(errno));
}

void signal_origin_stop(struct signal_origin *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->pipe);
	s->pid = 0;
}

static void read_signal_reports(struct signal_origin *s)
{
	uint64_t now = process_clock();
	unsigned char signals[64];
	ssize_t n;

	while ((n = read(s->pipe, signals, sizeof(signals))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (signals[i] < ORIGIN_SIGNALS)
				s->seen_ns[signals[i]] = now;
}

/* The last report of it is fresh: used up by asking. */
static bool is_just_reported(struct signal_origin *s, int signo)
{
	uint64_t seen = s->seen_ns[signo];

	s->seen_ns[signo] = 0;
	return seen && process_clock() - seen < 2 * PATIENCE_MS * 1000000ull;
}

bool signal_origin_is_group(struct signal_origin *s, int signo)
{
	uint64_t until = process_clock() + PATIENCE_MS * 1000000ull;
	bool saw = false;

	while (s->pid && signo < ORIGIN_SIGNALS) {
		struct pollfd wait = { .fd = s->pipe, .events = POLLIN };
		uint64_t now = process_clock();

		read_signal_reports(s);
		saw = is_just_reported(s, signo);
		if (saw || now >= until)
			break;
		poll(&wait, 1, (int)((until - now) / 1000000 + 1));
		if (wait.revents & POLLHUP)
			break;
	}
	return saw;
}
