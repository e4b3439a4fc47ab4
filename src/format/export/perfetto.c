/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfetto.c - chosen ranks as a trace for Perfetto's viewer, each a process.
 *
 * A thread's track shows what it was in most of each bin of the timeline, as
 * nested slices; bins that follow one another in the same function are one
 * slice.  Each bin is also an instant with its call stack and its time, of
 * which the viewer makes a flame graph for any area that is selected.  Counters
 * tell CPU time, MPI and GPUs in per cent of a bin.  An arrow for each large
 * cause of waiting goes from the culprit to its largest victim, in the bin
 * where that waited most.  Kept calls of MPI and iterations have exact times,
 * on tracks of their own (perfetto-calls.h).  The track "profile" has all that
 * the rank has in each call path, in instants at its start: exact sums, without
 * a time axis.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/paths/paths.h"
#include "analyse/base/processes.h"
#include "base/err.h"
#include "base/round.h"
#include "format/format.h"
#include "format/export/perfetto-calls.h"
#include "format/export/perfetto-slices.h"
#include "run/values.h"

enum {
	ARROWS = 64, /* causes of waiting, at most */
	PER_CENT = 100,
	TRACKS = 16 /* ids of one row, or one rank */
};

/* Ids of tracks: of rows, behind those of ranks. */
enum rank_track {
	TRACK_PROCESS = 1,
	TRACK_PROFILE,
	TRACK_ITERATIONS,
	TRACK_RESIDENT,
	TRACK_MEMORY /* of GPUs: TRACKS - TRACK_MEMORY, the last takes more */
};

enum row_track {
	TRACK_SLICES = 1,
	TRACK_SAMPLES,
	TRACK_BUSY,
	TRACK_MPI,
	TRACK_WAIT,
	TRACK_FILES,
	TRACK_ARROWS,
	TRACK_CALLS
};

static const struct profile_metric {
	enum perfetto_note note;
	const char *name;
} profile_metrics[] = {
	{ PERFETTO_CPU, "cpu.time" },
	{ PERFETTO_WALL, "wall.time" },
	{ PERFETTO_MPI, "mpi.time" },
	{ PERFETTO_GPU, "gpu.time" },
};

enum {
	PROFILE_METRICS = sizeof(profile_metrics) / sizeof(*profile_metrics)
};

struct tracing {
	struct perfetto trace;
	const struct run *run;
	const struct run_timeline *line;
	const struct run_time_axis *axis; /* NULL: no timeline */
	struct paths paths;
	uint64_t begin; /* of the trace, since 1970; 0 in it */
	uint64_t *values[PROFILE_METRICS]; /* by path */
	uint32_t *chain;                   /* of paths */
	bool *chosen;                      /* by process */
	struct perfetto_calls calls;
	struct perfetto_slices slices;
};

static uint64_t rank_track(uint32_t process, enum rank_track track)
{
	return (uint64_t)process * TRACKS + track;
}

static uint64_t row_track(const struct tracing *t, size_t row,
			  enum row_track track)
{
	return (t->run->rank_count + row) * TRACKS + track;
}

/* Clocks of hosts differ: by theirs it may have begun before the first. */
static uint64_t start_time(const struct tracing *t, uint32_t process)
{
	uint64_t start = t->run->ranks[process].start_real_ns;

	return start > t->begin ? start - t->begin : 0;
}

static uint64_t bin_time(const struct tracing *t, uint32_t bin)
{
	return bin * t->axis->width_ns;
}

/*
 * Slices of a thread.
 */

/* Of a path and its callers, those that are below `above`. */
static void open_slices(struct tracing *t, uint64_t track, uint64_t ns,
			uint32_t above, uint32_t path)
{
	size_t count = 0;

	for (; path != above; path = t->paths.at[path].parent)
		t->chain[count++] = path;
	while (count-- > 0)
		perfetto_begin(
			&t->trace, track, ns,
			paths_function(t->run,
				       t->paths.at[t->chain[count]].node));
}

/* From one path to the other, by way of what they have in common. */
static void change_slices(struct tracing *t, uint64_t track, uint64_t ns,
			  uint32_t from, uint32_t to)
{
	uint32_t above = paths_common(&t->paths, from, to);

	for (; from != above; from = t->paths.at[from].parent)
		perfetto_end(&t->trace, track, ns);
	open_slices(t, track, ns, above, to);
}

