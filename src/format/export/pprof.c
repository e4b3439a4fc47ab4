/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pprof.c - a profile as pprof's protocol buffer (google/pprof's
 * proto/profile.proto), compressed by gzip.
 *
 * Each context is a sample with a value for each metric that is a sum.  What
 * the chosen ranks have stands apart, with a label that says whose it is, and
 * all others' together in samples whose label "ranks" is "other": the sum over
 * all samples is the run's.  An inlined function is a further line of its
 * caller's location.  Everything has its name already: mappings say so, and no
 * tool looks for symbols.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "base/err.h"
#include "base/round.h"
#include "format/format.h"
#include "format/export/frames.h"
#include "format/export/gzip.h"
#include "format/export/protobuf.h"
#include "run/values.h"

enum profile_field {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_FIRST_TYPE
};

struct pprof {
	const struct run *run;
	struct blob out, message, inner;
	struct strings texts;                      /* the string table */
	struct map mappings, functions, locations; /* ids, less 1 */
	struct blob stacks;                        /* packed locations, … */
	size_t *stack_at, *stack_size;     /* … of each node, once known;
					      size 0: not yet */
	struct frame *frames;              /* of a node, … */
	uint64_t *ids;                     /* … and their locations */
	const struct run_metric **metrics; /* those that are sums */
	size_t metric_count;
	uint64_t *values, *rest; /* [node][metric]: a rank's, and what is left
				    of the sum */
};

/* The number in the string table of a text of the run. */
static uint64_t pprof_text(struct pprof *p, const char *text)
{
	uint32_t number = str_add(&p->texts, text);

	p->out.exhausted |= number == STR_NONE;
	return number;
}

/* What is put into p->message, as a field of the profile. */
static void pprof_put(struct pprof *p, enum profile_field field)
{
	protobuf_message(&p->out, field, &p->message);
}

/* What Go's own profiles call it. */
static const char *pprof_name(const char *metric)
{
	static const char *const names[][2] = {
		{ "heap.allocated", "alloc_space" },
		{ "heap.allocations", "alloc_objects" },
		{ "heap.leaked", "inuse_space" },
		{ "heap.leaks", "inuse_objects" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], metric))
			return names[i][1];
	return metric;
}

static void pprof_type(struct pprof *p, enum profile_field field,
		       const struct run_metric *m)
{
	static const char *const units[] = {
		[UNIT_COUNT] = "count",
		[UNIT_NS] = "nanoseconds",
		[UNIT_BYTES] = "bytes",
	};

	protobuf_uint(&p->message, 1, pprof_text(p, pprof_name(m->name)));
	protobuf_uint(&p->message, 2, pprof_text(p, units[m->unit]));
	pprof_put(p, field);
}

/* The id of what has that key; *fresh: it is to be written. */
static uint64_t pprof_id(struct pprof *p, struct map *map, uint64_t a,
			 uint64_t b, bool *fresh)
{
	size_t before = map->count;
	uint32_t index = map_put(map, a, b, (uint32_t)before);

	p->out.exhausted |= index == MAP_NONE;
	*fresh = index != MAP_NONE && map->count > before;
	return (uint64_t)index + 1;
}

/* 0: it is in no module. */
static uint64_t pprof_mapping(struct pprof *p, uint32_t module)
{
	const char *name = str_at(&p->run->strings, module);
	bool fresh;
	uint64_t id = *name ? pprof_id(p, &p->mappings, module, 0, &fresh) : 0;

	if (!id || !fresh)
		return id;
	protobuf_uint(&p->message, 1, id);
	protobuf_uint(&p->message, 5, pprof_text(p, name));
	for (unsigned int has = 7; has <= 10; has++) /* functions, filenames, */
		protobuf_uint(&p->message, has, 1);  /* lines, inline frames */
	pprof_put(p, PROFILE_MAPPING);
	return id;
}

/*
 * Without a name in the linker's form, which go tool pprof would show instead,
 * and shorten by what is in angle brackets.
 */
