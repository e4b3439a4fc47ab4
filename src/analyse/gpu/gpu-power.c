/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-power.c - the energy of GPUs: of each, by phase and by call path. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/energy.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/value.h"
#include "base/comparison.h"

#define NS     1e9
#define ENOUGH 0.9 /* of the run, that a GPU was read */

enum {
	ROWS = 20
};

struct power_column {
	const char *id, *title;
	enum column_type type;
};

static void power_columns(struct report *report, const struct power_column *at,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_column(report, at[i].id, at[i].title, at[i].type);
}
#define COLUMNS(report, at)                                                    \
	power_columns(report, at, sizeof(at) / sizeof(*(at)))

/* Why clocks were held down: NVML's bits. */
static const struct {
	uint64_t bit;
	const char *word;
} reasons[] = {
	{ 0x4, "power cap" },    { 0x8, "hardware" },
	{ 0x20, "heat" },        { 0x40, "heat, by hardware" },
	{ 0x80, "power brake" },
};

static void reasons_cell(struct report *report, uint64_t bits)
{
	char text[128] = "";
	size_t at = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (bits & reasons[i].bit)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s%s", at ? "; " : "",
					       reasons[i].word);
	report_text(report, *text ? text : NULL);
}

/* -1 is not known. */
static void known_cell(struct report *report, double value)
{
	value_known(report, value < 0 ? NO_VALUE : value);
}

static void known_count(struct report *report, double value)
{
	value_count(report, value < 0 ? NO_VALUE : value);
}

/* The number of its first device, as its processes count. */
static void power_device_cell(struct report *report, const struct run *run,
			      size_t power)
{
	const struct run_energy *e = &run->energy;

	for (size_t i = 0; i < e->device_count; i++)
		if (e->devices[i].power == power) {
			report_count(report, run->gpu.devices[i].id);
			return;
		}
	report_none(report);
}

static void gpu_row(struct report *report, const struct run *run, size_t i)
{
	const struct run_power *p = &run->energy.powers[i];

	power_device_cell(report, run, i);
	report_text(report, str_at(&run->strings, p->host));
	report_text(report, str_at(&run->strings, p->bus));
	report_text(report, str_at(&run->strings, p->uuid));
	report_count(report, p->readers);
	report_number(report, p->joules);
	report_number(report, p->idle);
	report_number(report, p->integral);
	report_text(report, p->counts ? "counter" : "power");
	report_number(report, p->seconds);
	report_number(report, value_ratio(p->joules, p->seconds));
	report_number(report, p->least_watts);
	report_number(report, p->most_watts);
	known_count(report, p->sm_mhz);
	known_count(report, p->memory_mhz);
	known_cell(report, p->used);
	known_cell(report, p->slowed);
	reasons_cell(report, p->reasons);
	known_count(report, p->celsius > 0 ? p->celsius : -1);
	report_count(report, p->readings);
	report_count(report, p->failures);
	report_number(report, value_ratio(p->reading_cpu, p->seconds));
	report_number(report, p->slowest);
}

static void gpu_power_table(struct report *report, const struct run *run,
			    const struct analysis_options *options)
{
	static const struct power_column of[] = {
		{ "device", "GPU", COLUMN_COUNT },
		{ "host", "host", COLUMN_TEXT },
		{ "bus", NULL, COLUMN_TEXT },
		{ "uuid", NULL, COLUMN_TEXT },
		{ "readers", NULL, COLUMN_COUNT },
		{ "joules", "J", COLUMN_NUMBER },
		{ "idle", "idle J", COLUMN_NUMBER },
		{ "integral", NULL, COLUMN_NUMBER },
		{ "by", "by", COLUMN_TEXT },
		{ "seconds", "time", COLUMN_SECONDS },
		{ "watts", "mean W", COLUMN_NUMBER },
		{ "least_watts", "least", COLUMN_NUMBER },
		{ "most_watts", "most", COLUMN_NUMBER },
		{ "sm_mhz", "SM MHz", COLUMN_COUNT },
		{ "memory_mhz", NULL, COLUMN_COUNT },
		{ "used", "used", COLUMN_SHARE },
		{ "slowed", "slowed", COLUMN_SHARE },
		{ "why", NULL, COLUMN_TEXT },
		{ "celsius", "most °C", COLUMN_COUNT },
		{ "readings", NULL, COLUMN_COUNT },
		{ "failures", NULL, COLUMN_COUNT },
		{ "reading", NULL, COLUMN_SHARE },
		{ "slowest", NULL, COLUMN_SECONDS },
	};
	size_t limit = analysis_limit(options, ROWS, run->energy.power_count);

	report_table(report, "energy", "energy");
	COLUMNS(report, of);
	for (size_t i = 0; i < limit; i++)
		gpu_row(report, run, i);
}

