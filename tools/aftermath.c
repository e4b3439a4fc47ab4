/* SPDX-License-Identifier: BSD-3-Clause */
/* aftermath.c - a child that answers requests; each is one packet. */
#include "tools/run-end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/output.h"
#include "tools/tools.h"

struct answer {
	int err;
	bool useless;
	char reason[508];
};

static int do_aftermath_work(const struct tools *tools, struct harvest *h,
			     enum aftermath_work work)
{
	if (work == AFTERMATH_FINISH)
		return tools->finish(h);
	return tools->conclude(h->output->path, h->file,
			       work == AFTERMATH_PAGE);
}

/* In the child, until the parent closes its end, or ends. */
static void serve_parent(struct harvest *h, int pipe)
{
	const struct tools *tools = tools_open();
	enum aftermath_work work;

	while (read(pipe, &work, sizeof(work)) == sizeof(work)) {
		struct answer answer = { -ENOEXEC, !tools, "" };

		if (tools)
			answer.err = do_aftermath_work(tools, h, work);
		snprintf(answer.reason, sizeof(answer.reason), "%s",
			 tools ? tools->reason() : fail_reason());
		if (write(pipe, &answer, sizeof(answer)) < 0)
			break;
	}
}

static int start_tools(struct aftermath *a)
{
	pid_t parent = getpid();
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return fail(-errno, "no pipe: %s", strerror(errno));
	a->pid = fork();
	err = a->pid < 0 ? -errno : 0;
	if (!a->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		if (getppid() == parent)
			serve_parent(a->harvest, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	a->pipe = ends[0];
	if (!err)
		return 0;
	a->pid = 0;
	close(ends[0]);
	return fail(err, "no second process: %s", strerror(-err));
}

static int ask_for_aftermath(struct aftermath *a, enum aftermath_work work)
{
	struct answer answer;

	if (send(a->pipe, &work, sizeof(work), MSG_NOSIGNAL) < 0 ||
	    read(a->pipe, &answer, sizeof(answer)) != sizeof(answer)) {
		a->useless = true;
		return fail(-ECHILD, "the process that does this has ended (is "
				     "memory limited?)");
	}
	a->useless = answer.useless;
	return answer.err ? fail(answer.err, "%s", answer.reason) : 0;
}

int aftermath_do(struct aftermath *a, enum aftermath_work work)
{
	int err = a->pid ? 0 : start_tools(a);

	return err ? err : ask_for_aftermath(a, work);
}

void aftermath_end(struct aftermath *a)
{
	if (!a->pid)
		return;
	close(a->pipe);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
}
