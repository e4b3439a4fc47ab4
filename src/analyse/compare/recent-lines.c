/* SPDX-License-Identifier: BSD-3-Clause */
/* recent-lines.c - a summary as lines of text: words, then texts behind tabs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "analyse/compare/recent-summary.h"
#include "base/array.h"
#include "base/err.h"

#define FIRST_LINE "copse-top 1\n"

enum {
	ROWS_SENT = 10,
	PATHS_SENT = 6,
	TEXT_SENT = 120 /* bytes of a path */
};

/* Without what ends a field, whole characters of UTF-8, at most so many bytes.
 */
static void put_summary_field(FILE *to, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	if (size > TEXT_SENT)
		for (size = TEXT_SENT; size && (text[size] & 0xc0) == 0x80;)
			size--;
	fputc('\t', to);
	for (size_t i = 0; i < size; i++)
		fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], to);
}

static void put_sums(FILE *to, const double sums[RECENT_SUMS])
{
	for (int s = 0; s < RECENT_SUMS; s++)
		fprintf(to, " %.6g", sums[s]);
}

void recent_summary_write(FILE *to, const struct recent_summary *s)
{
	fputs(FIRST_LINE, to);
	fprintf(to, "run %u %d %zu %.6g %.6g", s->world, s->has_mpi,
		s->processes, s->seconds, s->path_seconds);
	put_sums(to, s->sums);
	for (int p = 0; p < RECENT_PARTS; p++)
		fprintf(to, " %u", s->in_mpi[p]);
	put_summary_field(to, s->command);
	for (size_t i = 0; i < s->row_count && i < ROWS_SENT; i++) {
		const struct recent_row *row = &s->rows[i];

		fprintf(to, "\nrank %llu %.6g %llu",
			(unsigned long long)row->number, row->age,
			(unsigned long long)row->memory);
		put_sums(to, row->sums);
		put_summary_field(to, row->host);
		put_summary_field(to, row->doing);
	}
	for (size_t i = 0; i < s->path_count && i < PATHS_SENT; i++) {
		fprintf(to, "\npath %.6g", s->paths[i].seconds);
		put_summary_field(to, s->paths[i].text);
	}
	fputc('\n', to);
}

/*
 * Each takes what stands next, and moves on; false: it is something else.
 */

static bool take_summary_number(char **at, double *to)
{
	char *end;

	*to = strtod(*at, &end);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

static bool take_summary_count(char **at, uint64_t most, uint64_t *to)
{
	double number;

	if (!take_summary_number(at, &number) || !(number >= 0) ||
	    number > (double)most)
		return false;
	*to = (uint64_t)number;
	return true;
}

static bool take_summary_sums(char **at, double sums[RECENT_SUMS])
{
	for (int s = 0; s < RECENT_SUMS; s++)
		if (!take_summary_number(at, &sums[s]))
			return false;
	return true;
}

/* To be freed; NULL: there is none, or no memory. */
static char *take_summary_field(char **at)
{
	size_t size;
	char *text;

	if (**at != '\t')
		return NULL;
	size = strcspn(++*at, "\t\n");
	text = strndup(*at, size);
	*at += size;
	return text;
}

static bool take_run_line(struct recent_summary *to, char *at)
{
	uint64_t world, has_mpi, processes, ranks;

	if (!take_summary_count(&at, UINT32_MAX, &world) ||
	    !take_summary_count(&at, 1, &has_mpi) ||
	    !take_summary_count(&at, UINT32_MAX, &processes) ||
	    !take_summary_number(&at, &to->seconds) ||
	    !take_summary_number(&at, &to->path_seconds) ||
	    !take_summary_sums(&at, to->sums))
		return false;
	for (int p = 0; p < RECENT_PARTS; p++) {
		if (!take_summary_count(&at, UINT32_MAX, &ranks))
			return false;
		to->in_mpi[p] = (uint32_t)ranks;
	}
	to->world = (uint32_t)world;
	to->has_mpi = has_mpi;
	to->processes = processes;
	free(to->command);
	to->command = take_summary_field(&at);
	return to->command;
}

static bool take_rank_line(struct recent_summary *to, char *at)
{
	struct recent_row row = { 0 };

	if (take_summary_count(&at, UINT32_MAX, &row.number) &&
	    take_summary_number(&at, &row.age) &&
	    take_summary_count(&at, UINT64_MAX / 2, &row.memory) &&
	    take_summary_sums(&at, row.sums)) {
		row.host = take_summary_field(&at);
		row.doing = take_summary_field(&at);
	}
	if (row.host && row.doing &&
	    array_append(&to->rows, &to->row_count, &to->row_room, sizeof(row),
			 &row))
		return true;
	free(row.host);
	free(row.doing);
	return false;
}

static bool take_path_line(struct recent_summary *to, char *at)
{
	struct recent_path path = { 0 };

	if (take_summary_number(&at, &path.seconds))
		path.text = take_summary_field(&at);
	if (path.text && array_append(&to->paths, &to->path_count,
				      &to->path_room, sizeof(path), &path))
		return true;
	free(path.text);
	return false;
}

static bool take_line(struct recent_summary *to, char *line)
{
	static const struct {
		const char *word;
		bool (*take)(struct recent_summary *to, char *at);
	} words[] = { { "run ", take_run_line },
		      { "rank ", take_rank_line },
		      { "path ", take_path_line } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(line, words[i].word, strlen(words[i].word)))
			return words[i].take(to, line + strlen(words[i].word));
	return false;
}

int recent_summary_read(struct recent_summary *to, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	bool good;

	*to = (struct recent_summary){ .hosts = 1 };
	good = getline(&line, &room, from) > 0 && !strcmp(line, FIRST_LINE);
	while (good && getline(&line, &room, from) > 0)
		good = take_line(to, line);
	free(line);
	if (good && to->command)
		return 0;
	recent_summary_fini(to);
	return -EINVAL;
}
