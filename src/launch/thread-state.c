/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-state.c - see thread-state.h. */
#include "launch/thread-state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"

static bool read_of_thread(pid_t pid, pid_t tid, const char *file, char *to,
			   size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%d/%s", (int)tid, file);
	*to = 0;
	return proc_file(pid, path, to, size) > 0;
}

/* Behind the name, which may hold anything. */
static void read_stat(struct thread_state *to, const char *stat)
{
	const char *at = strrchr(stat, ')');
	uint64_t user, system;
	char state;

	if (!at || sscanf(at,
			  ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%" SCNu64 " %" SCNu64,
			  &state, &user, &system) != 3)
		return;
	to->state = state;
	to->ticks = user + system;
}

/* "0 0x3 … SP PC", "-1 SP PC" (it is in none), "running". */
static void read_syscall(struct thread_state *to, const char *text)
{
	const char *pc = strrchr(text, ' '), *sp = pc;
	long number;

	if (sscanf(text, "%ld", &number) != 1 || !pc)
		return;
	while (sp > text && sp[-1] != ' ')
		sp--;
	to->syscall = number;
	if (sscanf(sp, "%" SCNx64, &to->sp) != 1 ||
	    sscanf(pc, "%" SCNx64, &to->pc) != 1)
		to->sp = to->pc = 0;
}

bool thread_state_syscall(struct thread_state *to, pid_t pid, pid_t tid)
{
	char text[512];

	*to = (struct thread_state){ .syscall = -1 };
	if (!read_of_thread(pid, tid, "syscall", text, sizeof(text)))
		return false;
	read_syscall(to, text);
	return true;
}

bool thread_state_look(struct thread_state *to, pid_t pid, pid_t tid)
{
	char text[512];

	*to = (struct thread_state){ .syscall = -1 };
	if (!read_of_thread(pid, tid, "stat", text, sizeof(text)))
		return false;
	read_stat(to, text);
	if (read_of_thread(pid, tid, "syscall", text, sizeof(text)))
		read_syscall(to, text);
	if (read_of_thread(pid, tid, "wchan", text, sizeof(text)) &&
	    strcmp(text, "0") != 0)
		snprintf(to->wchan, sizeof(to->wchan), "%.*s",
			 (int)strcspn(text, "\n"), text);
	return to->state;
}

/*
 * Where FUSE, NFS, Lustre, GPFS and Ceph wait for an answer, some of them in a
 * sleep that signals may end.
 */
static bool waits_for_files(const char *wchan)
{
	static const char *const begins[] = { "request_wait_answer",
					      "fuse_",
					      "nfs",
					      "rpc_wait",
					      "cl_sync_io",
					      "ptlrpc_",
					      "ldlm_",
					      "cxiWait",
					      "ceph_" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(wchan, begins[i], strlen(begins[i])))
			return true;
	return false;
}

const char *thread_state_text(const struct thread_state *state)
{
	switch (state->state) {
	case 'R':
		return "runs";
	case 'S':
		if (!waits_for_files(state->wchan))
			return "sleeps";
		/* fallthrough */
	case 'D':
		return "waits in the kernel, for a disk or a file system";
	case 'T':
	case 't':
		return "is stopped";
	case 'Z':
	case 'X':
	case 0:
		return "has ended";
	default:
		return "is idle";
	}
}
