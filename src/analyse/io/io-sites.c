/* SPDX-License-Identifier: BSD-3-Clause */
/* io-sites.c - see io-sites.h. */
#include "analyse/io/io-sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/values.h"

enum {
	SIZES = 10
};

static const struct io_value {
	const char *metric;
	size_t member;
	double unit;
} io_values[] = {
	{ "io.calls", offsetof(struct io_sums, calls), 1 },
	{ "io.time", offsetof(struct io_sums, seconds), 1e-9 },
	{ "io.read", offsetof(struct io_sums, read), 1 },
	{ "io.written", offsetof(struct io_sums, written), 1 },
	{ "io.calls.other", offsetof(struct io_sums, others), 1 },
	{ "io.time.other", offsetof(struct io_sums, other_seconds), 1e-9 },
};

enum {
	IO_VALUES = sizeof(io_values) / sizeof(*io_values)
};

static double *sum_of(struct io_sums *sums, const struct io_value *v)
{
	return (double *)((char *)sums + v->member);
}

static bool is_for_files(const struct run_node *n)
{
	return n->kind == RUN_IO ||
	       (n->kind == RUN_MPI && n->detail == LIVE_MPI_IO);
}

static int add_up_ranks(struct io_sites *s, const struct io_value *v,
			const struct run_metric *m)
{
	const struct run *run = s->paths->run;
	uint64_t *sums = calloc(run->rank_count + 1, sizeof(*sums));
	struct value_buffer buffer = { 0 };
	int err = sums ? 0 : no_memory();

	for (uint32_t n = 1; n < run->node_count && !err; n++)
		if (is_for_files(&run->nodes[n]))
			err = values_add_up(run, m, n, &buffer, sums);
	for (size_t r = 0; r < run->rank_count && !err; r++)
		*sum_of(&s->ranks[r], v) += (double)sums[r] * v->unit;
	value_buffer_fini(&buffer);
	free(sums);
	return err;
}

static void add_site_of(struct io_sites *s, uint32_t node)
{
	const struct run *run = s->paths->run;
	const struct run_node *n = &run->nodes[node];
	const struct run_metric *longest = run_metric(run, "io.time.max");
	struct io_site one = { .path = s->paths->of[node],
			       .kind = n->kind == RUN_IO ? n->detail
							 : LIVE_IO_KINDS };

	for (int i = 0; i < IO_VALUES; i++) {
		const struct run_metric *m =
			run_metric(run, io_values[i].metric);
		double value = m ? value_node(m, node) : 0;

		*sum_of(&one.sums, &io_values[i]) = value;
		*sum_of(&s->total, &io_values[i]) += value;
	}
	if (longest)
		one.sums.longest = value_extreme(longest, node);
	if (one.sums.calls > 0)
		s->at[s->count++] = one;
	if (one.sums.longest > s->total.longest)
		s->total.longest = one.sums.longest;
}

ORDER_BY(by_io_time, struct io_site, DESC(sums.seconds) ?: ASC(path))

int io_sites_init(struct io_sites *s, const struct paths *paths)
{
	const struct run *run = paths->run;
	int err = 0;

	*s = (struct io_sites){
		.paths = paths,
		.at = calloc(run->node_count + 1, sizeof(*s->at)),
		.ranks = calloc(run->rank_count + 1, sizeof(*s->ranks)),
	};
	if (!s->at || !s->ranks)
		err = no_memory();
	for (uint32_t n = 1; n < run->node_count && !err; n++)
		if (is_for_files(&run->nodes[n]))
			add_site_of(s, n);
	for (int i = 0; i < IO_VALUES && !err && s->count; i++) {
		const struct run_metric *m =
			run_metric(run, io_values[i].metric);

		if (m)
			err = add_up_ranks(s, &io_values[i], m);
	}
	if (err)
		io_sites_fini(s);
	else
		qsort(s->at, s->count, sizeof(*s->at), by_io_time);
	return err;
}

void io_sites_fini(struct io_sites *s)
{
	free(s->at);
	free(s->ranks);
	*s = (struct io_sites){ 0 };
}

static double sum_of_sizes(const uint64_t *sizes)
{
	double sum = 0;

	for (int i = 0; i < SIZES; i++)
		sum += (double)sizes[i];
	return sum;
}

bool io_file_is_one(const struct run_file *f)
{
	return f->kind == LIVE_FILE;
}

double io_file_reads(const struct run_file *f)
{
	return sum_of_sizes(&f->reads_100);
}

double io_file_writes(const struct run_file *f)
{
	return sum_of_sizes(&f->writes_100);
}

double io_file_seconds(const struct run_file *f)
{
	return ((double)f->read_ns + (double)f->write_ns +
		(double)f->other_ns) /
	       1e9;
}

static bool is_path_below(const struct paths *paths, uint32_t path,
			  uint32_t above)
{
	while (path && path != above)
		path = paths->at[path].parent;
	return path == above;
}

char *io_files_below(const struct paths *paths, uint32_t path)
{
	const struct run *run = paths->run;
	const struct run_file *most = NULL;
	uint64_t read = 0, written = 0;
	size_t others = 0;
	char bytes[32], more[48] = "";

	for (size_t i = 0; path && i < run->io.file_count; i++) {
		const struct run_file *f = &run->io.files[i];
		bool reads =
			is_path_below(paths, paths->of[f->read_node], path);
		bool writes =
			is_path_below(paths, paths->of[f->write_node], path) ||
			(f->syncs &&
			 is_path_below(paths, paths->of[f->other_node], path));

		if (!io_file_is_one(f) || (!reads && !writes))
			continue;
		read += reads ? f->read_bytes : 0;
		written += writes ? f->written_bytes : 0;
		others += most != NULL;
		most = most ? most : f;
	}
	if (!most)
		return strdup("");
	if (others)
		snprintf(more, sizeof(more), " and %zu other%s", others,
			 others > 1 ? "s" : "");
	return str_format(
		", %s %s %s%s",
		phrase_bytes(bytes, (double)(written > read ? written : read)),
		written > read ? "to" : "from",
		str_at(&run->strings, most->path), more);
}
