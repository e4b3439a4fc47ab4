/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-groups.c - the threads of each process by what they are: those of one
 * name, but for numbers in it, that began in the same function are a group.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "merge/run-processes.h"
#include "merge/thread-count.h"
#include "run/gatherer.h"

struct thread_groups {
	struct run_threads sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names;
	struct map map;
	size_t room;
};

static int init_groups(void *state)
{
	struct thread_groups *g = state;

	return str_add(&g->names, "") == STR_NONE ? no_memory() : 0;
}

static void fini_groups(void *state)
{
	struct thread_groups *g = state;

	run_threads_fini(&g->sum);
	map_fini(&g->map);
	strings_fini(&g->names);
	*g = (struct thread_groups){ 0 };
}

/*
 * One process: what each thread did, by the outermost frame that is neither of
 * the system nor of MPI.
 */

struct thread_begin {
	uint32_t entry;      /* node; 0: no such frame */
	uint64_t entry_most; /* of one entry */
	bool parallel, seen, works;
	uint64_t lock_ns, sync_ns;
};

struct path_entry {
	uint32_t node; /* 0: none so far */
	bool parallel;
};

static void find_entries(struct path_entry *at, const struct profile *p,
			 const bool *starts)
{
	for (uint32_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];
		bool code = n->kind == NODE_CALL || n->kind == NODE_PC;

		at[i] = at[n->parent];
		at[i].parallel |= n->kind == NODE_REGION;
		if (!at[i].node && n->kind != NODE_PARTIAL &&
		    n->kind != NODE_LOCK && !(code && starts[n->owner]))
			at[i].node = i;
	}
}

/* The entry with most at one of its paths: most have one entry. */
static void add_thread_values(struct thread_begin *rows,
			      const struct profile *p, const char *name,
			      const struct path_entry *at)
{
	const struct profile_column *c = profile_column(p, name);
	bool lock = !strcmp(name, "lock.wait"),
	     sync = !strcmp(name, "sync.wait");

	for (size_t i = 0; c && i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		struct thread_begin *row = &rows[v->thread];
		const struct path_entry *entry = &at[v->node];

		row->lock_ns += lock ? v->value : 0;
		row->sync_ns += sync ? v->value : 0;
		row->seen = true;
		row->works |= entry->node != 0;
		row->parallel |= entry->parallel;
		if (entry->node && v->value > row->entry_most) {
			row->entry = entry->node;
			row->entry_most = v->value;
		}
	}
}

static int find_thread_rows(struct thread_begin *rows, const struct profile *p)
{
	static const char *const names[] = { "cpu.time", "wall.time",
					     "lock.wait", "sync.wait" };
	struct path_entry *at = calloc(p->node_count + 1, sizeof(*at));
	bool *starts = calloc(p->module_count + 1, sizeof(*starts));
	int err = at && starts ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->module_count && !err; i++)
		starts[i] = thread_starts_in(p->modules[i].path);
	if (!err)
		find_entries(at, p, starts);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !err; i++)
		add_thread_values(rows, p, names[i], at);
	free(starts);
	free(at);
	return err;
}

/*
 * Groups.
 */

static uint64_t lesser_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t greater_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void join_groups(struct run_thread_group *to,
			const struct run_thread_group *from)
{
	to->threads += from->threads;
	to->cpu_ns += from->cpu_ns;
	to->most_ns = greater_of(to->most_ns, from->most_ns);
	to->elapsed_ns += from->elapsed_ns;
	to->lock_ns += from->lock_ns;
	to->sync_ns += from->sync_ns;
	to->first_ns = lesser_of(to->first_ns, from->first_ns);
	to->last_ns = greater_of(to->last_ns, from->last_ns);
}

static bool keep_group(struct thread_groups *g,
		       const struct run_thread_group *one)
{
	return array_append(&g->sum.groups, &g->sum.group_count, &g->room,
			    sizeof(*one), one);
}

/* The name becomes a pattern when there are several. */
static int put_group(struct thread_groups *g,
		     const struct run_thread_group *one)
{
	uint64_t whose = (uint64_t)one->rank << 32 | one->kind;
	struct run_thread_group *to;
	char text[THREAD_NAME + 1];
	uint32_t pattern, at;

	run_thread_pattern(text, str_at(&g->names, one->name));
	pattern = str_add(&g->names, text);
	if (pattern == STR_NONE)
		return -ENOMEM;
	at = map_put(&g->map, whose, (uint64_t)one->node << 32 | pattern,
		     (uint32_t)g->sum.group_count);
	if (at == MAP_NONE)
		return -ENOMEM;
	if (at == g->sum.group_count)
		return keep_group(g, one) ? 0 : -ENOMEM;
	to = &g->sum.groups[at];
	join_groups(to, one);
	if (to->name != one->name)
		to->name = pattern;
	return 0;
}

