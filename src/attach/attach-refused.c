/* SPDX-License-Identifier: BSD-3-Clause */
/* attach-refused.c - why the kernel does not let one process be measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/attach-process.h"
#include "base/err.h"
#include "launch/perf.h"

/* kernel.perf_event_paranoid; -2: not known. */
static int paranoid_level(void)
{
	FILE *from = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int level = -2;

	if (from && fscanf(from, "%d", &level) != 1)
		level = -2;
	if (from)
		fclose(from);
	return level;
}

static bool is_anothers(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return geteuid() && !stat(path, &st) && st.st_uid != geteuid();
}

int attach_refused(pid_t pid, int err)
{
	int level = paranoid_level();

	if (err == -ESRCH)
		return fail(err, "process %d has ended", (int)pid);
	if (err == -EMFILE)
		return fail(err, "no descriptors are left (ulimit -n)");
	if (err != -EACCES && err != -EPERM)
		return fail(err,
			    "the kernel has no perf event for process %d: "
			    "%s",
			    (int)pid, strerror(-err));
	if (perf_is_filtered())
		return fail(err, "a filter of system calls (seccomp, as of a "
				 "container) forbids perf_event_open");
	if (is_anothers(pid))
		return fail(err, "process %d is another user's", (int)pid);
	if (level > 2)
		return fail(err,
			    "kernel.perf_event_paranoid is %d: users may "
			    "have no perf events; 2 lets them, or the "
			    "capability CAP_PERFMON",
			    level);
	return fail(err,
		    "the kernel refuses a perf event of process %d: it "
		    "has other rights than this one (another group, "
		    "set-user-ID, not dumpable), or no memory may be "
		    "locked any more (ulimit -l)",
		    (int)pid);
}
