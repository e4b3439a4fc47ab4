/* SPDX-License-Identifier: BSD-3-Clause */
/* recent-summary.c - what a host says of its ranks, as another one reads it. */
#include "analyse/compare/recent-summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/lib/test.h"

enum {
	ROWS_TOLD = 10
};

static void add_rank(struct recent_summary *s, uint64_t number, double in_mpi,
		     const char *doing)
{
	struct recent_row row = { .number = number,
				  .age = number % 2 ? 0.5 : NAN,
				  .memory = number << 20,
				  .host = strdup("oak"),
				  .doing = strdup(doing) };

	row.sums[RECENT_MPI] = in_mpi;
	s->in_mpi[(int)(in_mpi * (RECENT_PARTS - 1))]++;
	s->processes++;
	CHECK(array_append(&s->rows, &s->row_count, &s->row_room, sizeof(row),
			   &row),
	      ==, true);
}

static void add_path(struct recent_summary *s, double seconds, const char *text)
{
	struct recent_path path = { seconds, strdup(text) };

	s->path_seconds += seconds;
	CHECK(array_append(&s->paths, &s->path_count, &s->path_room,
			   sizeof(path), &path),
	      ==, true);
}

static struct recent_summary made_summary(uint64_t first, double late)
{
	struct recent_summary s = { .hosts = 1,
				    .world = 40,
				    .has_mpi = true,
				    .seconds = 2,
				    .command = strdup("app\twith\nall") };

	for (uint64_t i = 0; i < 20; i++)
		add_rank(&s, first + i, i == 7 ? late : 0.9, "solve ← main");
	add_path(&s, 3, "solve ← main");
	add_path(&s, 1, first ? "write ← main" : "read ← main");
	recent_summary_sort(&s);
	return s;
}

static int pass_on(struct recent_summary *to, const struct recent_summary *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int err;

	recent_summary_write(file, s);
	fclose(file);
	CHECK(size, <, (size_t)2000);
	file = fmemopen(text, size, "r");
	err = recent_summary_read(to, file);
	fclose(file);
	free(text);
	return err;
}

static int read_text(const char *text)
{
	struct recent_summary s;
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = recent_summary_read(&s, file);

	fclose(file);
	if (!err)
		recent_summary_fini(&s);
	return err;
}

TEST(a_host_passes_its_first_ranks_on)
{
	struct recent_summary s = made_summary(0, 0.1), t;

	CHECK(pass_on(&t, &s), ==, 0);
	CHECK(strcmp(t.command, "app with all"), ==, 0);
	CHECK(t.row_count, ==, (size_t)ROWS_TOLD);
	CHECK(t.processes, ==, (size_t)20);
	CHECK(t.rows[0].number, ==, (uint64_t)7);
	CHECK(t.rows[0].age, ==, 0.5);
	CHECK(isnan(t.rows[1].age), !=, 0);
	CHECK(strcmp(t.rows[0].doing, "solve ← main"), ==, 0);
	CHECK(t.path_count, ==, (size_t)2);
	recent_summary_fini(&s);
	recent_summary_fini(&t);
}

TEST(hosts_add_up)
{
	struct recent_summary s = made_summary(0, 0.3);
	struct recent_summary t = made_summary(20, 0.1);

	CHECK(recent_summary_add(&s, &t), ==, 0);
	recent_summary_sort(&s);
	CHECK(s.processes, ==, (size_t)40);
	CHECK(s.hosts, ==, (size_t)2);
	CHECK(s.rows[0].number, ==, (uint64_t)27);
	CHECK(s.rows[1].number, ==, (uint64_t)7);
	CHECK(s.path_count, ==, (size_t)3);
	CHECK(s.paths[0].seconds, ==, 6.0);
	CHECK(s.path_seconds, ==, 8.0);
	CHECK(recent_half_in_mpi(&s), ==, 0.85);
	CHECK(t.row_count, ==, (size_t)0);
	recent_summary_fini(&s);
}

TEST(what_is_no_summary_is_refused)
{
	static const char *const texts[] = {
		"",
		"copse-top 2\nrun 1",
		"copse-top 1\n",
		"copse-top 1\nrun 4 1 2 1.0\n",
		"copse-top 1\nrank 1 2 3\n",
		"copse-top 1\npath 1 solve\n",
		"copse-top 1\nand more\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK(read_text(*texts[i] ? texts[i] : "\n"), ==, -EINVAL);
}