static uint64_t since_start(const struct profile *p, uint64_t at)
{
	return at > p->id.start_mono_ns ? at - p->id.start_mono_ns : 0;
}

static uint64_t thread_elapsed(const struct profile *p,
			       const struct profile_thread *t)
{
	uint64_t last = t->ended ? t->last_ns : process_end(p);

	return last > t->first_ns ? last - t->first_ns : 0;
}

/* Threads in which only MPI's libraries were seen, or nothing, are MPI's. */
static int add_thread(struct thread_groups *g, const struct profile *p,
		      const struct profile_thread *t,
		      const struct thread_begin *row, uint32_t process,
		      const uint32_t *nodes)
{
	bool main = t->tid == p->id.pid;
	struct run_thread_group one = {
		.rank = process,
		.kind = main            ? RUN_THREAD_FIRST
			: row->parallel ? RUN_THREAD_PARALLEL
					: RUN_THREAD_BEGUN,
		.threads = t->runs ? t->runs : 1,
		.cpu_ns = t->cpu_ns,
		.most_ns = t->cpu_ns,
		.elapsed_ns = thread_elapsed(p, t),
		.lock_ns = row->lock_ns,
		.sync_ns = row->sync_ns,
		.first_ns = since_start(p, t->first_ns),
		.last_ns = since_start(p, t->last_ns),
	};
	char name[THREAD_NAME + 1];

	if (!main && !row->works && (row->seen || p->id.mpi_init_ns))
		return 0;
	memcpy(name, t->name, THREAD_NAME);
	name[THREAD_NAME] = '\0';
	one.name = str_add(&g->names, name);
	if (one.kind == RUN_THREAD_BEGUN)
		one.node = nodes[row->entry];
	return one.name == STR_NONE ? -ENOMEM : put_group(g, &one);
}

static int gather_groups(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	struct thread_begin *rows = calloc(p->thread_count + 1, sizeof(*rows));
	int err = rows ? find_thread_rows(rows, p) : -ENOMEM;

	for (size_t i = 0; i < p->thread_count && !err; i++)
		err = add_thread(state, p, &p->threads[i], &rows[i],
				 one->process, one->nodes);
	free(rows);
	return err ? no_memory() : 0;
}

/*
 * The run.
 */

static void want_groups(const void *state, bool *wanted)
{
	const struct thread_groups *g = state;

	for (size_t i = 0; i < g->sum.group_count; i++)
		wanted[g->sum.groups[i].node] = true;
}

ORDER_BY(by_rank_and_time, struct run_thread_group,
	 ASC(rank) ?: ASC(kind) ?: DESC(cpu_ns) ?: ASC(first_ns) ?: ASC(node))

/* The function that was called, whatever was put into it. */
static uint32_t begun_in(const struct run *run, uint32_t node)
{
	node = run_frame(run, node);
	while (run->nodes[node].flags & RUN_INLINED)
		node = run_frame(run, run->nodes[node].parent);
	return node;
}

/* Those whose functions have turned out to be one are one. */
static int put_groups_by_name(struct thread_groups *g, struct run *run,
			      const uint32_t *order, const uint32_t *became)
{
	struct run_threads from = g->sum;
	int err = 0;

	g->sum = (struct run_threads){ 0 };
	g->room = 0;
	map_fini(&g->map);
	for (size_t i = 0; i < from.group_count && !err; i++) {
		struct run_thread_group one = from.groups[i];

		one.rank = order[one.rank];
		one.node = begun_in(run, became[one.node]);
		err = put_group(g, &one);
	}
	run_threads_fini(&from);
	return err;
}

static int finish_groups(void *state, struct run *run, const uint32_t *order,
			 const uint32_t *became)
{
	struct thread_groups *g = state;
	struct run_threads *to = &run->threads;
	int err = put_groups_by_name(g, run, order, became);

	to->groups = g->sum.groups;
	to->group_count = g->sum.group_count;
	g->sum = (struct run_threads){ 0 };
	for (size_t i = 0; i < to->group_count && !err; i++) {
		struct run_thread_group *row = &to->groups[i];

		row->name =
			str_add(&run->strings, str_at(&g->names, row->name));
		err = row->name == STR_NONE ? -ENOMEM : 0;
	}
	if (to->group_count)
		qsort(to->groups, to->group_count, sizeof(*to->groups),
		      by_rank_and_time);
	fini_groups(g);
	return err ? no_memory() : 0;
}

const struct gatherer gatherer_thread_groups = {
	.size = sizeof(struct thread_groups),
	.init = init_groups,
	.fini = fini_groups,
	.add = gather_groups,
	.wanted = want_groups,
	.finish = finish_groups,
};
