/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - what /proc says about a process. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/family.h"
#include "base/proc.h"
#include "base/timebase.h"
#include "launch/process.h"

enum {
	IO_SUMS = 4
};

/* It has ended, but its parent has not asked how: in containers, for long. */
static bool is_zombie(pid_t pid)
{
	char text[1024], *at = NULL;

	if (proc_file(pid, "stat", text, sizeof(text)))
		at = strrchr(text, ')');
	return at && at[1] && at[2] == 'Z';
}

uint64_t process_start(pid_t pid)
{
	return is_zombie(pid) ? 0 : proc_stat(pid, 22);
}

bool process_maps(pid_t pid, const char *path)
{
	char name[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &room, maps) > 0)
		found = strstr(line, path);
	free(line);
	fclose(maps);
	return found;
}

uint64_t process_cpu_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : timebase_clock(clock);
}

/* FNV-1a of a mask. */
static uint64_t core_set_key(const cpu_set_t *cores)
{
	const unsigned char *at = (const unsigned char *)cores;
	uint64_t key = 0xcbf29ce484222325u;

	for (size_t i = 0; i < sizeof(*cores); i++)
		key = (key ^ at[i]) * 0x100000001b3u;
	return key;
}

void process_cores(pid_t pid, struct cores *cores)
{
	cpu_set_t set;

	*cores = (struct cores){ 0 };
	if (sched_getaffinity(pid, sizeof(set), &set))
		return;
	cores->count = (uint64_t)CPU_COUNT(&set);
	cores->key = core_set_key(&set);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

void process_usage(struct family *to, const struct rusage *usage)
{
	to->user_ns = timeval_ns(usage->ru_utime);
	to->system_ns = timeval_ns(usage->ru_stime);
	to->faults = (uint64_t)usage->ru_minflt + (uint64_t)usage->ru_majflt;
	to->switches = (uint64_t)usage->ru_nvcsw;
}

static void read_io(const char *path, unsigned long long to[IO_SUMS])
{
	static const char form[] = "rchar: %llu wchar: %llu syscr: %*u "
				   "syscw: %*u read_bytes: %llu "
				   "write_bytes: %llu";
	FILE *f = fopen(path, "re");

	if (!f || fscanf(f, form, &to[0], &to[1], &to[2], &to[3]) != IO_SUMS)
		memset(to, 0, IO_SUMS * sizeof(*to));
	if (f)
		fclose(f);
}

/* This process's, without its only thread's. */
void process_io(struct family *to)
{
	unsigned long long all[IO_SUMS], own[IO_SUMS];
	uint64_t *const sums[IO_SUMS] = { &to->io_read, &to->io_written,
					  &to->stored_read,
					  &to->stored_written };

	read_io("/proc/thread-self/io", own);
	read_io("/proc/self/io", all);
	for (int i = 0; i < IO_SUMS; i++)
		*sums[i] = (all[i] > own[i] ? all[i] - own[i] : 0) - *sums[i];
}

uint64_t process_children_cpu_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		return 0;
	return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

uint64_t process_clock(void)
{
	return timebase_clock(CLOCK_MONOTONIC);
}

/*
 * Linux 5.9 has a call for it, whose number older headers lack.  The limit of
 * descriptors is no bound for a loop: it is a thousand million in containers.
 */
void process_close_from(int first)
{
	enum {
		CLOSE_RANGE = 436
	};
	const struct dirent *entry;
	DIR *open_ones;

	if (!syscall(CLOSE_RANGE, first, ~0u, 0))
		return;
	open_ones = opendir("/proc/self/fd");
	while (open_ones && (entry = readdir(open_ones))) {
		int fd = atoi(entry->d_name);

		if (isdigit((unsigned char)*entry->d_name) && fd >= first &&
		    fd != dirfd(open_ones))
			close(fd);
	}
	if (open_ones)
		closedir(open_ones);
}

/* The environment without what has programs measured; to be freed. */
static char **plain_environment(void)
{
	size_t count = 0, kept = 0;
	char **to;

	while (environ[count])
		count++;
	to = calloc(count + 1, sizeof(*to));
	for (size_t i = 0; to && i < count; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			to[kept++] = environ[i];
	return to;
}

pid_t process_spawn(const char *const argv[], int output)
{
	char **env = plain_environment();
	posix_spawn_file_actions_t files;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (output < 0)
		posix_spawn_file_actions_addopen(&files, 1, "/dev/null",
						 O_WRONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&files, output, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (!env ||
	    posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, env))
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	free(env);
	return pid;
}
