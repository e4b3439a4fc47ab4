/* SPDX-License-Identifier: BSD-3-Clause */
/* source-lines.c - choose lines, and read them from their files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/paths/groups.h"
#include "analyse/paths/source-lines.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"

enum {
	HOTTEST = 40, /* lines */
	AROUND = 6,   /* before and behind each */
	LONGEST = 400 /* bytes of one */
};

struct hot_line {
	uint32_t file, line, module;
};

ORDER_BY(by_hot_place, struct hot_line, ASC(file) ?: ASC(line))

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

static bool is_near_hot_line(const struct hot_line *hot, size_t count,
			     uint32_t line)
{
	for (size_t i = 0; i < count; i++)
		if (line + AROUND >= hot[i].line &&
		    line <= hot[i].line + AROUND)
			return true;
	return false;
}

static int keep_line(struct source_file *f, uint32_t number, const char *text,
		     size_t length)
{
	struct source_line line = {
		number, strndup(text, length < LONGEST ? length : LONGEST)
	};

	if (!line.text)
		return no_memory();
	if (array_append(&f->lines, &f->count, &f->room, sizeof(line), &line))
		return 0;
	free(line.text);
	return -ENOMEM;
}

/* No compiler takes these bytes. */
static bool is_source_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < '\t')
			return false;
	return true;
}

/* -EINVAL with a reason: that is not what was compiled. */
static int take_lines_around_hot(struct source_file *f, const char *text,
				 size_t size, const struct hot_line *hot,
				 size_t count)
{
	const char *end = text + size;
	uint32_t last = hot[count - 1].line, number = 0;
	int err = 0;

	if (!is_source_text(text, size))
		return fail(-EINVAL, "it is no text");
	while (!err && text < end && number < last + AROUND) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((next ? next : end) - text);

		if (is_near_hot_line(hot, count, ++number))
			err = keep_line(f, number, text, length);
		text += length + 1;
	}
	if (!err && number < last)
		return fail(-EINVAL,
			    "it has %u lines, and line %u took time: another "
			    "one was compiled",
			    number, last);
	return err;
}

static int read_source(struct source_file *f, int fd, size_t size,
		       const struct hot_line *hot, size_t count)
{
	char *text = malloc(size + 1);
	size_t got = 0;
	ssize_t n = 1;
	int err;

	if (!text)
		return no_memory();
	while (got < size && (n = read(fd, text + got, size - got)) > 0)
		got += (size_t)n;
	err = n < 0 ? fail(-EIO, "%s", strerror(errno))
		    : take_lines_around_hot(f, text, got, hot, count);
	free(text);
	return err;
}

static void drop_lines(struct source_file *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->lines[i].text);
	free(f->lines);
	f->lines = NULL;
	f->count = 0;
}

/* A file that stays out is no failure. */
static int add_source_file(struct source_lines *s, const struct run *run,
			   const struct hot_line *hot, size_t count)
{
	struct source_file *f = &s->files[s->count++];
	char path[PATH_MAX];
	struct stat st;
	int err = 0, fd;

	fd = source_open(str_at(&run->strings, hot->file),
			 str_at(&run->strings, hot->module), path, &st);
	f->name = hot->file;
	if (fd >= 0)
		err = read_source(f, fd, (size_t)st.st_size, hot, count);
	if (fd < 0 || err) {
		drop_lines(f);
		f->refused = strdup(fail_reason());
	} else {
		f->path = strdup(path);
		f->changed = (uint64_t)st.st_mtime >
			     run->ranks[0].start_real_ns / 1000000000;
	}
	if (fd >= 0)
		close(fd);
	return f->refused || f->path ? 0 : no_memory();
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
		drop_lines(&s->files[i]);
		free(s->files[i].path);
		free(s->files[i].refused);
	}
	free(s->files);
	*s = (struct source_lines){ 0 };
}
