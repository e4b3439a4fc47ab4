/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * speedscope.c - call paths as speedscope's JSON: a profile for each of a few
 * metrics over all processes, then one for each chosen process, then what these
 * were in most of each bin of the timeline.
 *
 * A frame is a function, with its most expensive line as copse report hotspots
 * has it.  A sample is a call path, its weight the value: nanoseconds, bytes or
 * a count, whole, so that sums are exact.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/groups.h"
#include "base/err.h"
#include "base/map.h"
#include "base/round.h"
#include "format/format.h"
#include "format/quote.h"
#include "run/call-paths.h"
#include "run/values.h"

struct speedscope {
	FILE *to;
	const struct run *run;
	struct paths paths;
	struct groups groups;
	uint32_t *frame;  /* of each path: the group of its function */
	uint64_t *weight; /* of each path, in the profile that is written */
	uint32_t *chain;  /* of paths: one and its callers */
	size_t written;   /* profiles */
};

static int speedscope_init(struct speedscope *s, FILE *to,
			   const struct run *run,
			   const struct run_metric *metric)
{
	struct map map = { 0 };
	int err;

	*s = (struct speedscope){ .to = to, .run = run };
	err = paths_init(&s->paths, run);
	if (!err)
		err = groups_init(&s->groups, run, metric, false);
	if (err)
		return err;
	s->frame = calloc(s->paths.count + 1, sizeof(*s->frame));
	s->weight = calloc(s->paths.count + 1, sizeof(*s->weight));
	s->chain = calloc(s->paths.count + 1, sizeof(*s->chain));
	if (!s->frame || !s->weight || !s->chain)
		return no_memory();
	for (uint32_t i = 0; i < s->groups.count; i++) {
		const struct group *g = &s->groups.at[i];

		if (map_put(&map, (uint64_t)g->function << 32 | g->module, 0,
			    i) == MAP_NONE)
			err = no_memory();
	}
	for (size_t p = 0; p < s->paths.count && !err; p++) {
		const struct run_node *n = &run->nodes[s->paths.at[p].node];

		s->frame[p] = map_get(
			&map, (uint64_t)n->function << 32 | n->module, 0);
	}
	map_fini(&map);
	return err;
}

static void speedscope_fini(struct speedscope *s)
{
	free(s->frame);
	free(s->weight);
	free(s->chain);
	groups_fini(&s->groups);
	paths_fini(&s->paths);
}

/* The file of its source, else its module: what tells it from namesakes. */
static void write_speedscope_frame(const struct speedscope *s,
				   const struct group *g)
{
	const struct strings *strings = &s->run->strings;
	const char *name = str_at(strings, g->function);
	const char *file = str_at(strings, g->file ? g->file : g->module);

	fputs("{\"name\": ", s->to);
	quote_json(s->to, *name ? name : "(no call path)");
	if (*file) {
		fputs(", \"file\": ", s->to);
		quote_json(s->to, file);
	}
	if (g->file && g->line)
		fprintf(s->to, ", \"line\": %" PRIu32, g->line);
	fputc('}', s->to);
}

static void write_speedscope_head(const struct speedscope *s)
{
	fputs("{\"$schema\": "
	      "\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\": \"copse " PACKAGE_VERSION "\",\n\"name\": ",
	      s->to);
	quote_json(s->to, str_at(&s->run->strings, s->run->command));
	fputs(",\n\"activeProfileIndex\": 0,\n\"shared\": {\"frames\": [",
	      s->to);
	for (size_t i = 0; i < s->groups.count; i++) {
		fputs(i ? ",\n" : "\n", s->to);
		write_speedscope_frame(s, &s->groups.at[i]);
	}
	fputs("]},\n\"profiles\": [", s->to);
}

/* The path itself comes last, its callers before it. */
static void write_speedscope_stack(const struct speedscope *s, uint32_t path)
{
	size_t count = paths_chain(&s->paths, path, s->chain);

	while (count-- > 0)
		fprintf(s->to, "%" PRIu32 "%s", s->frame[s->chain[count]],
			count ? "," : "");
}

static uint64_t write_speedscope_samples(const struct speedscope *s)
{
	const char *between = "";
	uint64_t total = 0;

	fputs(",\n\"samples\": [", s->to);
	for (uint32_t p = 0; p < s->paths.count; p++) {
		if (!s->weight[p])
			continue;
		fprintf(s->to, "%s[", between);
		write_speedscope_stack(s, p);
		fputc(']', s->to);
		between = ",\n";
		total += s->weight[p];
	}
	between = "";
	fputs("],\n\"weights\": [", s->to);
	for (uint32_t p = 0; p < s->paths.count; p++) {
		if (!s->weight[p])
			continue;
		fprintf(s->to, "%s%" PRIu64, between, s->weight[p]);
		between = ", ";
	}
	return total;
}

static const char *speedscope_unit(enum unit unit)
{
	if (unit == UNIT_NS)
		return "nanoseconds";
	return unit == UNIT_BYTES ? "bytes" : "none";
}

static void begin_speedscope_profile(struct speedscope *s, const char *name,
				     enum unit unit)
{
	fputs(s->written++ ? ",\n" : "\n", s->to);
	fputs("{\"type\": \"sampled\", \"name\": ", s->to);
	quote_json(s->to, name);
	fprintf(s->to, ", \"unit\": \"%s\"", speedscope_unit(unit));
}

