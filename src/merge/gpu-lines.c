/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-lines.c - see merging.h. */
#include "merge/merging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "base/str.h"
#include "live/layout.h"
#include "symbol/cubin-lines.h"

/* The metrics of a line: its stalls, all of them, and those of no issue. */
enum {
	ALL = LIVE_STALLS,
	UNISSUED,
	COLUMNS
};

static enum metric column_metric(size_t column)
{
	static const enum metric metrics[COLUMNS] = {
		[LIVE_STALL_ISSUED] = METRIC_GPU_STALL_ISSUED,
		[LIVE_STALL_READY] = METRIC_GPU_STALL_READY,
		[LIVE_STALL_MEMORY] = METRIC_GPU_STALL_MEMORY,
		[LIVE_STALL_SHARED] = METRIC_GPU_STALL_SHARED,
		[LIVE_STALL_QUEUE] = METRIC_GPU_STALL_QUEUE,
		[LIVE_STALL_PIPE] = METRIC_GPU_STALL_PIPE,
		[LIVE_STALL_LATENCY] = METRIC_GPU_STALL_LATENCY,
		[LIVE_STALL_BARRIER] = METRIC_GPU_STALL_BARRIER,
		[LIVE_STALL_CODE] = METRIC_GPU_STALL_CODE,
		[LIVE_STALL_OTHER] = METRIC_GPU_STALL_OTHER,
		[ALL] = METRIC_GPU_SAMPLES,
		[UNISSUED] = METRIC_GPU_UNISSUED,
	};

	return metrics[column];
}

/* A line of a kernel, or what of it has no line. */
struct kernel_line {
	uint32_t kernel, file, line; /* strings; file and line: 0 */
	uint64_t counts[COLUMNS];    /* but of ALL */
};

/* GPU time of a kernel below one path, on one thread. */
struct launch {
	uint32_t kernel; /* string */
	uint32_t node, thread;
	uint64_t ns;
};

struct value {
	uint32_t column;
	struct profile_value value;
};

struct lines {
	struct profile *p;
	struct strings strings;
	struct kernel_line *rows;
	struct launch *launches;
	struct value *values;
	size_t row_count, row_room, launch_count, launch_room, value_count,
		value_room, node_room, name_room;
	struct map row_map, name_map;
	char *note;
};

static void lines_fini(struct lines *l)
{
	strings_fini(&l->strings);
	free(l->rows);
	free(l->launches);
	free(l->values);
	map_fini(&l->row_map);
	map_fini(&l->name_map);
}

/* Room for one more behind `count`; NULL: no memory, and it stays. */
static void *line_room(void *at, size_t count, size_t *size, size_t each)
{
	size_t more = *size ? 2 * *size : count + 64;

	if (count < *size)
		return at;
	at = reallocarray(at, more, each);
	if (at)
		*size = more;
	return at;
}
#define ROOM(array, count, size)                                               \
	__extension__({                                                        \
		void *at_ =                                                    \
			line_room(array, count, &(size), sizeof(*(array)));    \
		if (at_)                                                       \
			(array) = at_;                                         \
		at_ != NULL;                                                   \
	})

/*
 * Instructions become lines.
 */

static struct kernel_line *line_row_of(struct lines *l,
				       const struct cubin_place *place)
{
	struct kernel_line row = {
		.kernel = str_add(&l->strings, place->kernel),
		.file = str_add(&l->strings, place->file ? place->file : ""),
		.line = place->line
	};
	uint32_t i;

	if (row.kernel == STR_NONE || row.file == STR_NONE ||
	    !ROOM(l->rows, l->row_count, l->row_room))
		return NULL;
	i = map_put(&l->row_map, (uint64_t)row.kernel << 32 | row.file,
		    row.line, (uint32_t)l->row_count);
	if (i == MAP_NONE)
		return NULL;
	if (i == l->row_count)
		l->rows[l->row_count++] = row;
	return &l->rows[i];
}

static int add_pc(struct lines *l, struct cubin_lines *cubin,
		  const struct profile_pc *pc)
{
	const char *function = l->p->names[pc->name].text;
	struct cubin_place place = { .kernel = function };
	struct kernel_line *row;

	if (cubin)
		cubin_lines_find(cubin, pc->function, function, pc->pc, &place);
	row = line_row_of(l, &place);
	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < LIVE_STALLS; i++)
		row->counts[i] += pc->stalls[i];
	row->counts[UNISSUED] += pc->unissued;
	return 0;
}

/* The samples of one cubin, or (NULL) of those that are not here. */
static int add_pcs(struct lines *l, struct cubin_lines *cubin,
		   const bool *taken, uint64_t crc, bool any)
{
	int err = 0;

	for (size_t i = 0; i < l->p->pc_count && !err; i++)
		if (!taken[i] && (any || l->p->pcs[i].cubin == crc))
			err = add_pc(l, cubin, &l->p->pcs[i]);
	return err;
}

