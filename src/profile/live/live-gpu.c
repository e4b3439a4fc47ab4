/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-gpu.c - what is kept of GPUs in a live profile, read: the sums of what
 * a call began become a child of the call's node.
 */
#include <stdlib.h>
#include <string.h>

#include "base/gpu-calls.h"
#include "profile/live/live-reader.h"

/* What the bytes of each kind are; METRIC_COUNT: it has none. */
static const struct {
	enum metric count, bytes;
} kinds[LIVE_GPU_KINDS] = {
	[LIVE_GPU_KERNEL] = { METRIC_GPU_LAUNCHES, METRIC_COUNT },
	[LIVE_GPU_GRAPH] = { METRIC_GPU_LAUNCHES, METRIC_COUNT },
	[LIVE_GPU_TO] = { METRIC_GPU_COPIES, METRIC_GPU_H2D },
	[LIVE_GPU_FROM] = { METRIC_GPU_COPIES, METRIC_GPU_D2H },
	[LIVE_GPU_WITHIN] = { METRIC_GPU_COPIES, METRIC_GPU_D2D },
	[LIVE_GPU_PEER] = { METRIC_GPU_COPIES, METRIC_GPU_P2P },
	[LIVE_GPU_SET] = { METRIC_GPU_COPIES, METRIC_GPU_SET },
	[LIVE_GPU_IDLE] = { METRIC_COUNT, METRIC_COUNT },
	[LIVE_GPU_AWAITED] = { METRIC_COUNT, METRIC_COUNT },
};

/* 0 would be no value: another thread's minimum would stand for it. */
static void gpu_extremes(struct reader *r, uint32_t node, uint32_t thread,
			 enum metric least, enum metric most, uint64_t min,
			 uint64_t max)
{
	if (min > max)
		return;
	reader_metric(r, node, thread, least, min ? min : 1);
	reader_metric(r, node, thread, most, max);
}

static const char *node_name_of(const struct profile *p, uint32_t node)
{
	return p->names[p->nodes[node].owner].text;
}

/* Something of which there will be one record; of nodes there are several. */
static bool launches_on_gpu(const struct reader *r, uint32_t node)
{
	const char *name = node_name_of(r->p, node);

	return gpu_call_launches_kernel(name) ||
	       (!r->header.gpu_times.nodes && gpu_call_launches_graph(name));
}

static void take_gpu_call(struct reader *r, uint32_t node, uint32_t thread,
			  const struct live_call *c)
{
	if (reader_class(r, node) != LIVE_NAME_GPU_CALL || !c->calls)
		return;
	reader_metric(r, node, thread, METRIC_GPU_CALLS, c->calls);
	reader_metric(r, node, thread, METRIC_GPU_CALL_TIME, c->ns);
	gpu_extremes(r, node, thread, METRIC_GPU_CALL_MIN, METRIC_GPU_CALL_MAX,
		     c->min_ns, c->max_ns);
	if (launches_on_gpu(r, node))
		r->launched += c->calls;
	if (!gpu_call_waits(node_name_of(r->p, node)))
		return;
	reader_metric(r, node, thread, METRIC_GPU_WAITS, c->calls);
	reader_metric(r, node, thread, METRIC_GPU_WAIT, c->ns);
}

/* A call that need not have waited has what it waited for work. */
static void take_awaited(struct reader *r, uint32_t node, uint32_t thread,
			 uint64_t ns)
{
	uint32_t call = r->p->nodes[node].parent;

	reader_metric(r, node, thread, METRIC_GPU_AWAITED, ns);
	if (reader_class(r, call) == LIVE_NAME_GPU_CALL &&
	    !gpu_call_waits(node_name_of(r->p, call)))
		reader_metric(r, call, thread, METRIC_GPU_WAIT, ns);
}

