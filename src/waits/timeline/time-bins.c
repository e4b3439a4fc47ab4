/* SPDX-License-Identifier: BSD-3-Clause */
/* time-bins.c - rows of a time axis, and the sums of their cells. */
#include "waits/timeline/time-bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "live/layout.h"
#include "run/call-paths.h"

#define WHOLE ((double)RUN_TIME_WHOLE)

enum {
	PIECES_FEW = 32
};

struct gpu_bins_row { /* bin b begins at (first + b) << shift */
	uint32_t process, device, shift, count;
	uint64_t first;
	float *ns;
};

struct time_piece { /* of a row's time, in one bin */
	uint32_t bin, node;
	float ns;
};

struct bin_sums {
	double known, busy, mpi, io, wait, inside, gpu;
	uint32_t moments;
};

struct kept_call {
	int64_t enter, leave;
	uint32_t row, node;
};

struct time_source { /* what a row is made of: one of the two */
	const struct series *series;
	const struct gpu_bins_row *gpu;
	const struct kept_call *calls, *calls_end; /* by when they begin */
	uint32_t outside; /* of the last point outside them; 0: none */
	/* MPI_Init, before there are trace points: */
	int64_t init, init_end;
	uint32_t init_node;
};

struct time_binning {
	const struct run *run;
	const struct matched_events *events;
	const struct clocks *clocks;
	struct run_timeline *to;
	int64_t begin, width;
	uint32_t bins;
	struct time_source *sources; /* by row */
	uint32_t *first_row;         /* of each member, and one more */
	float *inside, *wait;        /* of each row and bin: in kept calls */
	struct kept_call *calls;
	size_t call_count, call_room;
	uint32_t *end;             /* of nodes: of those below each */
	bool *files;               /* of nodes: they read or write files */
	struct bin_sums *sums;     /* of one row: by bin, and … */
	struct time_piece *pieces; /* … where it was */
	size_t piece_count, piece_room, cell_room;
	bool mixed; /* pieces do not come bin after bin, as a thread's do */
	double row_inside, row_wait;
};

/*
 * GPUs.
 */

static void fini_gpu_bins(void *state)
{
	struct gpu_bins *gpus = state;

	for (size_t i = 0; i < gpus->count; i++)
		free(gpus->at[i].ns);
	free(gpus->at);
}

static int gpu_row_add(struct gpu_bins *gpus, const struct profile_device *d,
		       uint32_t process, const struct profile_bin *bins,
		       size_t count)
{
	struct gpu_bins_row row = { .process = process,
				    .device = d->id,
				    .shift = d->bin_shift,
				    .first = d->first_bin + bins[0].bin };

	row.count = bins[count - 1].bin - bins[0].bin + 1;
	row.ns = calloc(row.count, sizeof(*row.ns));
	if (!row.ns)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		row.ns[bins[i].bin - bins[0].bin] = (float)bins[i].ns;
	if (array_append(&gpus->at, &gpus->count, &gpus->room, sizeof(row),
			 &row))
		return 0;
	free(row.ns);
	return no_memory();
}

static int gather_gpu_bins(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	int err = 0;

	for (size_t i = 0, end; i < p->bin_count && !err; i = end) {
		uint32_t device = p->bins[i].device;

		for (end = i;
		     end < p->bin_count && p->bins[end].device == device;)
			end++;
		err = gpu_row_add(state, &p->devices[device], one->process,
				  &p->bins[i], end - i);
	}
	return err;
}

ORDER_BY(by_gpu_process, struct gpu_bins_row, ASC(process) ?: ASC(device))

static int finish_gpu_bins(void *state, struct run *run, const uint32_t *order,
			   const uint32_t *became)
{
	struct gpu_bins *gpus = state;
	size_t kept = 0;

	(void)became;
	for (size_t i = 0; i < gpus->count; i++) {
		struct gpu_bins_row *row = &gpus->at[i];

		row->process = order[row->process];
		if (row->process < run->member_count)
			gpus->at[kept++] = *row;
		else
			free(row->ns);
	}
	gpus->count = kept;
	if (kept)
		qsort(gpus->at, kept, sizeof(*gpus->at), by_gpu_process);
	return 0;
}

const struct gatherer gatherer_time_bins = { .size = sizeof(struct gpu_bins),
					     .fini = fini_gpu_bins,
					     .add = gather_gpu_bins,
					     .finish = finish_gpu_bins };