/* A row with its values, to be sorted. */
struct path_power {
	uint32_t path;
	double joules, seconds;
	uint64_t readings;
};

ORDER_BY(by_joules, struct path_power, DESC(joules) ?: ASC(path))

/* Phases of all GPUs, by path; *outside: what is in none. */
static size_t sum_phases(struct path_power *rows, const struct paths *paths,
			 const struct energy *e, double *outside)
{
	const struct run_energy *from = &paths->run->energy;
	size_t count = 0;

	*outside = e->joules;
	for (uint32_t i = 0; i < paths->count; i++)
		rows[i] = (struct path_power){ .path = i };
	for (size_t i = 0; i < from->phase_count; i++) {
		const struct run_power_phase *f = &from->phases[i];
		uint32_t path = paths->of[f->node];

		if (!path)
			continue;
		rows[path].joules += f->joules;
		rows[path].seconds += f->seconds;
		rows[path].readings += f->readings;
		*outside -= f->joules;
	}
	for (uint32_t i = 0; i < paths->count; i++)
		if (rows[i].readings)
			rows[count++] = rows[i];
	qsort(rows, count, sizeof(*rows), by_joules);
	return count;
}

static void phase_rows(struct report *report, const struct paths *paths,
		       const struct path_power *rows, size_t count,
		       const struct energy *e)
{
	for (size_t i = 0; i < count; i++) {
		paths_cell(report, paths, rows[i].path);
		report_number(report, rows[i].joules);
		report_number(report, value_ratio(rows[i].joules, e->joules));
		report_number(report, rows[i].seconds);
		report_number(report,
			      value_ratio(rows[i].joules, rows[i].seconds));
		report_count(report, rows[i].readings);
	}
}

static void phase_table(struct report *report, const struct paths *paths,
			const struct energy *e,
			const struct analysis_options *options)
{
	static const struct power_column of[] = {
		{ "phase", "phase", COLUMN_TEXT },
		{ "joules", "J", COLUMN_NUMBER },
		{ "share", "share", COLUMN_SHARE },
		{ "seconds", "time", COLUMN_SECONDS },
		{ "watts", "mean W", COLUMN_NUMBER },
		{ "readings", NULL, COLUMN_COUNT },
	};
	struct path_power *rows = calloc(paths->count + 1, sizeof(*rows));
	double outside = 0;
	size_t count = rows ? sum_phases(rows, paths, e, &outside) : 0;

	report->failed |= !rows;
	if (count) {
		report_table(report, "phases", "phases");
		COLUMNS(report, of);
		phase_rows(report, paths, rows,
			   analysis_limit(options, ROWS, count), e);
		report_text(report, "(in no phase)");
		report_number(report, fmax(outside, 0));
		report_number(report, value_ratio(fmax(outside, 0), e->joules));
		report_none(report);
		report_none(report);
		report_none(report);
	}
	free(rows);
}

/* What is nobody's: idle, and GPUs of which no work is known. */
static void rest_row(struct report *report, const struct energy *e,
		     const char *name, double joules)
{
	if (joules <= 0)
		return;
	report_text(report, name);
	report_number(report, joules);
	report_number(report, value_ratio(joules, e->joules));
	report_none(report);
	report_none(report);
}