/* A row's path in its bin number c, from 0; 0: not known. */
static uint32_t path_in_bin(const struct tracing *t,
			    const struct run_time_row *row, uint32_t c)
{
	const struct run_time_cell *cell;

	if (c >= row->cells)
		return 0;
	cell = &t->line->cells[row->first + c];
	return cell->known ? t->paths.of[cell->node] : 0;
}

static void trace_slices(struct tracing *t, const struct run_time_row *row,
			 uint64_t track)
{
	uint32_t open = 0;

	for (uint32_t c = 0; c <= row->cells; c++) {
		uint32_t path = path_in_bin(t, row, c);

		change_slices(t, track, bin_time(t, row->first_bin + c), open,
			      path);
		open = path;
	}
}

static void trace_samples(struct tracing *t, const struct run_time_row *row,
			  uint64_t track)
{
	for (uint32_t c = 0; c < row->cells; c++) {
		const struct run_time_cell *cell =
			&t->line->cells[row->first + c];
		uint32_t path = t->paths.of[cell->node];
		uint64_t whole = row->kind == RUN_TIME_HELPERS ? cell->busy
							       : RUN_TIME_WHOLE;

		if (!cell->share || !path)
			continue;
		perfetto_note(&t->trace, PERFETTO_TIME,
			      t->axis->width_ns * cell->share / RUN_TIME_WHOLE *
				      whole / RUN_TIME_WHOLE);
		perfetto_note(&t->trace, PERFETTO_MOMENTS, cell->moments);
		perfetto_stack(&t->trace, path);
		perfetto_instant(
			&t->trace, track,
			bin_time(t, row->first_bin + c) + t->axis->width_ns / 2,
			paths_function(t->run, t->paths.at[path].node));
	}
}

/*
 * Counters of a row.
 */

static unsigned int cell_busy(const struct run_time_cell *c)
{
	return c->busy;
}

static unsigned int cell_mpi(const struct run_time_cell *c)
{
	return c->mpi;
}

static unsigned int cell_wait(const struct run_time_cell *c)
{
	return c->mpi_wait;
}

static unsigned int cell_files(const struct run_time_cell *c)
{
	return c->io;
}

static const struct row_counter {
	enum row_track track;
	const char *name;
	unsigned int (*of)(const struct run_time_cell *cell);
} row_counters[] = {
	{ TRACK_BUSY, "busy", cell_busy },
	{ TRACK_MPI, "in MPI", cell_mpi },
	{ TRACK_WAIT, "waiting in MPI", cell_wait },
	{ TRACK_FILES, "reading and writing files", cell_files },
};

static void trace_counter(struct tracing *t, size_t index,
			  const struct row_counter *counter, const char *of)
{
	const struct run_time_row *row = &t->line->rows[index];
	uint64_t track = row_track(t, index, counter->track);
	char *name = str_format("%s: %s", of, counter->name);

	t->trace.out.exhausted |= !name;
	if (name)
		perfetto_counter_track(&t->trace, track,
				       rank_track(row->rank, TRACK_PROCESS),
				       name, "%");
	free(name);
	for (uint32_t c = 0; c < row->cells; c++)
		perfetto_count(
			&t->trace, track, bin_time(t, row->first_bin + c),
			PER_CENT *
				counter->of(&t->line->cells[row->first + c]) /
				RUN_TIME_WHOLE);
	perfetto_count(&t->trace, track,
		       bin_time(t, row->first_bin + row->cells), 0);
}

static bool row_has(const struct tracing *t, const struct run_time_row *row,
		    const struct row_counter *counter)
{
	for (uint32_t c = 0; c < row->cells; c++)
		if (counter->of(&t->line->cells[row->first + c]))
			return true;
	return false;
}

/* "thread 0", "other threads", "GPU 1"; to be freed, or NULL. */
static char *row_name(const struct run_time_row *row)
{
	if (row->kind == RUN_TIME_HELPERS)
		return str_format("other threads");
	return str_format(row->kind == RUN_TIME_GPU ? "GPU %" PRIu32
						    : "thread %" PRIu32,
			  row->number);
}