static double busy_between(const struct gpu_bins_row *row, uint64_t from,
			   uint64_t to)
{
	uint64_t width = (uint64_t)1 << row->shift;
	uint64_t bin = from >> row->shift;
	double sum = 0;

	bin = bin > row->first ? bin - row->first : 0;
	for (; bin < row->count; bin++) {
		uint64_t begin = (row->first + bin) << row->shift;
		uint64_t low = begin > from ? begin : from;
		uint64_t high = begin + width < to ? begin + width : to;

		if (begin >= to)
			break;
		if (high > low)
			sum += (double)row->ns[bin] * (double)(high - low) /
			       (double)width;
	}
	return sum;
}

uint64_t time_gpu_bins_busy(const struct gpu_bins *gpus, uint32_t process,
			    uint64_t from, uint64_t to)
{
	size_t low = 0, high = gpus->count;
	double sum = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gpus->at[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < gpus->count && gpus->at[low].process == process; low++)
		sum += busy_between(&gpus->at[low], from, to);
	return (uint64_t)fmin(sum, (double)(to - from));
}

/*
 * The axis, and what rows there are.
 */

ORDER_BY(by_time_row, struct run_time_row,
	 ASC(rank) ?: ASC(kind) ?: ASC(number))

/* `first` has the number of the source until there are cells. */
static void put_time_rows(struct time_binning *t, const struct gpu_bins *gpus)
{
	struct run_timeline *to = t->to;

	for (size_t i = 0; i < t->events->series_count; i++) {
		const struct series *s = &t->events->series[i];
		bool helpers = s->thread == MATCH_HELPERS;

		to->rows[to->row_count++] = (struct run_time_row){
			.rank = s->process,
			.kind = helpers ? RUN_TIME_HELPERS : RUN_TIME_THREAD,
			.number = helpers ? 0 : s->thread,
			.first = (uint32_t)i,
			.every = s->every,
		};
	}
	for (size_t i = 0; i < gpus->count; i++)
		to->rows[to->row_count++] = (struct run_time_row){
			.rank = gpus->at[i].process,
			.kind = RUN_TIME_GPU,
			.number = gpus->at[i].device,
			.first = (uint32_t)i,
			.every = 1,
		};
}

static int make_time_rows(struct time_binning *t, const struct gpu_bins *gpus)
{
	struct run_timeline *to = t->to;
	size_t count = t->events->series_count + gpus->count;

	to->rows = calloc(count + 1, sizeof(*to->rows));
	t->sources = calloc(count + 1, sizeof(*t->sources));
	t->first_row = calloc(t->run->member_count + 1, sizeof(*t->first_row));
	if (!to->rows || !t->sources || !t->first_row)
		return no_memory();
	put_time_rows(t, gpus);
	if (count)
		qsort(to->rows, count, sizeof(*to->rows), by_time_row);
	for (uint32_t i = 0; i < count; i++) {
		const struct run_time_row *row = &to->rows[i];

		if (row->kind == RUN_TIME_GPU)
			t->sources[i].gpu = &gpus->at[row->first];
		else
			t->sources[i].series = &t->events->series[row->first];
		t->first_row[row->rank + 1]++;
	}
	for (size_t i = 0; i < t->run->member_count; i++)
		t->first_row[i + 1] += t->first_row[i];
	return 0;
}

/* So many that a cell has TIME_POINTS, as far as there is room. */
static uint32_t choose_bins(const struct time_binning *t)
{
	size_t points = 0, threads = 0, rows = t->to->row_count;
	uint32_t bins = TIME_BINS_LEAST;

	for (size_t i = 0; i < rows; i++) {
		if (t->to->rows[i].kind != RUN_TIME_THREAD)
			continue;
		threads++;
		points += t->sources[i].series->count;
	}
	while (bins < TIME_BINS_MOST &&
	       2 * bins * TIME_POINTS * threads <= points)
		bins *= 2;
	while (bins > 1 && rows * bins > TIME_CELLS)
		bins /= 2;
	return bins;
}

