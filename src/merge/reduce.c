/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - up the tree of processes with trees, and down with numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "merge/duplicate-files.h"
#include "run/run-blob.h"
#include "merge/reduce.h"
#include "merge/unify-tree.h"
#include "run/values.h"

struct reduced {
	int from;        /* process */
	uint32_t *nodes; /* what its nodes became here */
	size_t node_count;
	size_t first, count; /* entries of the run here */
};

void reduce_fini(struct merging *m)
{
	for (size_t i = 0; i < m->reduced_count; i++)
		free(m->reduced[i].nodes);
	free(m->reduced);
	m->reduced = NULL;
	m->reduced_count = 0;
}

/*
 * Up.
 */

static int pack(const struct merging *m, struct blob *to)
{
	run_pack(m->run, to);
	blob_put(to, m->jobs, m->job_count, sizeof(*m->jobs));
	match_pack(&m->parts, to);
	steps_pack(&m->steps, to);
	traffic_pack(&m->traffic, to);
	thread_groups_pack(&m->threads, to);
	gpu_rows_pack(&m->gpu_rows, to);
	return blob_error(to);
}

static int send_up(struct merging *m, int to)
{
	struct blob blob = { 0 };
	int err = unify_pack(m->unify, &blob);

	if (!err)
		err = pack(m, &blob);
	match_fini(&m->parts);
	steps_fini(&m->steps);
	traffic_fini(&m->traffic);
	thread_groups_fini(&m->threads);
	gpu_rows_fini(&m->gpu_rows);
	if (!err)
		err = m->team->send(m->team, to, &blob);
	blob_fini(&blob);
	return err;
}

static int absorb_jobs(struct merging *m, struct blob *from,
		       const uint32_t *strings)
{
	size_t count;
	const struct merged_job *at = blob_get(from, &count, sizeof(*at));
	int err = at ? 0 : pack_error(from);

	for (size_t i = 0; i < count && !err; i++) {
		struct merged_job job = at[i];

		job.key = strings[job.key];
		err = merging_job(m, &job);
	}
	return err;
}

static int add_gpu_profile(void *of, const struct profile *p, uint32_t process,
			   const uint32_t *nodes)
{
	return merging_gpu(of, p, process, nodes);
}

static int absorb(struct merging *m, struct blob *from, struct reduced *r)
{
	const struct gpu_rows_user gpus = { add_gpu_profile, m };
	uint32_t first = (uint32_t)m->run->rank_count, *strings = NULL;
	int err = unify_absorb(m->unify, from, &r->nodes, &r->node_count);

	if (!err)
		err = run_absorb(m->run, from, &strings);
	if (!err)
		err = absorb_jobs(m, from, strings);
	if (!err)
		err = match_absorb(&m->parts, from, first, r->nodes);
	if (!err)
		err = steps_absorb(&m->steps, from, first, r->nodes);
	if (!err)
		err = traffic_absorb(&m->traffic, from, first, r->nodes);
	if (!err)
		err = thread_groups_absorb(&m->threads, from, first, r->nodes);
	if (!err)
		err = gpu_rows_absorb(from, first, r->nodes, &gpus);
	free(strings);
	r->first = first;
	r->count = m->run->rank_count - first;
	return err;
}

static int receive_from(struct merging *m, int from)
{
	struct reduced *at;
	struct blob blob = { 0 };
	int err;

	if (!ARRAY_RESIZE(m->reduced, m->reduced_count + 1))
		return no_memory();
	at = &m->reduced[m->reduced_count++];
	*at = (struct reduced){ .from = from };
	err = m->team->receive(m->team, from, &blob);
	if (!err)
		err = absorb(m, &blob, at);
	blob_fini(&blob);
	return err;
}

int reduce(struct merging *m)
{
	int size = team_size(m->team);
	int err = size > 1 ? match_agree(&m->parts, m->team) : 0;

	for (int step = 1; step < size && !err; step *= 2) {
		if (m->team->rank % (2 * step))
			return send_up(m, m->team->rank - step);
		if (m->team->rank + step < size)
			err = receive_from(m, m->team->rank + step);
	}
	return err;
}

/*
 * The root tells.
 */

/*
 * `what` is told when the root has not failed; and that it has only where the
 * others are sure to be listening.
 */
static int tell_team(struct merging *m, int err, struct blob *what)
{
	struct blob word = { 0 };
	int64_t told = err;

	if (!m->team || err == -ENOMEM || err == -EPROTO)
		return err;
	blob_put(&word, &told, 1, sizeof(told));
	if (m->team->share(m->team, &word) ||
	    !blob_get_one(&word, &told, sizeof(told)))
		told = -EPROTO;
	blob_fini(&word);
	m->team->over = m->told = told;
	if (told)
		return err ? err : fail(-ECANCELED, "the first process failed");
	return m->team->share(m->team, what);
}

int reduce_tell_inputs(struct merging *m, int err)
{
	struct blob list = { 0 };

	inputs_pack(&m->inputs, &list);
	if (!err)
		err = blob_error(&list);
	err = tell_team(m, err, &list);
	if (!err && !team_is_root(m->team))
		err = inputs_unpack(&m->inputs, &list);
	blob_fini(&list);
	return err;
}

static int hear_choice(struct merging *m, struct blob *word, char **wanted,
		       bool *copies)
{
	const char *text = blob_get_text(word);

	if (!text || !blob_get_one(word, copies, sizeof(*copies)))
		return pack_error(word);
	if (*text)
		*wanted = strdup(text);
	if (*text && !*wanted)
		return no_memory();
	return *copies ? copies_unpack(&m->inputs, word) : 0;
}