static void power_path_table(struct report *report, const struct paths *paths,
			     const struct energy *e,
			     const struct analysis_options *options)
{
	static const struct power_column of[] = {
		{ "work", "work", COLUMN_TEXT },
		{ "joules", "J, by estimate", COLUMN_NUMBER },
		{ "share", "share", COLUMN_SHARE },
		{ "seconds", "GPU time", COLUMN_SECONDS },
		{ "call_path", "call path", COLUMN_TEXT },
	};
	struct path_power *rows = calloc(paths->count + 1, sizeof(*rows));
	size_t count = 0, limit;

	report->failed |= !rows;
	for (uint32_t i = 0; rows && i < paths->count; i++)
		if (e->times[i] > 0)
			rows[count++] =
				(struct path_power){ .path = i,
						     .joules = e->paths[i],
						     .seconds = e->times[i] };
	if (count)
		qsort(rows, count, sizeof(*rows), by_joules);
	report_table(report, "paths", "call paths");
	COLUMNS(report, of);
	rest_row(report, e, "[idle]", e->idle);
	rest_row(report, e, "[no work known]", e->unshared);
	limit = analysis_limit(options, ROWS, count);
	for (size_t i = 0; rows && i < limit; i++) {
		report_text(report,
			    paths_function(paths->run,
					   paths->at[rows[i].path].node));
		report_number(report, rows[i].joules);
		report_number(report, value_ratio(rows[i].joules, e->joules));
		report_number(report, rows[i].seconds);
		paths_cell(report, paths, rows[i].path);
	}
	free(rows);
}

static size_t unread_devices(const struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->energy.device_count; i++)
		count += run->energy.devices[i].power == RUN_NO_POWER;
	return count;
}

/* It was lost, or who read it: what it took later is not known. */
static bool ended_early(const struct run *run, size_t power)
{
	const struct run_energy *e = &run->energy;

	for (size_t i = 0; i < e->device_count; i++)
		if (e->devices[i].power == power &&
		    e->powers[power].seconds <
			    ENOUGH * run->gpu.devices[i].elapsed_ns / NS)
			return true;
	return false;
}

/* At its least it took about what it took in the mean. */
static bool never_idle(const struct run_power *p)
{
	return p->joules - p->idle < (1 - ENOUGH) * p->joules && p->used > 0.5;
}

static void note_gaps(struct report *report, const struct run *run)
{
	unsigned long long failures = 0;
	size_t early = 0, never = 0;

	for (size_t i = 0; i < run->energy.power_count; i++) {
		failures += run->energy.powers[i].failures;
		early += ended_early(run, i);
		never += never_idle(&run->energy.powers[i]);
	}
	if (unread_devices(run))
		report_note(report,
			    "%zu of %zu GPUs could not be read: their energy "
			    "is missing.",
			    unread_devices(run), run->energy.device_count);
	if (early)
		report_note(report,
			    "%zu of %zu GPUs could be read for a part of the "
			    "run only: the rest of their energy is missing.",
			    early, run->energy.power_count);
	if (never)
		report_note(report,
			    "%zu of %zu GPUs were never seen idle: their idle "
			    "energy may contain work, so call paths have too "
			    "little.",
			    never, run->energy.power_count);
	if (failures)
		report_note(report, "%llu readings failed.", failures);
}

static void power_notes(struct report *report, const struct run *run,
			const struct energy *e)
{
	report_note(report, "The energy of call paths is an estimate: what a "
			    "GPU used above its lowest power, in proportion to "
			    "the time of its kernels and copies.");
	report_note(report,
		    "Reading took %.2f %% of a core, in a process beside the "
		    "program.",
		    100 * e->reading);
	note_gaps(report, run);
	for (size_t i = 0; i < run->energy.power_count; i++)
		if (run->energy.powers[i].is_mig) {
			report_note(report, "The energy of a divided GPU (MIG) "
					    "is that of the whole GPU.");
			return;
		}
}

static int fill_gpu_power(struct report *report, const struct paths *paths,
			  const struct analysis_options *options)
{
	const struct run *run = paths->run;
	char joules[32], idle[32];
	struct energy e;
	int err = energy_init(&e, paths);

	if (err)
		return err;
	if (run->energy.power_count)
		report_line(report,
			    "%zu GPU%s used %s, %.0f W on average: %s idle.",
			    run->energy.power_count,
			    run->energy.power_count > 1 ? "s" : "",
			    energy_text(joules, e.joules), e.watts,
			    energy_text(idle, e.idle));
	else
		report_line(report,
			    "The power of GPUs was not read: copse run "
			    "--gpu-power=on does that, and says so when it "
			    "cannot.");
	gpu_power_table(report, run, options);
	phase_table(report, paths, &e, options);
	power_path_table(report, paths, &e, options);
	if (run->energy.power_count)
		power_notes(report, run, &e);
	energy_fini(&e);
	return 0;
}

GPU_ANALYSIS(gpu_power, "gpu-power",
	     "the energy of GPUs, by phase and by call path", fill_gpu_power)
