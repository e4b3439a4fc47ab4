/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-factors.c - parallel efficiency of hosts that offload, and of devices.
 *
 * Host     A process's time is useful, in MPI, or in calls of CUDA (offload),
 *          on the main thread: MPI efficiency is the time outside MPI, offload
 *          efficiency the useful part of that.
 * Device   Its time is that of kernels, of copies and memsets beside which no
 *          kernel ran, or idle.
 */
#include <math.h>

#include "analyse/gpu/gpu-busy.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/value.h"

#define NS 1e9

struct host_sums {
	double elapsed, all, mpi, offload; /* elapsed: the longest */
	size_t count;
};

/* The row of that rank, or NULL; *at is where those of later ranks begin. */
static const struct run_gpu_rank *find_gpu_rank(const struct run_gpu *g,
						size_t rank, size_t *at)
{
	while (*at < g->rank_count && g->ranks[*at].rank < rank)
		++*at;
	return *at < g->rank_count && g->ranks[*at].rank == rank
		       ? &g->ranks[*at]
		       : NULL;
}

/* Ranks of MPI all count; else those processes that used a device. */
static struct host_sums sum_hosts(const struct run *run)
{
	struct host_sums s = { 0 };
	bool mpi = run_has_mpi(run);
	size_t at = 0;

	for (size_t i = 0; i < run->member_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		const struct run_gpu_rank *g = find_gpu_rank(&run->gpu, i, &at);
		double ran = mpi ? (double)r->mpi_ns
				 : (double)r->elapsed_ns - (double)r->paused_ns;
		double outside = ran - (double)r->mpi_time_ns;

		if (ran <= 0 || (!mpi && !g))
			continue;
		s.count++;
		s.elapsed = fmax(s.elapsed, ran / NS);
		s.mpi += (double)r->mpi_time_ns / NS;
		s.all += outside / NS;
		if (g)
			s.offload += fmin((double)g->offload_ns, outside) / NS;
	}
	return s;
}

static void set_host(struct gpu_factors *f, const struct host_sums *s)
{
	f->processes = s->count;
	f->elapsed = s->elapsed;
	f->mpi = value_ratio(s->all, s->elapsed * (double)s->count);
	f->offload = value_ratio(s->all - s->offload, s->all);
	f->host = f->mpi * f->offload;
}

/* Work before MPI_Init is not of that time; the longest device then is. */
static void set_device_factors(struct gpu_factors *f, const struct run *run)
{
	double kernels = 0, active = 0, elapsed;

	for (size_t i = 0; i < run->gpu.device_count; i++) {
		const struct run_device *d = &run->gpu.devices[i];
		double own = fmin(fmin(d->kernels_ns, d->busy_ns) / NS,
				  gpu_own_seconds(d));

		kernels += own;
		active = fmax(active, d->busy_ns / NS);
		f->kernels_max = fmax(f->kernels_max, own);
	}
	elapsed = fmax(f->elapsed, active);
	f->devices = run->gpu.device_count;
	f->kernels_mean = kernels / (double)f->devices;
	f->balance = value_ratio(f->kernels_mean, f->kernels_max);
	f->communication = value_ratio(f->kernels_max, active);
	f->orchestration = value_ratio(active, elapsed);
	f->parallel = f->balance * f->communication * f->orchestration;
}

struct gpu_factors gpu_factors_of(const struct run *run)
{
	struct gpu_factors f = { 0 };
	struct host_sums hosts;

	if (!run->gpu.device_count || run->gpu.known_count)
		return f;
	hosts = sum_hosts(run);
	set_host(&f, &hosts);
	f.with_mpi = run_has_mpi(run);
	set_device_factors(&f, run);
	return f;
}

void gpu_factors_lines(struct report *report, const struct gpu_factors *f)
{
	if (!f->devices)
		return;
	if (f->with_mpi)
		report_line(report,
			    "Host efficiency %.0f %% = MPI %.0f %% × offload "
			    "%.0f %%",
			    100 * f->host, 100 * f->mpi, 100 * f->offload);
	else
		report_line(report, "Host efficiency %.0f %%%s", 100 * f->host,
			    f->host < 0.995 ? ": the rest is inside calls of "
					      "CUDA"
					    : "");
	report_line(report,
		    "Device efficiency %.0f %% = load balance %.0f %% × "
		    "communication %.0f %% × orchestration %.0f %%",
		    100 * f->parallel, 100 * f->balance, 100 * f->communication,
		    100 * f->orchestration);
}
