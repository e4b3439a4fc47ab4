/* SPDX-License-Identifier: BSD-3-Clause */
/* device-use.c - shares of what a GPU can do, by device and phase. */
#include "analyse/gpu/device-use.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/comparison.h"
#include "live/gpu-uses.h"

#define NS    1e9
#define NOTED 0.05 /* of the time: clocks that were held down */

enum {
	ROWS = 20
};

/* Of what is known; NO_VALUE where it is not. */
static double use_share(const struct gpu_uses *u, uint64_t part)
{
	return u->uses_ns && part != GPU_USE_UNTOLD
		       ? (double)part / (double)u->uses_ns
		       : NO_VALUE;
}

static struct gpu_uses uses_of_power(const struct run_power *p)
{
	return (struct gpu_uses){
#define ADDED(type, name, ...) .name = p->name,
#include "live/gpu-uses.def"
#undef ADDED
	};
}

static void add_gpu_uses(struct gpu_uses *to, const struct gpu_uses *from)
{
#define ADDED(type, name, ...) to->name = gpu_use_sum(to->name, from->name);
#include "live/gpu-uses.def"
#undef ADDED
}

static struct gpu_uses uses_of_all(const struct run *run)
{
	struct gpu_uses all = { 0 };

	for (size_t i = 0; i < run->energy.power_count; i++) {
		struct gpu_uses one = uses_of_power(&run->energy.powers[i]);

		add_gpu_uses(&all, &one);
	}
	return all;
}

/* The five that are looked at first have titles. */
static void device_use_columns(struct report *report)
{
	report_column(report, "tensor", "tensor", COLUMN_SHARE);
	report_column(report, "memory", "memory", COLUMN_SHARE);
	report_column(report, "sm_active", "SMs", COLUMN_SHARE);
	report_column(report, "occupancy", "warps", COLUMN_SHARE);
	report_column(report, "fp64", "FP64", COLUMN_SHARE);
	report_column(report, "fp32", "FP32", COLUMN_SHARE);
	report_column(report, "fp16", "FP16", COLUMN_SHARE);
	report_column(report, "pcie_received_rate", NULL, COLUMN_NUMBER);
	report_column(report, "pcie_sent_rate", NULL, COLUMN_NUMBER);
	report_column(report, "nvlink_received_rate", NULL, COLUMN_NUMBER);
	report_column(report, "nvlink_sent_rate", NULL, COLUMN_NUMBER);
}

static void device_use_cells(struct report *report, const struct gpu_uses *u)
{
	const uint64_t shares[] = { u->use_tensor, u->use_memory, u->use_sm,
				    u->use_warps,  u->use_fp64,   u->use_fp32,
				    u->use_fp16 };
	const uint64_t bytes[] = { u->pcie_received, u->pcie_sent,
				   u->nvlink_received, u->nvlink_sent };

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		value_known(report, use_share(u, shares[i]));
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		value_known(report, use_share(u, bytes[i])); /* GB/s */
}

static void use_row(struct report *report, const struct run *run, size_t i)
{
	const struct run_energy *e = &run->energy;
	const struct run_device *d = &run->gpu.devices[i];
	uint32_t power =
		i < e->device_count ? e->devices[i].power : RUN_NO_POWER;
	const struct run_power *p =
		power == RUN_NO_POWER ? NULL : &e->powers[power];
	struct gpu_uses uses = p ? uses_of_power(p) : (struct gpu_uses){ 0 };
	double elapsed = fmax(d->elapsed_ns, d->busy_ns);

	report_count(report, d->id);
	report_text(report, str_at(&run->strings, d->host));
	report_number(report, value_ratio(elapsed - d->busy_ns, elapsed));
	report_number(report, value_ratio(d->exposed_ns, elapsed));
	device_use_cells(report, &uses);
	value_count(report, p && p->sm_mhz >= 0 ? p->sm_mhz : NO_VALUE);
	value_known(report, p ? value_ratio(p->joules, p->seconds) : NO_VALUE);
	value_known(report, p && p->slowed >= 0 ? p->slowed : NO_VALUE);
	value_known(report, p ? (double)uses.uses_ns / NS : NO_VALUE);
}

