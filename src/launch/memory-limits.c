/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-limits.c - see memory-limits.h. */
#include "launch/memory-limits.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	VERSIONS = 3,
	TEXT = 8192
};

/* The files of a group, and the words of lines in them, by version. */
static const struct {
	const char *mount, *limit, *held, *peak;
	const char *refusals, *refusals_word, *kills;
	const char *cache[2];
} group_files[VERSIONS] = {
	[1] = { "/memory",
		"memory.limit_in_bytes",
		"memory.usage_in_bytes",
		"memory.max_usage_in_bytes",
		"memory.failcnt",
		NULL,
		"memory.oom_control",
		{ "total_active_file", "total_inactive_file" } },
	[2] = { "",
		"memory.max",
		"memory.current",
		"memory.peak",
		"memory.events",
		"max",
		"memory.events",
		{ "active_file", "inactive_file" } },
};

/* The number behind that word at the begin of a line; without one, the first.
 */
static uint64_t number_in(const char *text, const char *word)
{
	size_t length = word ? strlen(word) : 0;

	while (word && text && strncmp(text, word, length) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? strtoull(text + length, NULL, 10) : 0;
}

static void read_group_text(char text[TEXT], int fd)
{
	ssize_t size = fd < 0 ? 0 : pread(fd, text, TEXT - 1, 0);

	text[size > 0 ? size : 0] = 0;
}

static uint64_t read_group_number(int fd, const char *word)
{
	char text[TEXT];

	read_group_text(text, fd);
	return number_in(text, word);
}

static int open_group_file(const char *folder, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_MAX)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* 0: it has none; "max" is no number. */
static uint64_t group_limit(const char *folder, int version)
{
	int fd = open_group_file(folder, group_files[version].limit);
	uint64_t limit = read_group_number(fd, NULL);

	if (fd >= 0)
		close(fd);
	return limit;
}

/*
 * The group's path: of "N:memory:PATH", or "0::PATH" where version 1 does not
 * have memory.  Its version, or 0.
 */
static int find_own_group(const char *proc, char to[PATH_MAX])
{
	int fd = open_group_file(proc, "self/cgroup"), version = 0;
	char text[TEXT], *rest = text, *line;

	read_group_text(text, fd);
	if (fd >= 0)
		close(fd);
	while (version != 1 && (line = strsep(&rest, "\n"))) {
		char *path = strstr(line, ":/");

		if (path && !strncmp(line, "0::", 3))
			version = 2;
		else if (path && strstr(line, ":memory:"))
			version = 1;
		else
			continue;
		snprintf(to, PATH_MAX, "%s", path + 1);
	}
	return version;
}

/* A group, and what is above it up to `top`: the one with the least limit. */
static void find_least_limit(struct memory_limits *m, char *folder, size_t top,
			     char least[PATH_MAX])
{
	for (;;) {
		uint64_t limit = group_limit(folder, m->version);
		char *slash = strrchr(folder, '/');

		if (limit && limit < m->total &&
		    (!m->limit || limit < m->limit)) {
			m->limit = limit;
			strcpy(least, folder);
		}
		if (strlen(folder) <= top || !slash)
			return;
		*slash = 0;
	}
}

static void open_group(struct memory_limits *m, const char *least)
{
	m->held = open_group_file(least, group_files[m->version].held);
	m->peak = open_group_file(least, group_files[m->version].peak);
	m->refusals = open_group_file(least, group_files[m->version].refusals);
	m->stat = open_group_file(least, "memory.stat");
}

void memory_limits_open(struct memory_limits *m, const char *proc,
			const char *groups)
{
	char path[PATH_MAX] = "", folder[PATH_MAX], least[PATH_MAX];
	size_t top;

	*m = (struct memory_limits){
		.held = -1, .peak = -1, .refusals = -1, .stat = -1, .kills = -1
	};
	m->host = open_group_file(proc, "meminfo");
	m->total = read_group_number(m->host, "MemTotal:") * 1024;
	m->version = find_own_group(proc, path);
	if (strlen(groups) + strlen(path) + 64 > PATH_MAX)
		return;
	top = (size_t)snprintf(folder, sizeof(folder), "%s%s", groups,
			       group_files[m->version].mount);
	strcpy(folder + top, path);
	if (m->version && access(folder, X_OK))
		folder[top] = 0; /* a container's own may be the root here */
	m->kills = open_group_file(folder, group_files[m->version].kills);
	find_least_limit(m, folder, top, least);
	if (m->limit)
		open_group(m, least);
}

void memory_limits_close(struct memory_limits *m)
{
	const int all[] = { m->host,     m->held, m->peak,
			    m->refusals, m->stat, m->kills };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] >= 0)
			close(all[i]);
}

uint64_t memory_available(const struct memory_limits *m)
{
	return read_group_number(m->host, "MemAvailable:") * 1024;
}

/* File cache makes room when it must, and fills any group in time. */
uint64_t memory_held(const struct memory_limits *m)
{
	uint64_t held = read_group_number(m->held, NULL), cache;
	char text[TEXT];

	if (held / 3 <= m->limit / 4)
		return held;
	read_group_text(text, m->stat);
	cache = number_in(text, group_files[m->version].cache[0]) +
		number_in(text, group_files[m->version].cache[1]);
	return held > cache ? held - cache : 0;
}

uint64_t memory_peak(const struct memory_limits *m)
{
	return read_group_number(m->peak, NULL);
}

uint64_t memory_refusals(const struct memory_limits *m)
{
	return read_group_number(m->refusals,
				 group_files[m->version].refusals_word);
}

uint64_t memory_kills(const struct memory_limits *m)
{
	return read_group_number(m->kills, "oom_kill ");
}