static void mark_cubin(const struct profile *p, bool *taken, uint64_t crc)
{
	for (size_t i = 0; i < p->pc_count; i++)
		taken[i] |= p->pcs[i].cubin == crc;
}

static int add_cubin(struct lines *l, const struct profile_cubin *cubin,
		     const struct profile_cubin_word *words, bool *taken)
{
	struct cubin_lines *lines = NULL;
	int err = cubin_lines_open(&lines, words, cubin->size);

	if (err && err != -ENOMEM && !l->note) {
		l->note = strdup(fail_reason());
		err = l->note ? err : -ENOMEM;
	}
	if (err != -ENOMEM) {
		err = add_pcs(l, err ? NULL : lines, taken, cubin->cubin,
			      false);
		mark_cubin(l->p, taken, cubin->cubin);
	}
	cubin_lines_close(lines);
	return err;
}

static int find_kernel_lines(struct lines *l)
{
	const struct profile *p = l->p;
	bool *taken = calloc(p->pc_count + 1, sizeof(*taken));
	size_t word = 0;
	int err = taken ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->cubin_count && !err; i++) {
		err = add_cubin(l, &p->cubins[i], &p->cubin_words[word], taken);
		word += (p->cubins[i].size + 7) / 8;
	}
	if (!err)
		err = add_pcs(l, NULL, taken, 0, true);
	free(taken);
	return err;
}

/*
 * Lines become nodes.
 */

static int find_launches(struct lines *l)
{
	const struct profile *p = l->p;
	const struct profile_column *time =
		profile_column(p, metric_infos[METRIC_GPU_TIME].name);

	for (size_t i = 0; time && i < time->count; i++) {
		const struct profile_value *v = &time->values[i];
		const struct profile_node *n = &p->nodes[v->node];
		uint32_t kernel;

		if (n->kind != NODE_NAMED)
			continue;
		kernel = str_find(&l->strings, p->names[n->owner].text);
		if (kernel == STR_NONE)
			continue;
		if (!ROOM(l->launches, l->launch_count, l->launch_room))
			return -ENOMEM;
		l->launches[l->launch_count++] =
			(struct launch){ kernel, v->node, v->thread, v->value };
	}
	return 0;
}

ORDER_BY(by_kernel, struct launch, ASC(kernel) ?: ASC(node) ?: ASC(thread))

static uint32_t add_node(struct lines *l, uint32_t parent, uint32_t name)
{
	struct profile *p = l->p;

	if (name == MAP_NONE || !ROOM(p->nodes, p->node_count, l->node_room))
		return MAP_NONE;
	p->nodes[p->node_count] =
		(struct profile_node){ parent, NODE_NAMED, name, 0 };
	return (uint32_t)p->node_count++;
}

/* The index of a name of that class, made when it is new. */
static uint32_t line_name_of(struct lines *l, uint32_t text, uint32_t class,
			     uint32_t detail)
{
	struct profile *p = l->p;
	uint32_t i;

	if (!ROOM(p->names, p->name_count, l->name_room))
		return MAP_NONE;
	i = map_put(&l->name_map, (uint64_t)text << 32 | class, detail,
		    (uint32_t)p->name_count);
	if (i != p->name_count)
		return i;
	p->names[i] = (struct profile_name){ strdup(str_at(&l->strings, text)),
					     class, detail };
	if (!p->names[i].text)
		return MAP_NONE;
	p->name_count++;
	return i;
}

static bool put_value(struct lines *l, size_t column, uint32_t node,
		      uint32_t thread, uint64_t value)
{
	if (!value)
		return true;
	if (!ROOM(l->values, l->value_count, l->value_room))
		return false;
	l->values[l->value_count++] =
		(struct value){ (uint32_t)column, { node, thread, value } };
	return true;
}

/* What of a count belongs to the first `part` of `all`; whole at the end. */
static uint64_t share_of_count(uint64_t count, uint64_t part, uint64_t all)
{
	return part >= all ? count
			   : (uint64_t)((double)count *
					((double)part / (double)all));
}

/* The row's share of the launches from `before` to `until` ns of `all`. */
static bool launch_share(struct kernel_line *to, const struct kernel_line *row,
			 uint64_t before, uint64_t until, uint64_t all)
{
	uint64_t sum = 0;

	*to = *row;
	to->counts[ALL] = 0;
	for (size_t i = 0; i < COLUMNS; i++)
		if (i != ALL)
			to->counts[i] =
				share_of_count(row->counts[i], until, all) -
				share_of_count(row->counts[i], before, all);
	for (size_t i = 0; i < LIVE_STALLS; i++)
		sum += to->counts[i];
	to->counts[ALL] = sum;
	return sum;
}