/* Takes the weights, and leaves all 0. */
static void write_speedscope_profile(struct speedscope *s, const char *of,
				     const struct run_metric *metric)
{
	uint64_t total;

	begin_speedscope_profile(s, of, metric->unit);
	total = write_speedscope_samples(s);
	fprintf(s->to, "],\n\"startValue\": 0, \"endValue\": %" PRIu64 "}",
		total);
	memset(s->weight, 0, s->paths.count * sizeof(*s->weight));
}

static int write_speedscope_sum(struct speedscope *s,
				const struct run_metric *metric)
{
	char extent[32];
	char *name = str_format("%s, %s", metric->name,
				processes_extent(extent, s->run));

	if (!name)
		return no_memory();
	for (size_t n = 0; n < s->run->node_count; n++)
		s->weight[s->paths.of[n]] +=
			round_to_count(metric->stats[n].sum);
	write_speedscope_profile(s, name, metric);
	free(name);
	return 0;
}

static int write_speedscope_rank(struct speedscope *s,
				 const struct run_metric *metric,
				 const struct rank_pick *pick,
				 struct value_buffer *buffer)
{
	const struct run_value *values;
	size_t count;
	char *name = str_format(
		"%s, %s %" PRIu64 "%s%s", metric->name, processes_noun(s->run),
		processes_number(s->run, pick->process), pick->why ? ": " : "",
		pick->why ? pick->why : "");
	int err = values_of_rank(s->run, (size_t)(metric - s->run->metrics),
				 pick->process, buffer, &values, &count);

	if (!err && !name)
		err = no_memory();
	for (size_t i = 0; i < count && !err; i++)
		s->weight[s->paths.of[values[i].rank]] += values[i].value;
	if (!err)
		write_speedscope_profile(s, name, metric);
	free(name);
	return err;
}

/*
 * What a thread was in, bin after bin of the timeline, for the view in the
 * order of time.
 */

static uint32_t cell_path(const struct speedscope *s,
			  const struct run_time_cell *cell)
{
	return cell->known ? s->paths.of[cell->node] : 0;
}

static void write_speedscope_cells(const struct speedscope *s,
				   const struct run_time_row *row)
{
	const struct run_timeline *line = &s->run->timeline;
	uint64_t width = line->axes[0].width_ns;

	fputs(",\n\"samples\": [", s->to);
	for (uint32_t c = 0; c < row->cells; c++) {
		fputs(c ? ",\n[" : "[", s->to);
		write_speedscope_stack(
			s, cell_path(s, &line->cells[row->first + c]));
		fputc(']', s->to);
	}
	fputs("],\n\"weights\": [", s->to);
	for (uint32_t c = 0; c < row->cells; c++)
		fprintf(s->to, "%s%" PRIu64, c ? ", " : "", width);
	fprintf(s->to, "],\n\"startValue\": 0, \"endValue\": %" PRIu64 "}",
		width * row->cells);
}

static int write_speedscope_row(struct speedscope *s,
				const struct run_time_row *row)
{
	char *name =
		str_format("over time, %s %" PRIu64 ", thread %" PRIu32,
			   processes_noun(s->run),
			   processes_number(s->run, row->rank), row->number);

	if (!name)
		return no_memory();
	begin_speedscope_profile(s, name, UNIT_NS);
	write_speedscope_cells(s, row);
	free(name);
	return 0;
}

static int write_speedscope_rows(struct speedscope *s, uint32_t process)
{
	const struct run_timeline *line = &s->run->timeline;
	int err = 0;

	for (size_t i = 0; i < line->row_count && !err; i++)
		if (line->rows[i].rank == process && line->axis_count &&
		    line->rows[i].kind == RUN_TIME_THREAD)
			err = write_speedscope_row(s, &line->rows[i]);
	return err;
}

/* What is sampled, or was asked for, comes first; then times of other kinds. */
static int write_speedscope_sums(struct speedscope *s,
				 const struct run_metric *first, bool chosen)
{
	static const char *const others[] = { "cpu.time", "mpi.time",
					      "gpu.time", "gpu.idle" };
	int err = write_speedscope_sum(s, first);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !err; i++) {
		const struct run_metric *m = run_metric(s->run, others[i]);

		if (!chosen && m && m != first)
			err = write_speedscope_sum(s, m);
	}
	return err;
}

static int write_speedscope(FILE *to, const struct run *run,
			    const struct format_choice *choice)
{
	const struct analysis_options options = { .metric = choice->metric };
	const struct run_metric *m = analysis_metric(run, &options, NULL);
	const struct rank_choice *ranks = choice->ranks;
	struct value_buffer buffer = { 0 };
	struct speedscope s;
	int err;

	if (!m)
		return -EINVAL;
	err = speedscope_init(&s, to, run, m);
	if (!err)
		write_speedscope_head(&s);
	if (!err && !choice->by_rank)
		err = write_speedscope_sums(&s, m, choice->metric);
	for (size_t i = 0; i < ranks->count && !err; i++)
		if (choice->by_rank || run->rank_count > 1)
			err = write_speedscope_rank(&s, m, &ranks->at[i],
						    &buffer);
	for (size_t i = 0; i < ranks->count && !err; i++)
		if (!choice->metric)
			err = write_speedscope_rows(&s, ranks->at[i].process);
	if (!err)
		fputs("]}\n", to);
	value_buffer_fini(&buffer);
	speedscope_fini(&s);
	return err;
}

const struct format format_speedscope = {
	.name = "speedscope",
	.help = "JSON for speedscope: flame graphs of all and of chosen ranks",
	.write_run = write_speedscope,
	.by_metric = true,
	.by_rank = true,
	.apart = 16,
};
