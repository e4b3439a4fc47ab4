/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-sums.c - each GPU's energy once.
 *
 * Who shares a GPU reads it too, each for itself: its energy is that of the
 * process which read it for the longest.  Phases are of processes: what a GPU
 * took while two of them shared it is divided by the time that it worked for
 * each, over the run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"
#include "base/map.h"
#include "live/gpu-uses.h"
#include "run/gatherer.h"

#define NS        1e9
#define UJ        1e6
#define UJ_PER_NS 1e3 /* in watts */

enum {
	POWER_BINS = 1 << 20 /* of all GPUs */
};

struct board_reader {
	uint32_t process, power;
	uint32_t id; /* of the device, as the process counts them */
};

struct power_row {
	uint32_t reader, node; /* node: of the unified tree */
	struct run_power_phase phase;
};

struct power {
	struct run_energy sum;
	struct board_reader *readers; /* of each process and GPU */
	struct run_power_bin *bins;   /* of these, by reader */
	struct power_row *rows;       /* phases of readers */
	size_t reader_count, bin_count, row_count;
	size_t power_room, reader_room, bin_room, row_room;
	struct strings names;
	struct map found;
};

static void fini_power(void *state)
{
	struct power *p = state;

	run_energy_fini(&p->sum);
	free(p->readers);
	free(p->bins);
	free(p->rows);
	strings_fini(&p->names);
	map_fini(&p->found);
	*p = (struct power){ 0 };
}

static double mean_power(uint64_t sum, uint64_t ns)
{
	return ns ? (double)sum / (double)ns : -1;
}

/* When its bins were. */
static void read_when(struct run_power *to, const struct profile *profile,
		      const struct profile_power *from)
{
	uint64_t first = from->first_bin << from->bin_shift;

	to->width_ns = UINT64_C(1) << from->bin_shift;
	to->first_ns = first > profile->id.start_mono_ns
			       ? first - profile->id.start_mono_ns
			       : 0;
}

static void read_by(struct run_power *to, const struct profile_power *from)
{
	to->is_mig |= from->is_mig;
	to->counts = from->counts;
	to->readings = from->readings;
	to->failures = from->failures;
	to->reasons = from->reasons;
	to->integral_seconds = (double)from->known_ns / NS;
	to->integral = (double)from->power_uj / UJ;
	to->seconds = from->counts
			      ? (double)(from->last_ns - from->first_ns) / NS
			      : to->integral_seconds;
	to->joules =
		from->counts ? (double)from->counter_uj / UJ : to->integral;
	to->least_watts = from->least_mw / 1e3;
	to->most_watts = from->most_mw / 1e3;
	to->idle = fmin(to->least_watts * to->seconds, to->joules);
	to->sm_mhz = mean_power(from->sm_mhz_ns, from->clocks_ns);
	to->memory_mhz = mean_power(from->memory_mhz_ns, from->clocks_ns);
	to->used = mean_power(from->used_ns, from->use_ns);
	to->slowed = mean_power(from->slowed_ns, from->reasons_ns);
	to->celsius = from->most_celsius;
#define ADDED(type, name, ...) to->name = from->name;
#include "live/gpu-uses.def"
#undef ADDED
	to->reading_cpu = (double)from->cpu_ns / NS;
	to->slowest = (double)from->slowest_ns / NS;
}

/* Whose readings are taken must not depend on the order of files. */
static bool is_better(const struct profile_power *from,
		      const struct run_power *than)
{
	double seconds = (double)from->known_ns / NS;

	if (!than->readers || seconds != than->integral_seconds)
		return !than->readers || seconds > than->integral_seconds;
	return (double)from->power_uj / UJ > than->integral;
}

/* The GPU on that host, with that clock: a new one is empty. */
static bool find_power_row(struct power *p, const struct profile *profile,
			   const struct profile_power *from, uint32_t *index)
{
	uint32_t host = str_add(&p->names, profile->id.host);
	uint32_t clock = str_add(&p->names, profile->id.clock_id);
	uint32_t uuid = str_add(&p->names, from->uuid);
	struct run_power row = { .host = host,
				 .uuid = uuid,
				 .bus = str_add(&p->names, from->bus) };

	if (host == STR_NONE || clock == STR_NONE || uuid == STR_NONE ||
	    row.bus == STR_NONE)
		return false;
	*index = map_put(&p->found, (uint64_t)host << 32 | clock, uuid,
			 (uint32_t)p->sum.power_count);
	if (*index == MAP_NONE)
		return false;
	return *index < p->sum.power_count ||
	       array_append(&p->sum.powers, &p->sum.power_count, &p->power_room,
			    sizeof(row), &row);
}