void device_use_table(struct report *report, const struct run *run,
		      const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, run->gpu.device_count);

	report_table(report, "devices", "GPUs, of the time of the run");
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "idle", "idle", COLUMN_SHARE);
	report_column(report, "exposed", NULL, COLUMN_SHARE);
	device_use_columns(report);
	report_column(report, "sm_mhz", "SM MHz", COLUMN_COUNT);
	report_column(report, "watts", "mean W", COLUMN_NUMBER);
	report_column(report, "slowed", "slowed", COLUMN_SHARE);
	report_column(report, "known", NULL, COLUMN_SECONDS);
	for (size_t i = 0; i < limit; i++)
		use_row(report, run, i);
}

/* Of all GPUs, by path of the phase. */
struct phase_use {
	uint32_t path;
	double seconds;
	struct gpu_uses uses;
};

ORDER_BY(by_phase_seconds, struct phase_use, DESC(seconds) ?: ASC(path))

static size_t sum_phase_uses(struct phase_use *rows, const struct paths *paths)
{
	const struct run_energy *e = &paths->run->energy;
	size_t count = 0;

	for (uint32_t i = 0; i < paths->count; i++)
		rows[i] = (struct phase_use){ .path = i };
	for (size_t i = 0; i < e->phase_count; i++) {
		const struct run_power_phase *f = &e->phases[i];
		struct phase_use *row = &rows[paths->of[f->node]];

		row->seconds += f->seconds;
#define ADDED(type, name, ...)                                                 \
	row->uses.name = gpu_use_sum(row->uses.name, f->name);
#include "live/gpu-uses.def"
#undef ADDED
	}
	for (uint32_t i = 1; i < paths->count; i++)
		if (rows[i].uses.uses_ns)
			rows[count++] = rows[i];
	qsort(rows, count, sizeof(*rows), by_phase_seconds);
	return count;
}

void device_use_phases(struct report *report, const struct paths *paths,
		       const struct analysis_options *options)
{
	struct phase_use *rows = calloc(paths->count + 1, sizeof(*rows));
	size_t count = rows ? sum_phase_uses(rows, paths) : 0;
	size_t limit = analysis_limit(options, ROWS, count);

	report->failed |= !rows;
	report_table(report, "phases",
		     "GPUs, while the program was in a phase");
	report_column(report, "phase", "phase", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	device_use_columns(report);
	report_column(report, "known", NULL, COLUMN_SECONDS);
	for (size_t i = 0; rows && i < limit; i++) {
		paths_cell(report, paths, rows[i].path);
		report_number(report, rows[i].seconds);
		device_use_cells(report, &rows[i].uses);
		report_number(report, (double)rows[i].uses.uses_ns / NS);
	}
	free(rows);
}

/* Clocks that were held down are a reason for much else. */
static void say_slowed(struct report *report, const struct run *run)
{
	double slowed = 0, seconds = 0;

	for (size_t i = 0; i < run->energy.power_count; i++) {
		const struct run_power *p = &run->energy.powers[i];

		if (p->slowed < 0)
			continue;
		slowed += p->slowed * p->seconds;
		seconds += p->seconds;
	}
	if (slowed > NOTED * seconds)
		report_line(report,
			    "Clocks of GPUs were held down for %.0f %% of the "
			    "time (copse report gpu-power).",
			    100 * slowed / seconds);
}

void device_use_findings(struct report *report, const struct run *run)
{
	struct gpu_uses all = uses_of_all(run);
	double tensor = use_share(&all, all.use_tensor);
	double memory = use_share(&all, all.use_memory);
	double sm = use_share(&all, all.use_sm);
	double warps = use_share(&all, all.use_warps);

	if (isfinite(tensor) && isfinite(memory) && isfinite(sm) &&
	    isfinite(warps))
		report_line(report,
			    "GPUs on average: tensor cores %.0f %% active, "
			    "memory at %.0f %% of its bandwidth, "
			    "multiprocessors %.0f %% active with %.0f %% of "
			    "their warps.",
			    100 * tensor, 100 * memory, 100 * sm, 100 * warps);
	say_slowed(report, run);
}