static int make_axis(struct time_binning *t)
{
	const struct matched_events *events = t->events;
	const struct clock_source *first = events->sources;
	struct run_time_axis *axis = calloc(1, sizeof(*axis));
	int64_t end = INT64_MIN;

	t->begin = clocks_begin(t->clocks, events);
	for (size_t i = 0; i < events->source_count; i++) {
		const struct clock_source *s = &events->sources[i];
		int64_t to = clocks_time(t->clocks, s->process, s->end_mono);

		end = to > end ? to : end;
	}
	t->to->axes = axis;
	if (!axis)
		return no_memory();
	t->bins = choose_bins(t);
	t->width = end > t->begin ? (end - t->begin) / t->bins + 1 : 1;
	axis->begin_real_ns =
		first->start_real +
		(uint64_t)(t->begin - clocks_time(t->clocks, first->process,
						  first->start_mono));
	axis->width_ns = (uint64_t)t->width;
	axis->bins = t->bins;
	t->to->axis_count = 1;
	return 0;
}

static uint32_t bin_of_time(const struct time_binning *t, int64_t ns)
{
	int64_t bin = ns > t->begin ? (ns - t->begin) / t->width : 0;

	return bin < t->bins ? (uint32_t)bin : t->bins - 1;
}

static int64_t end_of_bin(const struct time_binning *t, uint32_t bin)
{
	return t->begin + (bin + 1) * t->width;
}

/* How much of from … to is in the bin. */
static double time_in_bin(const struct time_binning *t, uint32_t bin,
			  int64_t from, int64_t to)
{
	int64_t low = t->begin + bin * t->width, high = low + t->width;

	low = from > low ? from : low;
	high = to < high ? to : high;
	return high > low ? (double)(high - low) : 0;
}

/*
 * Kept calls: when a row was in them, and how much of that was waiting.
 */

static size_t row_of_event(const struct time_binning *t,
			   const struct event_record *p)
{
	for (size_t i = t->first_row[p->process];
	     i < t->first_row[p->process + 1]; i++)
		if (t->to->rows[i].kind == RUN_TIME_THREAD &&
		    t->to->rows[i].number == p->thread)
			return i;
	return SIZE_MAX;
}

static void spread_call(const struct time_binning *t, float *to, int64_t from,
			int64_t end)
{
	for (uint32_t b = bin_of_time(t, from), last = bin_of_time(t, end);
	     b <= last; b++)
		to[b] += (float)time_in_bin(t, b, from, end);
}

ORDER_BY(by_row_and_enter, struct kept_call, ASC(row) ?: ASC(enter))

static void give_calls_to_rows(struct time_binning *t)
{
	const struct kept_call *call = t->calls, *end;

	if (!t->call_count)
		return;
	end = call + t->call_count;
	qsort(t->calls, t->call_count, sizeof(*t->calls), by_row_and_enter);
	while (call < end) {
		struct time_source *of = &t->sources[call->row];

		of->calls = call;
		while (call < end && &t->sources[call->row] == of)
			call++;
		of->calls_end = call;
	}
}

static int keep_call(struct time_binning *t, size_t row,
		     const struct event_record *p)
{
	struct kept_call call = { p->enter, p->leave, (uint32_t)row, p->node };

	return array_append(&t->calls, &t->call_count, &t->call_room,
			    sizeof(call), &call)
		       ? 0
		       : no_memory();
}

static int spread_calls(struct time_binning *t, const struct wait_state *waits)
{
	int err = 0;
	size_t cells = t->to->row_count * t->bins;

	t->inside = calloc(cells + 1, sizeof(*t->inside));
	t->wait = calloc(cells + 1, sizeof(*t->wait));
	if (!t->inside || !t->wait)
		return no_memory();
	for (size_t i = 0; i < t->events->count && !err; i++) {
		const struct event_record *p = &t->events->at[i];
		size_t row = waits[i].joint ? SIZE_MAX : row_of_event(t, p);

		if (row == SIZE_MAX)
			continue;
		if (p->init) {
			t->sources[row].init = p->enter;
			t->sources[row].init_end = p->leave;
			t->sources[row].init_node = p->node;
		} else {
			err = keep_call(t, row, p);
		}
		spread_call(t, t->inside + row * t->bins, p->enter, p->leave);
		if (waits[i].ns > 0)
			spread_call(t, t->wait + row * t->bins, p->enter,
				    p->enter + waits[i].ns);
	}
	give_calls_to_rows(t);
	return err;
}

/*
 * The time of one row.
 */

