/* SPDX-License-Identifier: BSD-3-Clause */
/* job-end.c - what scontrol(1) says of a job: why it ends, and where it is. */
#include "launch/job.h"

#include <dirent.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "launch/inquiry.h"
#include "launch/process.h"

enum {
	PATIENCE_MS = 1000,
	ANSWER = 8192 /* bytes of scontrol's that are read */
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

/* Whether it was asked; what came until then is in the answer, or "". */
static bool query_job(const char *job, char answer[ANSWER])
{
	int ends[2];
	pid_t pid;

	*answer = 0;
	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = start_job_query(job, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		read_answer(ends[0], answer, ANSWER);
		kill(pid, SIGKILL); /* it has answered, or never will */
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	return pid > 0;
}

void job_end_ask(struct batch *b)
{
	char answer[ANSWER];
	const char *word;

	if (strcmp(b->manager, "Slurm") != 0 || !query_job(b->job, answer))
		return;
	word = job_end_in(answer);
	if (word)
		strcpy(b->end, word);
}

/* The second line of its file .job. */
static bool is_of_job(const char *directory, const char *job)
{
	char *path = str_format("%s/.job", directory), *line = NULL;
	FILE *from = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	bool is = false;

	for (int i = 0; from && i < 2 && getline(&line, &room, from) > 0; i++) {
		line[strcspn(line, "\n")] = 0;
		is = i && !strcmp(line, job);
	}
	if (from)
		fclose(from);
	free(line);
	free(path);
	return is;
}

/* Of the job's run, while it goes on, its folder's; 0: it is none. */
static time_t time_of_run(const char *path, const char *job)
{
	const char *dot = strrchr(path, '.');
	struct stat st;

	return dot && !strcmp(dot, ".copse") && is_of_job(path, job) &&
			       inquiry_goes_on(path) && !stat(path, &st)
		       ? st.st_mtime
		       : 0;
}

/* The newest run of it in that folder; to be freed, or NULL. */
static char *newest_job_run(const char *folder, const char *job)
{
	DIR *list = opendir(folder);
	struct dirent *entry;
	char *newest = NULL;
	time_t last = 0;

	while (list && (entry = readdir(list))) {
		char *path = str_format("%s/%s", folder, entry->d_name);
		time_t began = path ? time_of_run(path, job) : 0;

		if (began > last) {
			last = began;
			free(newest);
			newest = path;
		} else {
			free(path);
		}
	}
	if (list)
		closedir(list);
	return newest;
}

char *job_run_directory(const char *job)
{
	static const char before[] = " WorkDir=", after[] = " StdErr=";
	char answer[ANSWER], *at, *end;

	if (job[strspn(job, "0123456789_")] || !query_job(job, answer))
		return NULL;
	at = strstr(answer, before);
	end = at ? strstr(at, after) : NULL;
	if (!end)
		return NULL;
	*end = 0;
	return newest_job_run(at + strlen(before), job);
}
