/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c - read what /proc says about a process. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"

size_t proc_file(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, to, size - 1);
	close(fd);
	if (n < 0)
		n = 0;
	to[n] = 0;
	return (size_t)n;
}

uint64_t proc_stat(pid_t pid, int wanted)
{
	enum {
		AFTER_NAME = 2
	};
	char text[1024], *at;

	if (!proc_file(pid, "stat", text, sizeof(text)))
		return 0;
	at = strrchr(text, ')'); /* the name may hold anything */
	for (int field = AFTER_NAME; at && field < wanted; field++)
		at = strchr(at + 1, ' ');
	if (at && wanted > AFTER_NAME + 1)
		return strtoull(at, NULL, 10);
	return 0;
}

pid_t proc_parent(pid_t pid)
{
	return (pid_t)proc_stat(pid, 4);
}

bool proc_has_variable(pid_t pid, const char *name)
{
	size_t length = strlen(name), room = 0;
	char path[64], *line = NULL;
	bool has = false;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	from = fopen(path, "re");
	while (from && !has && getdelim(&line, &room, 0, from) > 0)
		has = !strncmp(line, name, length) && line[length] == '=';
	if (from)
		fclose(from);
	free(line);
	return has;
}