static bool add_reader(struct power *p, const struct profile *profile,
		       const struct profile_power *from, uint32_t process)
{
	struct board_reader reader = {
		.process = process, .id = profile->devices[from->device].id
	};
	struct run_power *to;

	if (!find_power_row(p, profile, from, &reader.power))
		return false;
	to = &p->sum.powers[reader.power];
	if (is_better(from, to)) {
		read_by(to, from);
		read_when(to, profile, from);
		to->rank = (uint32_t)p->reader_count;
	}
	to->is_mig |= from->is_mig;
	to->readers++;
	return array_append(&p->readers, &p->reader_count, &p->reader_room,
			    sizeof(reader), &reader);
}

/* Those of all readers, as `power` their reader, as far as there is room. */
static bool add_power_bins(struct power *p, const struct profile *profile,
			   uint32_t first)
{
	bool good = true;

	for (size_t i = 0; i < profile->power_bin_count && good; i++) {
		const struct profile_power_bin *b = &profile->power_bins[i];
		double ns = (double)b->uses_ns;
		struct run_power_bin row = {
			.power = first + b->power,
			.bin = b->bin,
			.watts = UJ_PER_NS * (double)b->uj / (double)b->ns,
			.known = ns / NS,
			.sm = ns > 0 ? (double)b->use_sm / ns : 0,
			.tensor = ns > 0 ? (double)b->use_tensor / ns : 0,
			.memory = ns > 0 ? (double)b->use_memory / ns : 0,
		};

		if (p->bin_count < POWER_BINS)
			good = array_append(&p->bins, &p->bin_count,
					    &p->bin_room, sizeof(row), &row);
	}
	return good;
}

static int gather_power(void *state, const struct gathered *one)
{
	struct power *p = state;
	const struct profile *profile = one->profile;
	uint32_t first = (uint32_t)p->reader_count;
	bool good = p->names.count || str_add(&p->names, "") != STR_NONE;

	for (size_t i = 0; i < profile->power_count && good; i++)
		good = add_reader(p, profile, &profile->powers[i],
				  one->process);
	good = good && add_power_bins(p, profile, first);
	for (size_t i = 0; i < profile->power_phase_count && good; i++) {
		const struct profile_power_phase *f = &profile->power_phases[i];
		struct power_row row = {
			first + f->power,
			one->nodes[f->node],
			{
				.readings = f->readings,
				.joules = (double)f->uj / UJ,
				.seconds = (double)f->ns / NS,
#define ADDED(type, name, ...) .name = f->name,
#include "live/gpu-uses.def"
#undef ADDED
			},
		};

		good = array_append(&p->rows, &p->row_count, &p->row_room,
				    sizeof(row), &row);
	}
	return good ? 0 : no_memory();
}

/*
 * The run.
 */

static void want_power(const void *state, bool *wanted)
{
	const struct power *p = state;

	for (size_t i = 0; i < p->row_count; i++)
		wanted[p->rows[i].node] = true;
}

/* Shares by process and its number of the device. */
static int find_shares(struct map *to, const struct run_gpu *g)
{
	for (uint32_t i = 0; i < g->share_count; i++)
		if (map_put(to, g->shares[i].rank, g->shares[i].id, i) ==
		    MAP_NONE)
			return -ENOMEM;
	return 0;
}

/*
 * What of a GPU's time was each reader's: into shares[], by reader; and which
 * devices are of it.
 */
static int divide_power(struct power *p, const struct run *run, double *shares)
{
	const struct run_gpu *g = &run->gpu;
	struct map map = { 0 };
	int err = find_shares(&map, g);

	for (size_t i = 0; i < p->sum.device_count; i++)
		p->sum.devices[i].power = RUN_NO_POWER;
	for (size_t i = 0; i < p->reader_count && !err; i++) {
		const struct board_reader *r = &p->readers[i];
		uint32_t at = map_get(&map, r->process, r->id);

		shares[i] = 0;
		if (at == MAP_NONE)
			continue;
		shares[i] = (double)g->shares[at].busy_ns;
		p->sum.devices[g->shares[at].device].power = r->power;
	}
	map_fini(&map);
	return err;
}

/* Sums by GPU, then shares[] of them; equal ones where there was no work. */
static void normalise_shares(const struct power *p, double *shares,
			     double *sums)
{
	for (size_t i = 0; i < p->reader_count; i++)
		sums[p->readers[i].power] += shares[i];
	for (size_t i = 0; i < p->reader_count; i++) {
		uint32_t power = p->readers[i].power;

		shares[i] = sums[power] > 0
				    ? shares[i] / sums[power]
				    : 1.0 / p->sum.powers[power].readers;
	}
}