static int put_time_piece(struct time_binning *t, uint32_t bin, uint32_t node,
			  double ns)
{
	struct time_piece piece = { bin, node, (float)ns };
	struct time_piece *last =
		t->piece_count ? &t->pieces[t->piece_count - 1] : NULL;
	struct bin_sums *sum = &t->sums[bin];
	const struct run_node *n = &t->run->nodes[node];

	sum->known += ns;
	if (t->files[node])
		sum->io += ns;
	else if (n->kind == RUN_MPI)
		sum->mpi += ns;
	if (last && last->bin == bin && last->node == node) {
		last->ns += piece.ns;
		return 0;
	}
	t->mixed |= last && last->bin > bin;
	return array_append(&t->pieces, &t->piece_count, &t->piece_room,
			    sizeof(piece), &piece)
		       ? 0
		       : -ENOMEM;
}

/* At the node all that time, `cpu` of it on a core. */
static int put_time(struct time_binning *t, int64_t from, int64_t to,
		    uint32_t node, double cpu)
{
	uint32_t first = bin_of_time(t, from);
	int err = 0;

	if (to <= from) {
		t->sums[bin_of_time(t, to)].busy += cpu;
		return 0;
	}
	/* Most are within one. */
	if (from >= t->begin && to <= end_of_bin(t, first)) {
		t->sums[first].busy += cpu;
		return put_time_piece(t, first, node, (double)(to - from));
	}
	for (uint32_t b = first, last = bin_of_time(t, to); b <= last && !err;
	     b++) {
		double ns = time_in_bin(t, b, from, to);

		if (ns <= 0)
			continue;
		t->sums[b].busy += cpu * ns / (double)(to - from);
		err = put_time_piece(t, b, node, ns);
	}
	return err;
}

/*
 * The same, but for when the row was in kept calls: a rank that waits without a
 * core has no samples there, and its time would be where it came back.
 */
static int put_around_calls(struct time_binning *t, struct time_source *row,
			    int64_t from, int64_t to, uint32_t node, double cpu)
{
	double each = to > from ? cpu / (double)(to - from) : 0;
	int err = to > from ? 0 : put_time(t, from, to, node, cpu);

	while (from < to && !err) {
		const struct kept_call *call;
		bool inside;
		int64_t end;

		while (row->calls < row->calls_end && row->calls->leave <= from)
			row->calls++;
		call = row->calls < row->calls_end ? row->calls : NULL;
		inside = call && call->enter <= from;
		end = inside ? call->leave : call ? call->enter : to;
		end = end < to ? end : to;
		err = put_time(t, from, end, inside ? call->node : node,
			       each * (double)(end - from));
		from = end;
	}
	return err;
}

/*
 * Where all calls are kept, a point in one does not tell where its thread was
 * before: where it was last outside of calls, or else in the caller.
 */
static uint32_t node_before(const struct time_binning *t,
			    struct time_source *row,
			    const struct trace_point *at)
{
	const struct kept_call *call = row->calls;
	uint32_t node;

	while (call < row->calls_end && call->leave < at->ns)
		call++;
	if (t->events->level || call == row->calls_end || call->enter > at->ns)
		return row->outside = at->node;
	for (node = call->node; t->run->nodes[node].kind == RUN_MPI;)
		node = t->run->nodes[node].parent;
	return row->outside ? row->outside : node;
}

/* Up to a point: what was thinned away before it, and its own. */
static int put_point(struct time_binning *t, struct time_source *row, size_t i)
{
	const struct series *s = row->series;
	const struct trace_point *at = &s->at[i];
	uint32_t node = node_before(t, row, at);
	int64_t own = at->ns - at->weight_ns;
	int64_t before = i ? s->at[i - 1].ns : own;
	double cpu = s->period_ns / s->every;
	int err = 0;

	t->sums[bin_of_time(t, at->ns)].moments++;
	if (own <= before)
		return put_around_calls(t, row, before, at->ns, node,
					s->period_ns);
	err = put_around_calls(t, row, before, own, node,
			       i ? s->period_ns - cpu : 0);
	return err ? err : put_around_calls(t, row, own, at->ns, node, cpu);
}

static int put_thread(struct time_binning *t, struct time_source *from)
{
	const struct series *s = from->series;
	int64_t start = s->count ? s->at[0].ns - s->at[0].weight_ns : INT64_MAX;
	int64_t end = from->init_end < start ? from->init_end : start;
	int err = 0;

	if (from->init_node)
		err = put_time(t, from->init, end, from->init_node, 0);
	for (size_t i = 0; i < s->count && !err; i++)
		err = put_point(t, from, i);
	return err;
}

