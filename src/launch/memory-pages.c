/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-pages.c - see memory-pages.h. */
#include "launch/memory-pages.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES = 64
};

static FILE *open_in(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX
		       ? fopen(path, "re")
		       : NULL;
}

static void add_huge_line(uint64_t *sum, const char *line)
{
	static const char *const words[] = {
		"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:",
		"Shared_Hugetlb:", "Private_Hugetlb:"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(line, words[i], strlen(words[i])))
			*sum += strtoull(line + strlen(words[i]), NULL, 10)
				<< 10;
}

/* "0-3,8": cores. */
static void read_core_list(cpu_set_t *to, const char *text)
{
	CPU_ZERO(to);
	for (;; text++) {
		char *end;
		unsigned long core = strtoul(text, &end, 10), last = core;

		if (end == text)
			return;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; core <= last && core < CPU_SETSIZE; core++)
			CPU_SET(core, to);
		text = end;
		if (*text != ',')
			return;
	}
}

/* The cores that a line with that word says; false: there is none. */
static bool find_core_list(cpu_set_t *to, FILE *f, const char *word)
{
	char line[4096];

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word))) {
			read_core_list(to, line + strlen(word));
			return true;
		}
	return false;
}

/* Bit N: the process may not run on node N. */
static uint64_t far_nodes(const char *process, const char *nodes)
{
	FILE *status = open_in(process, "status");
	cpu_set_t allowed, cores;
	uint64_t far = 0;
	bool known = status &&
		     find_core_list(&allowed, status, "Cpus_allowed_list:\t");

	if (status)
		fclose(status);
	for (int n = 0; known && n < NODES; n++) {
		char name[32];
		FILE *f;

		snprintf(name, sizeof(name), "node%d/cpulist", n);
		f = open_in(nodes, name);
		if (!f)
			continue;
		if (!find_core_list(&cores, f, ""))
			CPU_ZERO(&cores);
		fclose(f);
		CPU_AND(&cores, &cores, &allowed);
		if (!CPU_COUNT(&cores))
			far |= (uint64_t)1 << n;
	}
	return far;
}

/* "7f… default anon=9 N0=4 N1=5 kernelpagesize_kB=4" */
static uint64_t far_bytes_of(const char *line, uint64_t far)
{
	const char *size = strstr(line, "kernelpagesize_kB=");
	uint64_t pages = 0;

	for (const char *at = line; (at = strstr(at, " N")); at += 2) {
		unsigned node;
		unsigned long long count;

		if (sscanf(at, " N%u=%llu", &node, &count) == 2 &&
		    node < NODES && far >> node & 1)
			pages += count;
	}
	return size ? pages * strtoull(strchr(size, '=') + 1, NULL, 10) << 10
		    : 0;
}

static uint64_t sum_lines(const char *process, const char *name, uint64_t far)
{
	FILE *f = open_in(process, name);
	uint64_t sum = 0;
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		if (far)
			sum += far_bytes_of(line, far);
		else
			add_huge_line(&sum, line);
	free(line);
	if (f)
		fclose(f);
	return sum;
}

void memory_pages_read(struct memory_pages *to, const char *process,
		       const char *nodes)
{
	uint64_t far = far_nodes(process, nodes);

	to->huge = sum_lines(process, "smaps_rollup", 0);
	to->far = far ? sum_lines(process, "numa_maps", far) : 0;
}