static void trace_row(struct tracing *t, size_t index)
{
	const struct run_time_row *row = &t->line->rows[index];
	uint64_t process = rank_track(row->rank, TRACK_PROCESS);
	uint64_t slices = row_track(t, index, TRACK_SLICES);
	uint64_t samples = row_track(t, index, TRACK_SAMPLES);
	char *name = row_name(row);

	if (!name) {
		t->trace.out.exhausted = true;
		return;
	}
	if (row->kind != RUN_TIME_GPU) {
		perfetto_thread(&t->trace, slices, process, row->rank + 1,
				t->run->rank_count + 1 + index, name);
		trace_slices(t, row, slices);
		perfetto_track(&t->trace, samples, slices, "samples");
		trace_samples(t, row, samples);
	}
	if (row->kind == RUN_TIME_THREAD)
		perfetto_calls_put(&t->calls, &t->trace, row,
				   row_track(t, index, TRACK_CALLS), slices);
	for (size_t i = 0; i < sizeof(row_counters) / sizeof(*row_counters);
	     i++)
		if (row_has(t, row, &row_counters[i]))
			trace_counter(t, index, &row_counters[i], name);
	free(name);
}

/*
 * Memory.
 */

static void trace_resident(struct tracing *t, uint32_t process)
{
	const struct run_memory *m = &t->run->memory;
	uint64_t start = start_time(t, process);
	uint64_t track = rank_track(process, TRACK_RESIDENT);
	bool begun = false;

	for (size_t i = 0; i < m->reading_count; i++) {
		const struct run_memory_reading *r = &m->readings[i];

		if (r->rank != process)
			continue;
		if (!begun)
			perfetto_counter_track(
				&t->trace, track,
				rank_track(process, TRACK_PROCESS), "memory",
				"B");
		begun = true;
		perfetto_count(&t->trace, track, start + r->ns, r->resident);
	}
}

/* Of GPUs. */

static void trace_memory(struct tracing *t, uint32_t process)
{
	const struct run_facts *facts = &t->run->facts;
	uint64_t start = start_time(t, process);
	uint64_t track = rank_track(process, TRACK_MEMORY);

	for (uint32_t h = 0; h < facts->holder_count; h++) {
		const struct run_holder *holder = &facts->holders[h];
		char *name;

		if (holder->rank != process || !holder->width_ns ||
		    holder->device == UINT32_MAX ||
		    track == (uint64_t)(process + 1) * TRACKS)
			continue;
		name = str_format("memory of GPU %" PRIu32, holder->device);
		t->trace.out.exhausted |= !name;
		if (name)
			perfetto_counter_track(
				&t->trace, track,
				rank_track(process, TRACK_PROCESS), name, "B");
		free(name);
		for (size_t i = 0; i < facts->bin_count; i++)
			if (facts->bins[i].holder == h)
				perfetto_count(&t->trace, track,
					       start + holder->first_ns +
						       facts->bins[i].bin *
							       holder->width_ns,
					       facts->bins[i].bytes);
		track++;
	}
}

/*
 * Power of GPUs, and what their parts were used for, which one of its processes
 * read.
 */

static double bin_watts(const struct run_power_bin *bin)
{
	return bin->watts;
}

static double bin_tensor(const struct run_power_bin *bin)
{
	return 100 * bin->tensor;
}

static double bin_memory(const struct run_power_bin *bin)
{
	return 100 * bin->memory;
}

static double bin_sm(const struct run_power_bin *bin)
{
	return 100 * bin->sm;
}

static const struct power_counter {
	const char *name, *unit;
	double (*of)(const struct run_power_bin *bin);
	bool of_uses;
} power_counters[] = {
	{ "power of GPU", "W", bin_watts, false },
	{ "tensor cores of GPU", "%", bin_tensor, true },
	{ "memory bandwidth of GPU", "%", bin_memory, true },
	{ "multiprocessors of GPU", "%", bin_sm, true },
};