/* Of several threads: a point's weight is CPU time. */
static int put_helpers(struct time_binning *t, const struct series *s)
{
	int err = 0;

	for (size_t i = 0; i < s->count && !err; i++) {
		const struct trace_point *at = &s->at[i];
		double cpu = s->every * at->weight_ns;

		t->sums[bin_of_time(t, at->ns)].moments++;
		err = put_time(t, at->ns - (int64_t)cpu, at->ns, at->node, cpu);
	}
	return err;
}

static void put_gpu(const struct time_binning *t, struct bin_sums *sums,
		    const struct gpu_bins_row *gpu)
{
	for (uint32_t i = 0; i < gpu->count; i++) {
		int64_t from = clocks_time(t->clocks, gpu->process,
					   (gpu->first + i) << gpu->shift);
		int64_t to = from + ((int64_t)1 << gpu->shift);

		if (gpu->ns[i] <= 0)
			continue;
		for (uint32_t b = bin_of_time(t, from); b <= bin_of_time(t, to);
		     b++)
			sums[b].gpu += (double)gpu->ns[i] *
				       time_in_bin(t, b, from, to) /
				       (double)(to - from);
	}
}

/*
 * Cells.
 */

ORDER_BY(by_piece, struct time_piece, ASC(bin) ?: ASC(node))

/* A bin has few, which are sorted faster without calls. */
static void sort_pieces(struct time_piece *at, size_t count)
{
	if (count > PIECES_FEW) {
		qsort(at, count, sizeof(*at), by_piece);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct time_piece piece = at[i];
		size_t to = i;

		for (; to && by_piece(&piece, &at[to - 1]) < 0; to--)
			at[to] = at[to - 1];
		at[to] = piece;
	}
}

static double below_node(const struct time_binning *t, uint32_t node,
			 const struct time_piece *at, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		if (at[i].node >= node && at[i].node < t->end[node])
			sum += (double)at[i].ns;
	return sum;
}

/*
 * The deepest node below which at least half of the time was.  In the order of
 * the tree, half of the time is before the median; so that is below the node.
 */
static uint32_t node_of_half(const struct time_binning *t,
			     const struct time_piece *at, size_t count,
			     double *ns)
{
	double all = 0, sum = 0;
	uint32_t node;
	size_t i;

	for (i = 0; i < count; i++)
		all += (double)at[i].ns;
	for (i = 0; i + 1 < count && sum + (double)at[i].ns < all / 2; i++)
		sum += (double)at[i].ns;
	for (node = at[i].node;; node = t->run->nodes[node].parent) {
		*ns = below_node(t, node, at, count);
		if (!node || *ns >= all * 0.499)
			return node;
	}
}

static uint8_t cell_share(double ns, double of)
{
	return of > 0 ? (uint8_t)(WHOLE * fmin(ns / of, 1) + 0.5) : 0;
}

/* The share of time inside MPI that was waiting. */
static double waiting_ratio(const struct time_binning *t,
			    const struct bin_sums *sum)
{
	if (sum->inside > 0)
		return fmin(sum->wait / sum->inside, 1);
	return t->row_inside > 0 ? fmin(t->row_wait / t->row_inside, 1) : 0;
}

static struct run_time_cell sum_cell(const struct time_binning *t,
				     const struct run_time_row *row,
				     const struct bin_sums *sum,
				     const struct time_piece *at, size_t count)
{
	double width = (double)t->width, path = 0;
	bool helpers = row->kind == RUN_TIME_HELPERS;
	struct run_time_cell cell = {
		.moments = (uint16_t)(sum->moments < UINT16_MAX ? sum->moments
								: UINT16_MAX),
		.known = cell_share(sum->known, width),
		.mpi = cell_share(sum->mpi, width),
		.mpi_wait = cell_share(sum->mpi * waiting_ratio(t, sum), width),
		.io = cell_share(sum->io, width),
		.gpu = cell_share(sum->gpu, width),
		.busy = (uint16_t)fmin(WHOLE * sum->busy / width + 0.5,
				       UINT16_MAX),
	};

	if (count)
		cell.node = node_of_half(t, at, count, &path);
	cell.share = cell_share(path, helpers ? sum->known : width);
	if (!helpers && cell.busy > cell.known)
		cell.busy = cell.known;
	if (row->kind == RUN_TIME_GPU) {
		cell.known = cell_share(1, 1);
		cell.busy = cell.gpu;
	}
	return cell;
}

