/* SPDX-License-Identifier: BSD-3-Clause */
/* job-end.c - why the batch system ends a job: scontrol show job. */
#include "launch/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/process.h"

enum {
	PATIENCE_MS = 1000
};

/*
 * While processes of a job are left Slurm says of it that it is COMPLETING,
 * whatever the state will be: after a time limit with that reason, after
 * scancel(1) without one, as where a script has ended before what it started.
 * But then the script was not killed.  The first that holds.
 */
static const struct {
	const char *state, *besides, *word;
} endings[] = {
	{ " JobState=CANCELLED ", "", "cancelled" },
	{ " JobState=TIMEOUT ", "", "time limit" },
	{ " JobState=DEADLINE ", "", "deadline" },
	{ " JobState=PREEMPTED ", "", "preempted" },
	{ " JobState=NODE_FAIL ", "", "node failure" },
	{ " JobState=OUT_OF_MEMORY ", "", "out of memory" },
	{ " JobState=COMPLETING ", " Reason=TimeLimit ", "time limit" },
	{ " JobState=COMPLETING ", " Reason=OutOfMemory ", "out of memory" },
	{ " JobState=COMPLETING ", " ExitCode=0:15 ", "cancelled" },
	{ " JobState=COMPLETING ", "", "cancelled, or its script ended" },
};

const char *job_end_in(const char *answer)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strstr(answer, endings[i].state) &&
		    strstr(answer, endings[i].besides))
			return endings[i].word;
	return NULL;
}

/*
 * Slurm sends its SIGTERM to all processes of the job, this one too: it lives
 * by our own mask, in which all signals wait.
 */
static pid_t start_job_query(const char *job, int answer)
{
	const char *const argv[] = { "scontrol", "show", "--oneliner",
				     "job",      job,    NULL };

	return process_spawn(argv, answer);
}

static void read_answer(int fd, char *to, size_t size)
{
	uint64_t begin = process_clock();
	size_t used = 0;
	ssize_t n;

	do {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int gone = (int)((process_clock() - begin) / 1000000);

		if (gone >= PATIENCE_MS ||
		    poll(&ready, 1, PATIENCE_MS - gone) <= 0)
			break;
		n = read(fd, to + used, size - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	to[used] = 0;
}

void job_end_ask(struct batch *b)
{
	char answer[8192];
	int ends[2];
	pid_t pid;

	if (strcmp(b->manager, "Slurm") != 0 || pipe2(ends, O_CLOEXEC))
		return;
	pid = start_job_query(b->job, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		const char *word;

		read_answer(ends[0], answer, sizeof(answer));
		word = job_end_in(answer);
		if (word)
			strcpy(b->end, word);
		kill(pid, SIGKILL); /* it has answered, or never will */
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
}