static void trace_power_counter(struct tracing *t, uint32_t index, size_t which)
{
	const struct power_counter *counter = &power_counters[which];
	const struct run_energy *e = &t->run->energy;
	const struct run_power *power = &e->powers[index];
	uint64_t start = start_time(t, power->rank) + power->first_ns, end = 0;
	uint64_t track = row_track(t, t->line->row_count + index,
				   (enum row_track)(which + 1));
	char *name = str_format("%s %s", counter->name,
				str_at(&t->run->strings, power->uuid));

	t->trace.out.exhausted |= !name;
	if (name)
		perfetto_counter_track(&t->trace, track,
				       rank_track(power->rank, TRACK_PROCESS),
				       name, counter->unit);
	free(name);
	for (size_t i = 0; i < e->bin_count; i++) {
		const struct run_power_bin *bin = &e->bins[i];

		if (bin->power != index || (counter->of_uses && !bin->known))
			continue;
		end = start + (bin->bin + 1) * power->width_ns;
		perfetto_count(&t->trace, track, end - power->width_ns,
			       round_to_count(counter->of(bin)));
	}
	if (end)
		perfetto_count(&t->trace, track, end, 0);
}

static void trace_power(struct tracing *t, uint32_t index)
{
	bool uses = t->run->energy.powers[index].uses_ns > 0;

	for (size_t i = 0; i < sizeof(power_counters) / sizeof(*power_counters);
	     i++)
		if (uses || !power_counters[i].of_uses)
			trace_power_counter(t, index, i);
}

/*
 * The profile.
 */

static int take_profile(struct tracing *t, uint32_t process,
			struct value_buffer *buffer)
{
	int err = 0;

	for (size_t m = 0; m < PROFILE_METRICS && !err; m++) {
		const struct run_metric *metric =
			run_metric(t->run, profile_metrics[m].name);
		const struct run_value *of;
		size_t count = 0;

		if (!metric)
			continue;
		err = values_of_rank(t->run, (size_t)(metric - t->run->metrics),
				     process, buffer, &of, &count);
		for (size_t i = 0; i < count && !err; i++)
			t->values[m][t->paths.of[of[i].rank]] += of[i].value;
	}
	return err;
}

static int trace_profile(struct tracing *t, uint32_t process,
			 struct value_buffer *buffer)
{
	uint64_t track = rank_track(process, TRACK_PROFILE);
	uint64_t start = start_time(t, process);
	int err = take_profile(t, process, buffer);

	perfetto_track(&t->trace, track, rank_track(process, TRACK_PROCESS),
		       "profile");
	for (uint32_t p = 0; p < t->paths.count && !err; p++) {
		bool any = false;

		for (size_t m = 0; m < PROFILE_METRICS; m++) {
			if (t->values[m][p])
				perfetto_note(&t->trace,
					      profile_metrics[m].note,
					      t->values[m][p]);
			any |= t->values[m][p];
			t->values[m][p] = 0;
		}
		if (!any)
			continue;
		perfetto_stack(&t->trace, p);
		perfetto_instant(&t->trace, track, start,
				 paths_function(t->run, t->paths.at[p].node));
	}
	return err;
}

/*
 * Arrows from culprits to victims.
 */

/* Of the chosen ones, who waited most; or rank_count. */
static uint32_t arrow_victim(const struct tracing *t, uint32_t cause)
{
	const struct run_waits *w = &t->run->waits;
	const struct run_cause_victim *most = NULL;

	for (size_t i = 0; i < w->victim_count; i++) {
		const struct run_cause_victim *v = &w->victims[i];

		if (v->cause == cause && t->chosen[v->rank] &&
		    (!most || v->ns > most->ns))
			most = v;
	}
	return most ? most->rank : (uint32_t)t->run->rank_count;
}

static bool path_is_below(const struct tracing *t, uint32_t path,
			  uint32_t above)
{
	return path >= above && path < t->paths.at[above].end;
}

/* A thread's cell of a bin; NULL: there is none. */
static const struct run_time_cell *cell_at(const struct tracing *t, size_t row,
					   uint32_t bin)
{
	const struct run_time_row *r = &t->line->rows[row];

	if (bin < r->first_bin || bin - r->first_bin >= r->cells)
		return NULL;
	return &t->line->cells[r->first + bin - r->first_bin];
}

/* The row of a rank's first thread that calls MPI; row_count: none. */
static size_t row_of_rank(const struct tracing *t, uint32_t process)
{
	size_t row = 0;

	while (row < t->line->row_count &&
	       (t->line->rows[row].rank != process ||
		t->line->rows[row].kind != RUN_TIME_THREAD))
		row++;
	return row;
}