/* What the hardware counted meanwhile. */
static void take_counted(struct reader *r, uint32_t node, uint32_t thread,
			 live_ref ref)
{
	const void *at =
		ref ? reader_claim(r, ref, sizeof(struct live_counted)) : NULL;
	struct live_counted c;

	if (!at)
		return;
	memcpy(&c, at, sizeof(c));
	reader_metric(r, node, thread, METRIC_GPU_COUNTED, (uint64_t)c.time);
	reader_metric(r, node, thread, METRIC_GPU_COUNTED_ALONE,
		      (uint64_t)c.alone);
	reader_metric(r, node, thread, METRIC_GPU_INTERVALS,
		      (uint64_t)c.intervals);
#define COUNTER(id, name)                                                      \
	reader_metric(r, node, thread, METRIC_GPU_##id, (uint64_t)c.name);
#include "live/gpu-counters.def"
#undef COUNTER
}

static void gpu_values(struct reader *r, uint32_t node, uint32_t thread,
		       const struct live_gpu *g)
{
	if (g->kind == LIVE_GPU_IDLE) {
		reader_metric(r, node, thread, METRIC_GPU_IDLE, g->ns);
		return;
	}
	if (g->kind == LIVE_GPU_AWAITED) {
		take_awaited(r, node, thread, g->ns);
		return;
	}
	reader_metric(r, node, thread, kinds[g->kind].count, g->count);
	if (kinds[g->kind].bytes != METRIC_COUNT)
		reader_metric(r, node, thread, kinds[g->kind].bytes, g->bytes);
	reader_work(r, node, g->device, g->count, g->ns);
	reader_metric(r, node, thread, METRIC_GPU_TIME, g->ns);
	gpu_extremes(r, node, thread, METRIC_GPU_MIN, METRIC_GPU_MAX, g->min_ns,
		     g->max_ns);
	reader_metric(r, node, thread, METRIC_GPU_QUEUED, g->queued);
	reader_metric(r, node, thread, METRIC_GPU_DELAY, g->queued_ns);
	take_counted(r, node, thread, g->counted);
}

uint32_t reader_gpu_node(struct reader *r, const struct live_gpu *g)
{
	uint32_t node =
		g->node ? reader_node(r, g->node) : reader_partial(r, g->why);

	if (g->from)
		node = reader_below(r, reader_named(r, node, g->below),
				    reader_node(r, g->from));
	return g->name != LIVE_NO_NAME ? reader_named(r, node, g->name) : node;
}

/* A call that nobody knows has no thread either: it is given to the first. */
static void take_gpu_node(struct reader *r, uint32_t unused, const void *at)
{
	struct live_gpu g;
	uint32_t node;

	(void)unused;
	memcpy(&g, at, sizeof(g));
	if (g.kind >= LIVE_GPU_KINDS || !r->p->thread_count) {
		r->damaged++;
		return;
	}
	if (g.thread >= r->p->thread_count)
		g.thread = 0;
	node = reader_gpu_node(r, &g);
	if (!r->err && g.count)
		gpu_values(r, node, g.thread, &g);
}

/* An error is a child of the call. */
static uint64_t failed_launches(const struct reader *r)
{
	const struct profile *p = r->p;
	const struct profile_column *c =
		profile_column(p, metric_infos[METRIC_GPU_FAILED].name);
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->count; i++) {
		uint32_t call = p->nodes[c->values[i].node].parent;

		if (p->nodes[call].kind == NODE_NAMED &&
		    launches_on_gpu(r, call))
			sum += c->values[i].value;
	}
	return sum;
}

/* What CUPTI told nothing of, not even that it dropped it. */
static uint64_t count_unreported(const struct reader *r)
{
	const struct live_gpu_times *t = &r->header.gpu_times;
	const uint64_t *lost = r->header.losses;
	uint64_t known = t->told + t->captured + failed_launches(r) +
			 lost[LOSS_GPU_DROPPED] + lost[LOSS_GPU_FULL];

	return r->launched > known ? r->launched - known : 0;
}

static void read_gpu(struct reader *r)
{
	reader_chunks(r, r->header.gpu, sizeof(struct live_gpu), 0,
		      take_gpu_node);
	if (!r->err)
		r->p->losses[LOSS_GPU_UNREPORTED].count += count_unreported(r);
}

/*
 * Which launches had not ended.
 */

/* Of a call that launches. */
struct launching {
	uint64_t calls, ended;
	uint32_t kernel; /* that it launched and that ended; 0: none */
	bool several;    /* such kernels */
};

static void count_launch_calls(struct launching *by_node,
			       const struct reader *r)
{
	const struct profile_column *c =
		profile_column(r->p, metric_infos[METRIC_GPU_CALLS].name);

	for (size_t i = 0; c && i < c->count; i++)
		if (launches_on_gpu(r, c->values[i].node))
			by_node[c->values[i].node].calls += c->values[i].value;
}

static void count_ended_kernels(struct launching *by_node,
				const struct reader *r)
{
	const struct profile_column *c =
		profile_column(r->p, metric_infos[METRIC_GPU_LAUNCHES].name);

	for (size_t i = 0; c && i < c->count; i++) {
		uint32_t kernel = c->values[i].node, node = kernel;
		struct launching *to;

		while (node && !launches_on_gpu(r, node))
			node = r->p->nodes[node].parent;
		to = &by_node[node];
		to->ended += c->values[i].value;
		to->several |= to->kernel && to->kernel != kernel;
		to->kernel = kernel;
	}
}

/*
 * Of launches that a stream's capture took, nobody knows which they were: where
 * there are any, those count of which some have ended.
 */
static uint32_t most_unfinished(const struct launching *by_node,
				const struct reader *r)
{
	uint64_t most = 0;
	uint32_t node = 0;

	for (uint32_t n = 1; n < r->p->node_count; n++) {
		const struct launching *at = &by_node[n];

		if (at->calls > at->ended && at->calls - at->ended > most &&
		    (at->ended || !r->header.gpu_times.captured)) {
			most = at->calls - at->ended;
			node = at->kernel && !at->several ? at->kernel : n;
		}
	}
	return node;
}

static void find_unfinished(struct reader *r)
{
	uint64_t count = r->p->last_call_count ? count_unreported(r) : 0;
	struct launching *by_node;
	uint32_t node;

	if (!count)
		return;
	by_node = calloc(r->p->node_count, sizeof(*by_node));
	if (!by_node) {
		reader_no_memory(r);
		return;
	}
	count_launch_calls(by_node, r);
	count_ended_kernels(by_node, r);
	node = most_unfinished(by_node, r);
	free(by_node);
	for (size_t i = 0; i < r->p->last_call_count; i++) {
		r->p->last_calls[i].unfinished = count;
		r->p->last_calls[i].unfinished_node = node;
	}
}

const struct live_section section_gpu = {
	.call = take_gpu_call,
	.tables = read_gpu,
	.order = find_unfinished,
};
