/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-check.c - copse check: what works on this machine, and what would. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "base/settings.h"
#include "base/str.h"
#include "launch/livedir.h"
#include "launch/perf.h"
#include "launch/preload.h"
#include "tools/command.h"

enum state {
	WORKS,
	LIMITED,
	MISSING
};

static void say(enum state state, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(enum state state, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "yes", "limited", "NO" };
	va_list args;

	printf("%-8s %-14s ", words[state], what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void advise(const char *text)
{
	printf("%-23s -> %s\n", "", text);
}

/* One number from a file of /proc, or `none`. */
static long read_number(const char *path, long none)
{
	FILE *from = fopen(path, "re");
	long value = none;

	if (!from)
		return none;
	if (fscanf(from, "%ld", &value) != 1)
		value = none;
	fclose(from);
	return value;
}

/* doc/design.md says what the three clocks can do. */
static void check_clock(void)
{
	long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", 4);
	int whole = perf_try(true, true);
	int user = perf_try(false, false);

	if (!whole) {
		say(WORKS, "clock", "sigtrap: exact, with time in the kernel");
		return;
	}
	if (!user)
		say(LIMITED, "clock",
		    "mixed: exact in user code, kernel time by CPU timer");
	else
		say(LIMITED, "clock",
		    "timer: CPU timer only, at most some 250 samples/s");
	if (whole == EINVAL)
		advise("the kernel has no perf sigtrap: Linux 5.18 has a safe "
		       "one");
	else if (whole == ENOSYS || (user && user == whole && paranoid < 2))
		advise("perf_event_open is refused, perhaps by a container's "
		       "seccomp profile: allow it");
	else
		advise("administrator: sysctl kernel.perf_event_paranoid=1 (or "
		       "CAP_PERFMON)");
}

static void check_kernel(void)
{
	struct utsname name;

	uname(&name);
	say(WORKS, "kernel", "%s %s, perf_event_paranoid %ld", name.sysname,
	    name.release,
	    read_number("/proc/sys/kernel/perf_event_paranoid", -9));
}

static bool check_shared_memory(const struct settings *s)
{
	struct live_note note = { .key = "check" };
	char path[PATH_MAX];
	struct statvfs fs;
	unsigned long long free_mib;

	if (livedir_new(path, &note)) {
		say(MISSING, "shared memory", "%s", fail_reason());
		advise("programs run unmeasured until this is mended");
		return false;
	}
	livedir_remove(path);
	if (statvfs("/dev/shm", &fs)) {
		say(MISSING, "shared memory", "/dev/shm: %s", strerror(errno));
		return false;
	}
	free_mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	say(free_mib < s->memory ? LIMITED : WORKS, "shared memory",
	    "/dev/shm has %llu MiB free; a process uses a few, at most %llu",
	    free_mib, (unsigned long long)s->memory);
	if (free_mib < s->memory)
		advise("enlarge /dev/shm (containers: --shm-size), or take a "
		       "smaller --memory");
	return true;
}

static bool check_library(const char *name, const char *what,
			  const char *advice)
{
	char path[PATH_MAX];

	if (!preload_find(name, path)) {
		say(WORKS, what, "%s", path);
		return true;
	}
	say(MISSING, what, "%s", fail_reason());
	advise(advice);
	return false;
}

static void check_rate(void)
{
	say(WORKS, "sampling rate",
	    "at most %ld samples/s by the kernel's setting",
	    read_number("/proc/sys/kernel/perf_event_max_sample_rate", -1));
}

static int check(int argc, char **argv)
{
	struct settings s;
	bool good;

	if (argc)
		return fail(-EINVAL, "no argument is expected, not '%s'",
			    argv[0]);
	if (settings_from_environment(&s))
		return -EINVAL;
	check_kernel();
	check_clock();
	check_rate();
	good = check_shared_memory(&s);
	good &= check_library("libcopse.so", "collector",
			      "nothing can be measured: install copse again");
	check_library("libcopse-mpi-openmpi.so", "Open MPI",
		      "built without Open MPI: programs are measured, their "
		      "MPI calls are not");
	return good ? 0 : 1;
}

const struct command command_check = {
	.name = "check",
	.synopsis = "",
	.help = "say what works on this machine, and what would help",
	.run = check,
};