static uint64_t pprof_function(struct pprof *p, const struct frame *f)
{
	const struct run_node *n = &p->run->nodes[f->node];
	bool fresh;
	uint64_t id = pprof_id(p, &p->functions, n->function,
			       (uint64_t)n->module << 32 | f->file, &fresh);

	if (!fresh)
		return id;
	protobuf_uint(&p->message, 1, id);
	protobuf_uint(&p->message, 2,
		      pprof_text(p, paths_function(p->run, f->node)));
	protobuf_uint(&p->message, 4,
		      pprof_text(p, str_at(&p->run->strings, f->file)));
	pprof_put(p, PROFILE_FUNCTION);
	return id;
}

/* A frame's own line, and those of the frames that it is inlined in. */
static void pprof_lines(struct pprof *p, const struct frame *f,
			const struct frame *end)
{
	for (bool more = true; more && f < end; f++) {
		protobuf_uint(&p->inner, 1, pprof_function(p, f));
		if (f->line)
			protobuf_uint(&p->inner, 2, f->line);
		protobuf_message(&p->message, 4, &p->inner);
		more = frame_is_inlined(p->run, f);
	}
}

/*
 * The location of a frame.  It is known by its line and by the location that
 * it is inlined in (0: in none), which has its id already, as have the
 * functions of all its lines.
 */
static uint64_t pprof_location(struct pprof *p, const struct frame *f,
			       const struct frame *end, uint64_t inlined_in)
{
	uint64_t function = pprof_function(p, f), id, mapping;
	bool fresh;

	id = pprof_id(p, &p->locations, function << 32 | f->line, inlined_in,
		      &fresh);
	if (!fresh)
		return id;
	mapping = pprof_mapping(p, p->run->nodes[f->node].module);
	protobuf_uint(&p->message, 1, id);
	if (mapping)
		protobuf_uint(&p->message, 2, mapping);
	pprof_lines(p, f, end);
	pprof_put(p, PROFILE_LOCATION);
	return id;
}

/*
 * The locations of a node's frames, which many samples may have: from the
 * outermost on they get their ids, from the innermost on they are put, without
 * those that a frame before is inlined in.
 */
static void pprof_stack(struct pprof *p, uint32_t node)
{
	bool inlined = false;
	size_t count;

	if (p->stack_size[node])
		return;
	count = frames_of_node(p->run, node, p->frames);
	for (size_t i = count; i-- > 0;) {
		const struct frame *f = &p->frames[i];

		inlined = frame_is_inlined(p->run, f) && i + 1 < count;
		p->ids[i] = pprof_location(p, f, p->frames + count,
					   inlined ? p->ids[i + 1] : 0);
	}
	p->stack_at[node] = p->stacks.size;
	inlined = false;
	for (size_t i = 0; i < count; i++) {
		if (!inlined)
			protobuf_number(&p->stacks, p->ids[i]);
		inlined = frame_is_inlined(p->run, &p->frames[i]);
	}
	p->stack_size[node] = p->stacks.size - p->stack_at[node];
}

/*
 * Whose a sample is; NULL: all others'.  Without a unit, go tool pprof takes a
 * label of number 0 for none.
 */
static void pprof_label(struct pprof *p, const struct rank_pick *pick)
{
	const struct run *run = p->run;
	bool rank = pick && run->world && pick->process < run->member_count;
	uint64_t key;

	if (run->rank_count == 1)
		return;
	key = pprof_text(p, !pick ? "ranks" : rank ? "rank" : "pid");
	protobuf_uint(&p->inner, 1, key);
	if (pick) {
		protobuf_uint(&p->inner, 3,
			      processes_number(run, pick->process));
		protobuf_uint(&p->inner, 4, key);
	} else {
		protobuf_uint(&p->inner, 2, pprof_text(p, "other"));
	}
	protobuf_message(&p->message, 3, &p->inner);
}