static int put_time_cells(struct time_binning *t, struct run_time_row *row)
{
	const struct bin_sums *s = t->sums;
	uint32_t from = 0, to = t->bins;
	size_t next = 0;

	while (from < to && s[from].known <= 0 && s[from].gpu <= 0)
		from++;
	while (to > from && s[to - 1].known <= 0 && s[to - 1].gpu <= 0)
		to--;
	row->first = (uint32_t)t->to->cell_count;
	row->first_bin = from;
	row->cells = to - from;
	if (t->mixed)
		sort_pieces(t->pieces, t->piece_count);
	for (uint32_t b = from; b < to; b++) {
		struct run_time_cell cell;
		size_t first = next;

		while (next < t->piece_count && t->pieces[next].bin == b)
			next++;
		if (first < next && !t->mixed)
			sort_pieces(&t->pieces[first], next - first);
		cell = sum_cell(t, row, &s[b],
				first < next ? &t->pieces[first] : NULL,
				next - first);
		if (!array_append(&t->to->cells, &t->to->cell_count,
				  &t->cell_room, sizeof(cell), &cell))
			return -ENOMEM;
	}
	return 0;
}

static void begin_time_row(struct time_binning *t, size_t row)
{
	const float *inside = t->inside + row * t->bins;
	const float *wait = t->wait + row * t->bins;

	memset(t->sums, 0, t->bins * sizeof(*t->sums));
	t->piece_count = 0;
	t->mixed = false;
	t->row_inside = t->row_wait = 0;
	for (uint32_t b = 0; b < t->bins; b++) {
		t->sums[b].inside = (double)inside[b];
		t->sums[b].wait = (double)wait[b];
		t->row_inside += (double)inside[b];
		t->row_wait += (double)wait[b];
	}
}

static int make_time_row(struct time_binning *t, size_t i)
{
	struct run_time_row *row = &t->to->rows[i];
	struct time_source *from = &t->sources[i];
	int err = 0;

	begin_time_row(t, i);
	if (row->kind == RUN_TIME_GPU)
		put_gpu(t, t->sums, from->gpu);
	else if (row->kind == RUN_TIME_HELPERS)
		err = put_helpers(t, from->series);
	else
		err = put_thread(t, from);
	/* A thread's cells show the GPUs of its process. */
	for (size_t g = t->first_row[row->rank];
	     row->kind == RUN_TIME_THREAD && g < t->first_row[row->rank + 1];
	     g++)
		if (t->sources[g].gpu)
			put_gpu(t, t->sums, t->sources[g].gpu);
	return err ? err : put_time_cells(t, row);
}

/* Nodes are in depth-first order: where those below each end. */
static void look_at_nodes(const struct run *run, uint32_t *end, bool *files)
{
	for (uint32_t i = (uint32_t)run->node_count; i-- > 0;) {
		const struct run_node *n = &run->nodes[i];
		uint32_t parent = n->parent;

		files[i] = paths_is_file(run, i) ||
			   (n->kind == RUN_MPI && n->detail == LIVE_MPI_IO);

		if (!end[i])
			end[i] = i + 1;
		if (end[i] > end[parent])
			end[parent] = end[i];
	}
}

static int make_timeline(struct time_binning *t, const struct wait_state *waits)
{
	int err;

	t->end = calloc(t->run->node_count + 1, sizeof(*t->end));
	t->files = calloc(t->run->node_count + 1, sizeof(*t->files));
	t->sums = calloc(t->bins, sizeof(*t->sums));
	if (!t->end || !t->files || !t->sums)
		return no_memory();
	look_at_nodes(t->run, t->end, t->files);
	err = spread_calls(t, waits);
	for (size_t i = 0; i < t->to->row_count && !err; i++)
		err = make_time_row(t, i);
	return err;
}

int time_bins_make(struct run *run, const struct matched_events *events,
		   const struct wait_state *waits, const struct clocks *clocks,
		   const struct gpu_bins *gpus)
{
	struct time_binning t = { .run = run,
				  .events = events,
				  .clocks = clocks,
				  .to = &run->timeline };
	int err;

	if (!events->source_count || (!events->series_count && !gpus->count))
		return 0;
	err = make_time_rows(&t, gpus);
	if (!err)
		err = make_axis(&t);
	if (!err)
		err = make_timeline(&t, waits);
	free(t.sources);
	free(t.first_row);
	free(t.inside);
	free(t.wait);
	free(t.calls);
	free(t.end);
	free(t.files);
	free(t.sums);
	free(t.pieces);
	return err ? no_memory() : 0;
}
