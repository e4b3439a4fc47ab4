/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.c - GPUs' energy by path, and a sentence of it. */
#include "analyse/gpu/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/err.h"

#define NS     1e9
#define ALWAYS 0.9 /* of the time */

static uint32_t power_of(const struct run *run, const struct run_work *w)
{
	return w->device < run->energy.device_count
		       ? run->energy.devices[w->device].power
		       : RUN_NO_POWER;
}

/* Of each GPU, what it worked in all: work[], by GPU. */
static void add_energy_work(const struct run *run, double *work)
{
	for (size_t i = 0; i < run->gpu.work_count; i++) {
		const struct run_work *w = &run->gpu.works[i];
		uint32_t power = power_of(run, w);

		if (power != RUN_NO_POWER)
			work[power] += (double)w->ns / NS;
	}
}

static void share_out_energy(struct energy *e, const struct paths *paths,
			     const double *work)
{
	const struct run *run = paths->run;

	for (size_t i = 0; i < run->gpu.work_count; i++) {
		const struct run_work *w = &run->gpu.works[i];
		uint32_t power = power_of(run, w), path = paths->of[w->node];
		double seconds = (double)w->ns / NS;
		const struct run_power *p;

		if (power == RUN_NO_POWER || work[power] <= 0)
			continue;
		p = &run->energy.powers[power];
		e->paths[path] += (p->joules - p->idle) * seconds / work[power];
		e->times[path] += seconds;
	}
}

static void add_gpus(struct energy *e, const struct run *run,
		     const double *work)
{
	for (size_t i = 0; i < run->energy.power_count; i++) {
		const struct run_power *p = &run->energy.powers[i];

		e->joules += p->joules;
		e->idle += p->idle;
		if (work[i] <= 0)
			e->unshared += p->joules - p->idle;
		e->seconds = fmax(e->seconds, p->seconds);
		e->watts += value_ratio(p->joules, p->seconds);
		e->reading = fmax(e->reading,
				  value_ratio(p->reading_cpu, p->seconds));
	}
}

int energy_init(struct energy *e, const struct paths *paths)
{
	const struct run *run = paths->run;
	double *work = calloc(run->energy.power_count + 1, sizeof(*work));

	*e = (struct energy){
		.paths = calloc(paths->count + 1, sizeof(*e->paths)),
		.times = calloc(paths->count + 1, sizeof(*e->times)),
	};
	if (!work || !e->paths || !e->times) {
		free(work);
		energy_fini(e);
		return no_memory();
	}
	add_energy_work(run, work);
	share_out_energy(e, paths, work);
	add_gpus(e, run, work);
	free(work);
	return 0;
}

void energy_fini(struct energy *e)
{
	free(e->paths);
	free(e->times);
	*e = (struct energy){ 0 };
}

const char *energy_text(char *to, double joules)
{
	static const char *const units[] = { "J", "kJ", "MJ", "GJ", "TJ" };
	size_t i = 0;

	for (; joules >= 1000 && i + 1 < sizeof(units) / sizeof(*units); i++)
		joules /= 1000;
	snprintf(to, 32, "%.3g %s", joules, units[i]);
	return to;
}

static size_t hottest_path(const struct energy *e, const struct paths *paths)
{
	size_t most = 0;

	for (size_t i = 1; i < paths->count; i++)
		if (e->paths[i] > e->paths[most])
			most = i;
	return most;
}

/* A GPU that worked nearly all the time: its least power was no idle one. */
static bool was_seen_idle(const struct run *run)
{
	for (size_t i = 0; i < run->energy.power_count; i++)
		if (run->energy.powers[i].used > ALWAYS)
			return false;
	return true;
}

int energy_findings(struct report *report, const struct paths *paths)
{
	struct energy e;
	int err = energy_init(&e, paths);
	char joules[32], watts[32], *path;
	size_t most;

	if (err || e.joules <= 0) {
		energy_fini(&e);
		return err;
	}
	most = hottest_path(&e, paths);
	path = paths_short(paths, (uint32_t)most, 4);
	energy_text(joules, e.joules);
	snprintf(watts, sizeof(watts), "%.0f W", e.watts);
	report->failed |= !path;
	if (path && e.paths[most] > 0 && was_seen_idle(paths->run))
		report_line(report,
			    "GPUs used %s, %s on average; an estimated %.0f %% "
			    "of it while idle, %.0f %% for %s.",
			    joules, watts, 100 * e.idle / e.joules,
			    100 * e.paths[most] / e.joules, path);
	else
		report_line(report, "GPUs used %s, %s on average.", joules,
			    watts);
	free(path);
	energy_fini(&e);
	return 0;
}