static int put_values(struct lines *l, const struct kernel_line *share,
		      uint32_t node, uint32_t thread)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!put_value(l, i, node, thread, share->counts[i]))
			return -ENOMEM;
	return 0;
}

/* The kernel's child that is the line; itself, if that is not known. */
static uint32_t line_node(struct lines *l, const struct kernel_line *row,
			  uint32_t kernel)
{
	if (!row->line || kernel == MAP_NONE)
		return kernel;
	return add_node(
		l, kernel,
		line_name_of(l, row->file, LIVE_NAME_GPU_LINE, row->line));
}

/* Launches of one node follow each other. */
static int share_out_row(struct lines *l, const struct kernel_line *row,
			 const struct launch *launches, size_t count)
{
	uint64_t all = 0, before = 0;
	uint32_t kernel = MAP_NONE, node = MAP_NONE;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		all += launches[i].ns;
	for (size_t i = 0; i < count && !err; i++) {
		const struct launch *at = &launches[i];
		struct kernel_line part;

		if (launch_share(&part, row, before, before + at->ns, all)) {
			if (at->node != kernel)
				node = line_node(l, row, at->node);
			kernel = at->node;
			err = node == MAP_NONE
				      ? -ENOMEM
				      : put_values(l, &part, node, at->thread);
		}
		before += at->ns;
	}
	return err;
}

static int without_launch(struct lines *l, const struct kernel_line *row)
{
	uint32_t kernel = add_node(
		l, 0, line_name_of(l, row->kernel, LIVE_NAME_KERNEL, 0));
	uint32_t node = line_node(l, row, kernel);
	struct kernel_line whole;

	launch_share(&whole, row, 0, 1, 1);
	return node == MAP_NONE ? -ENOMEM : put_values(l, &whole, node, 0);
}

/* The first of the launches, which are sorted, that is of no kernel before. */
static size_t first_launch(const struct lines *l, uint32_t kernel)
{
	size_t low = 0, high = l->launch_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->launches[middle].kernel < kernel)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int put_rows(struct lines *l)
{
	int err = find_launches(l);

	if (l->launch_count)
		qsort(l->launches, l->launch_count, sizeof(*l->launches),
		      by_kernel);
	for (size_t i = 0; i < l->row_count && !err; i++) {
		const struct kernel_line *row = &l->rows[i];
		size_t first = first_launch(l, row->kernel), end;

		for (end = first; end < l->launch_count &&
				  l->launches[end].kernel == row->kernel;)
			end++;
		err = first == end ? without_launch(l, row)
				   : share_out_row(l, row, &l->launches[first],
						   end - first);
	}
	return err;
}

/*
 * Values become columns.
 */

ORDER_BY(by_place, struct value,
	 ASC(column) ?: ASC(value.node) ?: ASC(value.thread))

static int add_column(struct profile *p, const struct value *values,
		      size_t count)
{
	const struct metric_info *info =
		&metric_infos[column_metric(values[0].column)];
	struct profile_column *columns =
		reallocarray(p->columns, p->column_count + 1, sizeof(*columns));
	struct profile_column *to;

	if (!columns)
		return -ENOMEM;
	p->columns = columns;
	to = &columns[p->column_count];
	*to = (struct profile_column){ .unit = info->unit,
				       .merge = info->merge,
				       .count = count,
				       .values = calloc(count,
							sizeof(*to->values)) };
	if (!to->values)
		return -ENOMEM;
	memcpy(to->name, info->name, strlen(info->name) + 1);
	for (size_t i = 0; i < count; i++)
		to->values[i] = values[i].value;
	p->column_count++;
	return 0;
}

static int put_columns(struct lines *l)
{
	int err = 0;

	if (l->value_count)
		qsort(l->values, l->value_count, sizeof(*l->values), by_place);
	for (size_t i = 0, end; i < l->value_count && !err; i = end) {
		for (end = i; end < l->value_count &&
			      l->values[end].column == l->values[i].column;)
			end++;
		err = add_column(l->p, &l->values[i], end - i);
	}
	return err;
}

int gpu_lines_put(struct profile *p, char **note)
{
	struct lines l = { .p = p };
	int err = 0;

	*note = NULL;
	if (!p->pc_count || !p->thread_count || !p->node_count ||
	    profile_column(p, metric_infos[METRIC_GPU_SAMPLES].name))
		return 0;
	if (str_add(&l.strings, "") != 0)
		err = -ENOMEM;
	if (!err)
		err = find_kernel_lines(&l);
	if (!err)
		err = put_rows(&l);
	if (!err)
		err = put_columns(&l);
	*note = l.note;
	lines_fini(&l);
	return err ? no_memory() : 0;
}