ORDER_BY(by_power_row, struct power_row,
	 ASC(phase.power) ?: ASC(phase.node) ?: ASC(phase.joules) ?:
	 ASC(phase.seconds))

/* Who shares a GPU reads the same uses: as for times, the shares are theirs. */
static void add_phase(struct run_power_phase *to,
		      const struct run_power_phase *from)
{
	to->readings += from->readings;
	to->joules += from->joules;
	to->seconds += from->seconds;
#define ADDED(type, name, ...) to->name = gpu_use_sum(to->name, from->name);
#include "live/gpu-uses.def"
#undef ADDED
}

/* Sorted by what is added, too: the sums do not depend on the files' order. */
static int put_phases(struct power *p, const double *shares,
		      const uint32_t *became)
{
	struct run_energy *e = &p->sum;

	e->phases = calloc(p->row_count + 1, sizeof(*e->phases));
	if (!e->phases)
		return -ENOMEM;
	for (size_t i = 0; i < p->row_count; i++) {
		struct power_row *r = &p->rows[i];

		r->phase.power = p->readers[r->reader].power;
		r->phase.node = became[r->node];
		r->phase.joules *= shares[r->reader];
	}
	if (p->row_count)
		qsort(p->rows, p->row_count, sizeof(*p->rows), by_power_row);
	for (size_t i = 0; i < p->row_count; i++) {
		const struct run_power_phase *f = &p->rows[i].phase;
		struct run_power_phase *last = e->phases + e->phase_count;

		if (!e->phase_count || last[-1].power != f->power ||
		    last[-1].node != f->node) {
			*last = *f;
			e->phase_count++;
			continue;
		}
		add_phase(&last[-1], f);
	}
	return 0;
}

ORDER_BY(by_power_bin, struct run_power_bin, ASC(power) ?: ASC(bin))

/* Those of the readers whose values are taken; these become processes. */
static void put_power_bins(struct power *p)
{
	struct run_energy *e = &p->sum;

	for (size_t i = 0; i < p->bin_count; i++) {
		uint32_t reader = p->bins[i].power;
		uint32_t power = p->readers[reader].power;

		if (e->powers[power].rank != reader)
			continue;
		p->bins[e->bin_count] = p->bins[i];
		p->bins[e->bin_count++].power = power;
	}
	if (e->bin_count)
		qsort(p->bins, e->bin_count, sizeof(*p->bins), by_power_bin);
	e->bins = p->bins;
	p->bins = NULL;
	for (size_t i = 0; i < e->power_count; i++)
		e->powers[i].rank = p->readers[e->powers[i].rank].process;
}

static int name_boards(struct power *p, struct run *run)
{
	for (size_t i = 0; i < p->sum.power_count; i++) {
		struct run_power *w = &p->sum.powers[i];
		uint32_t *const words[] = { &w->host, &w->uuid, &w->bus };

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
			*words[k] = str_add(&run->strings,
					    str_at(&p->names, *words[k]));
			if (*words[k] == STR_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

/* run->gpu is there already. */
static int finish_power(void *state, struct run *run, const uint32_t *order,
			const uint32_t *became)
{
	struct power *p = state;
	struct run_energy *e = &p->sum;
	double *shares = calloc(p->reader_count + 1, sizeof(*shares));
	double *sums = calloc(e->power_count + 1, sizeof(*sums));
	int err = shares && sums ? name_boards(p, run) : -ENOMEM;

	if (e->power_count && !err) {
		e->devices =
			calloc(run->gpu.device_count + 1, sizeof(*e->devices));
		e->device_count = e->devices ? run->gpu.device_count : 0;
		for (size_t i = 0; i < p->reader_count; i++)
			p->readers[i].process = order[p->readers[i].process];
		put_power_bins(p);
		err = e->devices ? divide_power(p, run, shares) : -ENOMEM;
		if (!err) {
			normalise_shares(p, shares, sums);
			err = put_phases(p, shares, became);
		}
	}
	free(shares);
	free(sums);
	if (err)
		return no_memory();
	run->energy = *e;
	*e = (struct run_energy){ 0 };
	fini_power(p);
	return 0;
}

const struct gatherer gatherer_power_sums = { .size = sizeof(struct power),
					      .fini = fini_power,
					      .add = gather_power,
					      .wanted = want_power,
					      .finish = finish_power };