/* Samples of what has a value among values[], which become 0. */
static void pprof_samples(struct pprof *p, const struct rank_pick *pick,
			  uint64_t *values)
{
	for (uint32_t n = 0; n < p->run->node_count; n++) {
		uint64_t *row = &values[n * p->metric_count], any = 0;

		for (size_t m = 0; m < p->metric_count; m++)
			any |= row[m];
		if (!any)
			continue;
		pprof_stack(p, n);
		if (blob_error(&p->stacks))
			return;
		protobuf_bytes(&p->message, 1, p->stacks.at + p->stack_at[n],
			       p->stack_size[n]);
		for (size_t m = 0; m < p->metric_count; m++)
			protobuf_number(&p->inner, row[m]);
		protobuf_message(&p->message, 2, &p->inner);
		pprof_label(p, pick);
		pprof_put(p, PROFILE_SAMPLE);
		memset(row, 0, p->metric_count * sizeof(*row));
	}
}

static int pprof_rank(struct pprof *p, const struct rank_pick *pick,
		      struct value_buffer *buffer)
{
	int err = 0;

	for (size_t m = 0; m < p->metric_count && !err; m++) {
		const struct run_value *of;
		size_t count = 0;

		err = values_of_rank(p->run,
				     (size_t)(p->metrics[m] - p->run->metrics),
				     pick->process, buffer, &of, &count);
		for (size_t i = 0; i < count && !err; i++) {
			size_t at = of[i].rank * p->metric_count + m;

			p->values[at] += of[i].value;
			p->rest[at] -= of[i].value;
		}
	}
	if (!err)
		pprof_samples(p, pick, p->values);
	return err;
}

static int pprof_all_samples(struct pprof *p,
			     const struct format_choice *choice)
{
	struct value_buffer buffer = { 0 };
	int err = 0;

	for (uint32_t n = 0; n < p->run->node_count; n++)
		for (size_t m = 0; m < p->metric_count; m++)
			p->rest[n * p->metric_count + m] =
				round_to_count(p->metrics[m]->stats[n].sum);
	for (size_t i = 0; i < choice->ranks->count && !err; i++)
		err = pprof_rank(p, &choice->ranks->at[i], &buffer);
	if (!err && !choice->by_rank)
		pprof_samples(p, NULL, p->rest);
	value_buffer_fini(&buffer);
	return err;
}

/*
 * Readers take the first mapping for the program: the one whose name is in the
 * command.
 */
static void pprof_program(struct pprof *p)
{
	const struct run *run = p->run;
	const char *command = str_at(&run->strings, run->command);
	size_t length = strcspn(command, " ");
	char *program = strndup(command, length);

	p->out.exhausted |= !program;
	for (size_t n = 0; program && n < run->node_count; n++) {
		const char *module =
			str_at(&run->strings, run->nodes[n].module);

		if (*module && !strcmp(str_base(module), str_base(program))) {
			pprof_mapping(p, run->nodes[n].module);
			break;
		}
	}
	free(program);
}

/* What ran, and what is missing of it. */
static void pprof_comments(struct pprof *p)
{
	const struct run *run = p->run;
	char extent[32];

	protobuf_uint(&p->out, PROFILE_COMMENT,
		      pprof_text(p, str_at(&run->strings, run->command)));
	protobuf_uint(&p->out, PROFILE_COMMENT,
		      pprof_text(p, processes_extent(extent, run)));
	for (size_t i = 0; i < run->problem_count; i++) {
		const struct run_problem *problem = &run->problems[i];
		char *text = str_format("%s: %s",
					str_at(&run->strings, problem->source),
					str_at(&run->strings, problem->text));

		if (text)
			protobuf_uint(&p->out, PROFILE_COMMENT,
				      pprof_text(p, text));
		p->out.exhausted |= !text;
		free(text);
	}
}