/* The bin where the victim waited most there; UINT32_MAX: in none. */
static uint32_t arrow_bin(const struct tracing *t, size_t victim, uint32_t path)
{
	const struct run_time_row *row = &t->line->rows[victim];
	uint32_t best = UINT32_MAX;
	unsigned int most = 0;

	for (uint32_t c = 0; c < row->cells; c++) {
		const struct run_time_cell *cell =
			&t->line->cells[row->first + c];

		if (cell->mpi_wait > most &&
		    path_is_below(t, t->paths.of[cell->node], path)) {
			most = cell->mpi_wait;
			best = row->first_bin + c;
		}
	}
	return best;
}

static void trace_arrow(struct tracing *t, uint32_t index, uint64_t flow)
{
	const struct run_cause *cause = &t->run->waits.causes[index];
	uint32_t victim = arrow_victim(t, index), bin;
	size_t from, to;

	if (victim == t->run->rank_count || victim == cause->culprit)
		return;
	from = row_of_rank(t, cause->culprit);
	to = row_of_rank(t, victim);
	if (from == t->line->row_count || to == t->line->row_count)
		return;
	bin = arrow_bin(t, to, t->paths.of[cause->victim]);
	if (bin == UINT32_MAX || !cell_at(t, from, bin))
		return;
	perfetto_note(&t->trace, PERFETTO_WAITED, round_to_count(cause->ns));
	perfetto_flow(&t->trace, flow, false);
	perfetto_instant(&t->trace, row_track(t, from, TRACK_ARROWS),
			 bin_time(t, bin), "others wait");
	perfetto_note(&t->trace, PERFETTO_WAITED, round_to_count(cause->ns));
	perfetto_flow(&t->trace, flow, true);
	perfetto_instant(&t->trace, row_track(t, to, TRACK_ARROWS),
			 bin_time(t, bin) + t->axis->width_ns / 2,
			 paths_function(t->run, cause->victim));
}

static void trace_arrows(struct tracing *t)
{
	const struct run_waits *w = &t->run->waits;

	for (size_t i = 0; i < t->line->row_count; i++)
		if (t->chosen[t->line->rows[i].rank] && w->cause_count &&
		    t->line->rows[i].kind == RUN_TIME_THREAD)
			perfetto_track(&t->trace, row_track(t, i, TRACK_ARROWS),
				       row_track(t, i, TRACK_SLICES),
				       "who waits for whom");
	for (uint32_t i = 0; i < w->cause_count && i < ARROWS; i++)
		if (w->causes[i].culprit < t->run->rank_count &&
		    t->chosen[w->causes[i].culprit])
			trace_arrow(t, i, i + 1);
}

/*
 * All of it.
 */

static int tracing_init(struct tracing *t, const struct run *run,
			const struct rank_choice *ranks)
{
	int err;

	*t = (struct tracing){ .run = run, .line = &run->timeline };
	err = paths_init(&t->paths, run);
	if (!err)
		err = perfetto_init(&t->trace, &t->paths);
	if (err)
		return err;
	t->chosen = calloc(run->rank_count + 1, sizeof(*t->chosen));
	for (size_t m = 0; m < PROFILE_METRICS; m++) {
		t->values[m] =
			calloc(t->paths.count + 1, sizeof(*t->values[m]));
		if (!t->values[m])
			return no_memory();
	}
	t->chain = calloc(t->paths.count + 1, sizeof(*t->chain));
	if (!t->chosen || !t->chain)
		return no_memory();
	for (size_t i = 0; i < ranks->count; i++)
		t->chosen[ranks->at[i].process] = true;
	t->begin = UINT64_MAX;
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].start_real_ns < t->begin)
			t->begin = run->ranks[i].start_real_ns;
	if (t->line->axis_count) {
		t->axis = &t->line->axes[0];
		t->begin = t->axis->begin_real_ns;
	}
	err = perfetto_calls_init(&t->calls, run, t->chosen, ARROWS + 1);
	if (!err)
		err = perfetto_slices_init(&t->slices, run);
	t->slices.flows = ARROWS + 1 + run->waits.operation_count;
	t->slices.tracks =
		row_track(t, t->line->row_count + run->energy.power_count, 0);
	return err;
}