int reduce_tell_choice(struct merging *m, int err, char **wanted, bool *copies)
{
	struct blob word = { 0 };

	blob_put_text(&word, *wanted ? *wanted : "");
	blob_put(&word, copies, 1, sizeof(*copies));
	if (*copies)
		copies_pack(&m->inputs, &word);
	if (!err)
		err = blob_error(&word);
	err = tell_team(m, err, &word);
	if (!err && !team_is_root(m->team))
		err = hear_choice(m, &word, wanted, copies);
	blob_fini(&word);
	return err;
}

/*
 * Down.
 */

struct outline { /* of the run */
	uint64_t nodes, ranks, members;
};

struct outline_metric {
	char name[56];
	uint32_t unit, merge;
};

static void put_outline(const struct run *run, struct blob *to)
{
	struct outline outline = { run->node_count, run->rank_count,
				   run->member_count };
	uint64_t metrics = run->metric_count;

	blob_put(to, &outline, 1, sizeof(outline));
	blob_put(to, &metrics, 1, sizeof(metrics));
	for (size_t i = 0; i < run->metric_count; i++) {
		struct outline_metric m = { .unit = run->metrics[i].unit,
					    .merge = run->metrics[i].merge };

		memcpy(m.name, run->metrics[i].name, sizeof(m.name));
		blob_put(to, &m, 1, sizeof(m));
	}
}

/* What the numbers of a process, and of those behind it, became. */
static int send_down(struct merging *m, const struct reduced *r,
		     const uint32_t *became, const uint32_t *order)
{
	uint32_t *theirs = calloc(r->node_count + 1, sizeof(*theirs));
	struct blob blob = { 0 };
	int err = theirs ? 0 : no_memory();

	for (size_t i = 0; i < r->node_count && !err; i++)
		theirs[i] = became[r->nodes[i]];
	if (!err) {
		blob_put(&blob, theirs, r->node_count, sizeof(*theirs));
		blob_put(&blob, order + r->first, r->count, sizeof(*order));
		err = blob_error(&blob);
	}
	if (!err)
		err = m->team->send(m->team, r->from, &blob);
	blob_fini(&blob);
	free(theirs);
	return err;
}

/* The largest part of the tree first. */
static int send_all_down(struct merging *m, const uint32_t *became,
			 const uint32_t *order)
{
	int err = 0;

	for (size_t i = m->reduced_count; i-- > 0 && !err;)
		err = send_down(m, &m->reduced[i], became, order);
	return err;
}

int reduce_tell_tree(struct merging *m, int err, const uint32_t *became,
		     const uint32_t *order)
{
	struct blob outline = { 0 };

	if (m->told)
		return err;
	if (m->team && !err)
		put_outline(m->run, &outline);
	if (!err)
		err = blob_error(&outline);
	err = tell_team(m, err, &outline);
	m->told = true;
	if (!err)
		err = send_all_down(m, became, order);
	blob_fini(&outline);
	return err;
}

static int make_reduced_metric(struct run *run, struct blob *from)
{
	struct run_metric *to = &run->metrics[run->metric_count];
	struct outline_metric metric;

	if (!blob_get_one(from, &metric, sizeof(metric)))
		return pack_error(from);
	memcpy(to->name, metric.name, sizeof(to->name));
	to->unit = metric.unit;
	to->merge = metric.merge;
	run->metric_count++;
	return 0;
}

/* A run of numbers, and the source of what this process has read. */
static int make_run(struct merging *m, struct run *run, struct blob *outline,
		    const uint32_t *became, const uint32_t *order)
{
	uint64_t metrics = 0;
	struct outline o;
	int err = 0;

	if (!blob_get_one(outline, &o, sizeof(o)) ||
	    !blob_get_one(outline, &metrics, sizeof(metrics)))
		return pack_error(outline);
	run->node_count = o.nodes;
	run->rank_count = o.ranks;
	run->member_count = o.members;
	run->metrics = calloc(metrics + 1, sizeof(*run->metrics));
	if (!run->metrics)
		return no_memory();
	for (uint64_t i = 0; i < metrics && !err; i++)
		err = make_reduced_metric(run, outline);
	if (!err)
		err = unify_give_records(m->unify, run, became, order,
					 m->run->rank_count);
	if (!err)
		run->source->threads = m->progress ? m->progress->threads : 0;
	return err;
}

static int parent_in_team(const struct team *team)
{
	int step = 1;

	while (team->rank % (2 * step) == 0)
		step *= 2;
	return team->rank - step;
}

static int hear_outline(struct merging *m, struct blob *outline)
{
	struct run *run = calloc(1, sizeof(*run));
	struct blob blob = { 0 };
	const uint32_t *became = NULL, *order = NULL;
	size_t nodes, ranks;
	int err =
		run ? m->team->receive(m->team, parent_in_team(m->team), &blob)
		    : no_memory();

	if (!err) {
		became = blob_get(&blob, &nodes, sizeof(*became));
		order = blob_get(&blob, &ranks, sizeof(*order));
		if (!order || nodes != unify_size(m->unify) ||
		    ranks != m->run->rank_count)
			err = fail(-EPROTO, "the first process knows another "
					    "tree");
	}
	if (!err)
		err = send_all_down(m, became, order);
	if (!err)
		err = make_run(m, run, outline, became, order);
	run_free(m->run);
	m->run = run;
	blob_fini(&blob);
	return err;
}

int reduce_hear_tree(struct merging *m)
{
	struct blob outline = { 0 };
	int err = tell_team(m, 0, &outline);

	if (!err)
		err = hear_outline(m, &outline);
	blob_fini(&outline);
	return err;
}