static void pprof_times(struct pprof *p)
{
	const struct run *run = p->run;
	uint64_t start = UINT64_MAX, longest = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->start_real_ns < start)
			start = r->start_real_ns;
		if (r->elapsed_ns > longest)
			longest = r->elapsed_ns;
	}
	if (start != UINT64_MAX)
		protobuf_uint(&p->out, PROFILE_TIME, start);
	protobuf_uint(&p->out, PROFILE_DURATION, longest);
}

/* Behind the samples, which have named all that there is. */
static void pprof_end(struct pprof *p, const struct run_metric *first)
{
	uint64_t freq = p->run->rank_count ? p->run->ranks[0].freq : 0;

	for (size_t m = 0; m < p->metric_count; m++)
		pprof_type(p, PROFILE_TYPE, p->metrics[m]);
	pprof_times(p);
	if (run_is_sampled(first) && first->unit == UNIT_NS && freq) {
		pprof_type(p, PROFILE_PERIOD_TYPE, first);
		protobuf_uint(&p->out, PROFILE_PERIOD, 1000000000 / freq);
	}
	pprof_comments(p);
	protobuf_uint(&p->out, PROFILE_FIRST_TYPE,
		      pprof_text(p, pprof_name(first->name)));
	for (uint32_t i = 0; i < p->texts.count; i++)
		protobuf_text(&p->out, PROFILE_STRING, str_at(&p->texts, i));
}

static int pprof_init(struct pprof *p, const struct run *run)
{
	*p = (struct pprof){ .run = run };
	p->stack_at = calloc(run->node_count + 1, sizeof(*p->stack_at));
	p->stack_size = calloc(run->node_count + 1, sizeof(*p->stack_size));
	p->metrics = calloc(run->metric_count + 1, sizeof(*p->metrics));
	p->frames = calloc(run->node_count + 1, sizeof(*p->frames));
	p->ids = calloc(run->node_count + 1, sizeof(*p->ids));
	if (!p->stack_at || !p->stack_size || !p->metrics || !p->frames ||
	    !p->ids)
		return no_memory();
	for (size_t m = 0; m < run->metric_count; m++)
		if (run->metrics[m].merge == MERGE_SUM)
			p->metrics[p->metric_count++] = &run->metrics[m];
	p->values = calloc(run->node_count + 1,
			   (p->metric_count + 1) * sizeof(*p->values));
	p->rest = calloc(run->node_count + 1,
			 (p->metric_count + 1) * sizeof(*p->rest));
	if (!p->values || !p->rest || str_add(&p->texts, "") == STR_NONE)
		return no_memory();
	return 0;
}

static void pprof_fini(struct pprof *p)
{
	blob_fini(&p->out);
	blob_fini(&p->message);
	blob_fini(&p->inner);
	blob_fini(&p->stacks);
	strings_fini(&p->texts);
	map_fini(&p->mappings);
	map_fini(&p->functions);
	map_fini(&p->locations);
	free(p->stack_at);
	free(p->stack_size);
	free(p->frames);
	free(p->ids);
	free(p->metrics);
	free(p->values);
	free(p->rest);
}

static int write_pprof(FILE *to, const struct run *run,
		       const struct format_choice *choice)
{
	const struct analysis_options options = { .metric = choice->metric };
	const struct run_metric *m = analysis_metric(run, &options, NULL);
	struct pprof p;
	int err;

	if (!m)
		return -EINVAL;
	err = pprof_init(&p, run);
	if (!err)
		pprof_program(&p);
	if (!err)
		err = pprof_all_samples(&p, choice);
	if (!err) {
		pprof_end(&p, m);
		err = blob_error(&p.out);
	}
	if (!err)
		err = gzip_write(to, p.out.at, p.out.size);
	pprof_fini(&p);
	return err;
}

const struct format format_pprof = {
	.name = "pprof",
	.help = "for go tool pprof, Pyroscope, Perfetto: ranks as labels",
	.write_run = write_pprof,
	.by_metric = true,
	.by_rank = true,
	.apart = 64,
	.binary = true,
};