static void tracing_fini(struct tracing *t)
{
	for (size_t m = 0; m < PROFILE_METRICS; m++)
		free(t->values[m]);
	operation_index_fini(&t->calls.index);
	perfetto_slices_fini(&t->slices);
	free(t->chosen);
	free(t->chain);
	perfetto_fini(&t->trace);
	paths_fini(&t->paths);
}

/*
 * GPUs, piece by piece.
 */

/* Of threads that have a row of the timeline. */
static int trace_gpu_slices(struct tracing *t, uint32_t process)
{
	const struct run_slice_axis *axis = t->run->slices.axes;
	uint64_t *of_thread = NULL;
	size_t threads = 0;
	int err;

	for (size_t i = 0; i < t->line->row_count; i++) {
		const struct run_time_row *row = &t->line->rows[i];

		if (row->rank == process && row->kind == RUN_TIME_THREAD &&
		    row->number >= threads && row->number < UINT16_MAX)
			threads = row->number + 1;
	}
	of_thread = calloc(threads + 1, sizeof(*of_thread));
	if (!of_thread)
		return no_memory();
	for (size_t i = 0; i < t->line->row_count; i++) {
		const struct run_time_row *row = &t->line->rows[i];

		if (row->rank == process && row->kind == RUN_TIME_THREAD &&
		    row->number < threads)
			of_thread[row->number] = row_track(t, i, TRACK_SLICES);
	}
	t->slices.shift = axis->begin_real_ns > t->begin
				  ? axis->begin_real_ns - t->begin
				  : 0;
	err = perfetto_slices_put(&t->slices, &t->trace, process,
				  rank_track(process, TRACK_PROCESS), of_thread,
				  threads);
	free(of_thread);
	return err;
}

static int trace_process(struct tracing *t, const struct rank_pick *pick,
			 struct value_buffer *buffer)
{
	const struct run *run = t->run;
	uint32_t process = pick->process;
	char *name =
		str_format("%s %" PRIu64 " · %s%s%s", processes_noun(run),
			   processes_number(run, process),
			   str_at(&run->strings, run->ranks[process].host),
			   pick->why ? " · " : "", pick->why ? pick->why : "");
	int err;

	if (!name)
		return no_memory();
	perfetto_process(&t->trace, rank_track(process, TRACK_PROCESS),
			 process + 1, name);
	free(name);
	err = trace_profile(t, process, buffer);
	trace_resident(t, process);
	trace_memory(t, process);
	for (uint32_t i = 0; i < run->energy.power_count; i++)
		if (run->energy.powers[i].rank == process &&
		    run->energy.powers[i].width_ns)
			trace_power(t, i);
	perfetto_iterations(run, &t->trace, process, t->begin,
			    rank_track(process, TRACK_ITERATIONS),
			    rank_track(process, TRACK_PROCESS));
	for (size_t i = 0; t->axis && i < t->line->row_count; i++)
		if (t->line->rows[i].rank == process)
			trace_row(t, i);
	if (!err && run->slices.axis_count)
		err = trace_gpu_slices(t, process);
	return err ? err : blob_error(&t->trace.out);
}

static int write_perfetto(FILE *to, const struct run *run,
			  const struct format_choice *choice)
{
	struct value_buffer buffer = { 0 };
	struct tracing t;
	int err = tracing_init(&t, run, choice->ranks);

	for (size_t i = 0; i < choice->ranks->count && !err; i++)
		err = trace_process(&t, &choice->ranks->at[i], &buffer);
	if (!err && t.axis)
		trace_arrows(&t);
	if (!err)
		err = blob_error(&t.trace.out);
	if (!err && t.trace.out.size)
		fwrite(t.trace.out.at, 1, t.trace.out.size, to);
	value_buffer_fini(&buffer);
	tracing_fini(&t);
	return err;
}

const struct format format_perfetto = {
	.name = "perfetto",
	.help = "a trace for ui.perfetto.dev: ranks over time, streams of GPUs",
	.write_run = write_perfetto,
	.by_rank = true,
	.apart = 64,
	.binary = true,
};
