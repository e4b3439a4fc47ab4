/* SPDX-License-Identifier: BSD-3-Clause */
/* source-lines.c - choose lines, and read them from their files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/groups.h"
#include "analyse/source-lines.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/regular.h"
#include "base/str.h"

enum {
	HOTTEST = 40,       /* lines */
	AROUND = 6,         /* before and behind each */
	LONGEST = 400,      /* bytes of one */
	LARGEST = 16 << 20, /* bytes of a file */
};

struct hot_line {
	uint32_t file, line, module;
};

static int by_hot_place(const void *x, const void *y)
{
	const struct hot_line *a = x, *b = y;

	if (a->file != b->file)
		return ORDER(a->file, b->file);
	return ORDER(a->line, b->line);
}

/* Into to[HOTTEST], by their place; how many. */
static size_t find_hot_lines(struct hot_line *to, const struct groups *groups)
{
	size_t count = 0;

	for (size_t i = 0; i < groups->count && count < HOTTEST; i++) {
		const struct group *g = &groups->at[i];

		if (g->file && g->line && g->exclusive > 0)
			to[count++] = (struct hot_line){ g->file, g->line,
							 g->module };
	}
	qsort(to, count, sizeof(*to), by_hot_place);
	return count;
}

static bool is_near(const struct hot_line *hot, size_t count, uint32_t line)
{
	for (size_t i = 0; i < count; i++)
		if (line + AROUND >= hot[i].line &&
		    line <= hot[i].line + AROUND)
			return true;
	return false;
}

static int read_near(struct source_file *f, FILE *from,
		     const struct hot_line *hot, size_t count)
{
	uint32_t last = hot[count - 1].line + AROUND, number = 0;
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int err = 0;

	while (!err && number < last &&
	       (length = getline(&text, &room, from)) > 0) {
		struct source_line line = { .number = ++number };

		if (!is_near(hot, count, number))
			continue;
		if (text[length - 1] == '\n')
			text[length - 1] = 0;
		line.text = strndup(text, LONGEST);
		if (!line.text)
			err = no_memory();
		else if (!array_append(&f->lines, &f->count, &f->room,
				       sizeof(line), &line))
			err = -ENOMEM;
	}
	free(text);
	return err;
}

/*
 * A profile is somebody's, and may name any file: what is no source stays out
 * of a page that is sent to others.
 */
static bool is_source(const char *path)
{
	static const char *const ends[] = {
		".c",   ".cc",  ".cpp", ".cxx", ".c++", ".h",   ".hh",
		".hpp", ".hxx", ".inc", ".ipp", ".tcc", ".f",   ".for",
		".f90", ".f95", ".f03", ".f08", ".F",   ".F90", ".F95",
		".F03", ".F08", ".cu",  ".cuh", ".py",  ".pyx", ".rs",
		".go",  ".jl",  ".d",   ".s",   ".S",   ".asm",
	};
	const char *dot = strrchr(str_base(path), '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

/*
 * Debug information may name a file from where the compiler ran: that is tried
 * from here, and from each folder that the program is in.
 */
static int open_from(const char *path, const char *module)
{
	int fd = regular_open(AT_FDCWD, path, O_RDONLY);
	char *folder = strdup(module), *end;

	while (fd < 0 && *path != '/' && folder &&
	       (end = strrchr(folder, '/'))) {
		char *full;

		*end = 0;
		full = str_format("%s/%s", folder, path);
		fd = full ? regular_open(AT_FDCWD, full, O_RDONLY) : -ENOMEM;
		free(full);
	}
	free(folder);
	return fd;
}

/* NULL: it cannot be read, and errno says why. */
static FILE *open_source(const char *path, const char *module, struct stat *st)
{
	int fd = is_source(path) ? open_from(path, module) : -ENOENT;
	FILE *from = fd < 0 || fstat(fd, st) || st->st_size > LARGEST
			     ? NULL
			     : fdopen(fd, "r");

	if (!from && fd >= 0)
		close(fd);
	if (!from)
		errno = fd < 0 ? -fd : EFBIG;
	return from;
}

static int add_source_file(struct source_lines *s, const struct run *run,
			   const struct hot_line *hot, size_t count)
{
	const char *path = str_at(&run->strings, hot->file);
	struct source_file *f = &s->files[s->count];
	struct stat st;
	FILE *from = open_source(path, str_at(&run->strings, hot->module), &st);
	int err;

	if (!from) {
		if (!s->why)
			s->why = str_format("%s: %s", path, strerror(errno));
		return 0;
	}
	*f = (struct source_file){ .name = hot->file };
	f->changed = (uint64_t)st.st_mtime >
		     run->ranks[0].start_real_ns / 1000000000;
	s->count++;
	err = read_near(f, from, hot, count);
	fclose(from);
	return err;
}

int source_lines_init(struct source_lines *s, const struct run *run,
		      const struct run_metric *metric)
{
	struct hot_line hot[HOTTEST];
	struct groups groups;
	size_t count, next;
	int err = groups_init(&groups, run, metric, true);

	*s = (struct source_lines){ 0 };
	if (err)
		return err;
	count = run->rank_count ? find_hot_lines(hot, &groups) : 0;
	groups_fini(&groups);
	s->files = calloc(count + 1, sizeof(*s->files));
	if (!s->files)
		return no_memory();
	for (size_t i = 0; i < count && !err; i = next) {
		for (next = i; next < count && hot[next].file == hot[i].file;)
			next++;
		err = add_source_file(s, run, &hot[i], next - i);
	}
	if (err)
		source_lines_fini(s);
	return err;
}

void source_lines_fini(struct source_lines *s)
{
	for (size_t i = 0; i < s->count; i++) {
		for (size_t k = 0; k < s->files[i].count; k++)
			free(s->files[i].lines[k].text);
		free(s->files[i].lines);
	}
	free(s->files);
	free(s->why);
	*s = (struct source_lines){ 0 };
}
