/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-system.c - the kernel, the C library, and what is around the process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/capability.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "arch/elf-names.h"
#include "arch/restart.h"
#include "base/perf-attr.h"
#include "check/probe.h"
#include "launch/perf.h"

void probe_kernel(struct finding *to, const struct doctor *d)
{
	struct utsname name;

	(void)d;
	uname(&name);
	if (perf_sigtrap_is_safe()) {
		probe_found(to, FINDING_YES, "%s %s, %s" ELF_MACHINE_SEEN,
			    name.sysname, name.release, name.machine);
		return;
	}
	probe_found(to, FINDING_LIMITED,
		    "%s %s: its perf events kill a thread that blocks their "
		    "signal",
		    name.sysname, name.release);
	probe_instead(to, "samples are taken by the CPU timer");
	probe_mend(to, "Linux 5.18 or newer");
}

void probe_libc(struct finding *to, const struct doctor *d)
{
	(void)d;
	if (dlsym(RTLD_DEFAULT, "_dl_find_object")) {
		probe_found(to, FINDING_YES,
			    "glibc %s, whose _dl_find_object takes no lock",
			    gnu_get_libc_version());
		return;
	}
	probe_found(to, FINDING_YES, "glibc %s has no _dl_find_object",
		    gnu_get_libc_version());
	probe_instead(to, "libraries are looked up in a table of copse's own");
}

static volatile sig_atomic_t alarm_met_sleep;

static void on_alarm(int signum, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;

	(void)signum;
	(void)info;
	alarm_met_sleep = restart_result(m) == -EINTR && restart_is_behind(m) &&
			  restart_is_sleep(m);
}

/* One that an alarm is the end of, or is over before it comes. */
static void sleep_by(int way, const struct timespec *time)
{
	struct timespec end;
	sem_t never;

	switch (way) {
	case 0:
		nanosleep(time, NULL);
		break;
	case 1:
		poll(NULL, 0, 1000);
		break;
	default:
		sem_init(&never, 0, 0);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += time->tv_sec;
		sem_timedwait(&never, &end);
	}
}

/* In a process of its own. */
void probe_stops(struct finding *to, const struct doctor *d)
{
	static const char *const names[] = { "nanosleep()", "poll()",
					     "sem_timedwait()" };
	const struct sigaction action = { .sa_sigaction = on_alarm,
					  .sa_flags = SA_SIGINFO };
	const struct itimerval soon = { .it_value = { 0, 20000 } };
	const struct timespec second = { 1, 0 };

	(void)d;
	sigaction(SIGALRM, &action, NULL);
	for (int way = 0; way < 3; way++) {
		setitimer(ITIMER_REAL, &soon, NULL);
		sleep_by(way, &second);
		if (alarm_met_sleep)
			continue;
		probe_found(to, FINDING_LIMITED,
			    "%s is not known where a signal meets it",
			    names[way]);
		probe_instead(to, "one that SIGSTOP and SIGCONT interrupt may "
				  "end early");
		return;
	}
	probe_found(to, FINDING_YES, "sleeps go on after SIGSTOP and SIGCONT");
}

/* What runs containers leaves a file, or says so to its first process. */
static const char *container_name(void)
{
	static const struct {
		const char *path, *name;
	} marks[] = {
		{ "/.dockerenv", "docker" },
		{ "/run/.containerenv", "podman" },
		{ "/.singularity.d", "apptainer" },
		{ "/run/systemd/container", "systemd's" },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!access(marks[i].path, F_OK))
			return marks[i].name;
	return getenv("container");
}

void probe_container(struct finding *to, const struct doctor *d)
{
	const char *name = container_name();
	bool filtered = probe_status("Seccomp:", 10) == 2;

	(void)d;
	probe_found(to, FINDING_YES, "%s%s%s%s", name ? "in one: " : "",
		    name ? name : "no sign of one",
		    filtered ? ", system calls are filtered (seccomp)" : "",
		    filtered ? "" : ", no system call is filtered");
	if (filtered)
		probe_mend(to, "if perf events are refused below: allow "
			       "perf_event_open in the seccomp profile");
}

void probe_debugger(struct finding *to, const struct doctor *d)
{
	(void)d;
	if (probe_status("TracerPid:", 10)) {
		probe_found(to, FINDING_LIMITED,
			    "this process is traced, so SIGTRAP belongs to the "
			    "debugger");
		probe_instead(to,
			      "samples of a traced program are taken by the "
			      "CPU timer");
		return;
	}
	probe_found(to, FINDING_YES, "none is attached");
}

/* Whom copse attach and copse stuck may look at: doc/decisions/kernels.md. */
void probe_joining(struct finding *to, const struct doctor *d)
{
	long paranoid = probe_number("/proc/sys/kernel/perf_event_paranoid", 4);
	long scope = probe_number("/proc/sys/kernel/yama/ptrace_scope", 0);
	bool samples = !perf_is_filtered() &&
		       (paranoid <= 2 || probe_capable(CAP_PERFMON) ||
			probe_capable(CAP_SYS_ADMIN));
	bool stacks = !scope || (scope < 3 && probe_capable(CAP_SYS_PTRACE));

	(void)d;
	probe_found(to, samples && stacks ? FINDING_YES : FINDING_LIMITED,
		    "copse attach may %ssample them (perf_event_paranoid %ld) "
		    "and may %ssee where threads wait (ptrace_scope %ld)",
		    samples ? "" : "not ", paranoid, stacks ? "" : "not ",
		    scope);
	if (!samples)
		probe_instead(to, "only what copse run starts is measured");
	else if (!stacks)
		probe_instead(to,
			      scope == 1
				      ? "where threads wait is known to copse "
					"stuck alone, which asks their parents"
				      : "copse stuck has the states of threads "
					"without their call paths");
	if (perf_is_filtered())
		probe_mend(to, ASK_MEND_FILTER);
	else if (!samples)
		probe_mend(to, "sysctl kernel.perf_event_paranoid=2");
	else if (!stacks && scope < 3)
		probe_mend(to, "sysctl kernel.yama.ptrace_scope=0");
}

void probe_huge_pages(struct finding *to, const struct doctor *d)
{
	static const char folder[] = "/sys/kernel/mm/transparent_hugepage";
	char all[128], shared[160], path[128];

	(void)d;
	snprintf(path, sizeof(path), "%s/enabled", folder);
	probe_line(path, all, sizeof(all));
	snprintf(path, sizeof(path), "%s/shmem_enabled", folder);
	probe_line(path, shared, sizeof(shared));
	if (strstr(shared, "[always]") || strstr(shared, "[force]")) {
		probe_found(to, FINDING_LIMITED,
			    "shared memory comes in pieces of 2 MiB (%s)",
			    shared);
		probe_instead(to,
			      "each profile takes 2 MiB more than it needs");
		probe_mend(to, "echo advise > %s/shmem_enabled", folder);
		return;
	}
	probe_found(to, FINDING_YES, "%s", *all ? all : "none in this kernel");
}

void probe_core_files(struct finding *to, const struct doctor *d)
{
	struct rlimit limit = { 0, 0 };
	char pattern[128];

	(void)d;
	getrlimit(RLIMIT_CORE, &limit);
	probe_line("/proc/sys/kernel/core_pattern", pattern, sizeof(pattern));
	if (limit.rlim_cur == RLIM_INFINITY)
		probe_found(to, FINDING_YES,
			    "of any size, to '%s'; copse run adds none",
			    pattern);
	else
		probe_found(to, FINDING_YES,
			    "at most %llu bytes, to '%s'; copse run adds none",
			    (unsigned long long)limit.rlim_cur, pattern);
}
