/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-busy.h - how much of the time GPUs worked, what their processes did when
 * they did not, and the factors of the efficiency of hosts and devices.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "run/run.h"

/* Seconds.  Devices: each once, however many share it. */
struct gpu_busy {
	size_t devices; /* 0: none was used, or it is not known: all is 0 */
	bool shared;    /* one of them by several processes */
	bool paused;    /* measuring, in some of the time */
	double busy, elapsed; /* of all devices */
	double mean, most;    /* of its own work, of one device */
	size_t most_device;   /* index of it */
	/* Of the processes that used any, each with all of its devices: */
	size_t processes;
	double run, work; /* they ran, and GPUs were known; there was work */
	double before;    /* from their start to their first work */
	double after;     /* from their last work to their end */
	double startup;   /* between these no work, as the program started */
	double idle;      /* between these no work, and it is known why */
	double unknown;   /* no work, and it is not; of paused ones the end, too
			   */
	double between;   /* no work, from the first to the last */
	double launching; /* of idle: in calls that launch kernels */
	double late;      /* work out of order: so much may be missing */
	uint64_t late_count;
};

struct gpu_busy gpu_busy_of(const struct run *run);

/*
 * Its time with work of its own: without kernels of collective calls, which are
 * long where another rank is late.
 */
double gpu_own_seconds(const struct run_device *d);

/*
 * The time without work of each path, but of those that start the program, and
 * with what is below it, which may be NULL.  0, or -ENOMEM with a reason.
 */
int gpu_idle_values(const struct paths *paths, double *exclusive,
		    double *inclusive);

/*
 * "GPU work is known only until …", of a run that has processes of that kind;
 * to be freed, NULL: no memory.
 */
char *gpu_known_text(const struct run *run);

/*
 * From the first work to the last, of which there was much, they were idle for
 * a time that matters, and mostly waited for the next launch.
 */
bool gpu_busy_launch_bound(const struct gpu_busy *busy, double kernels);

/*
 * The innermost path below which GPUs were idle for half of the time, with
 * that; a call of MPI or CUDA when one alone is much of it.  0 seconds: none.
 * -ENOMEM.
 */
int gpu_idle_cause(const struct paths *paths, uint32_t *path, double *seconds);

/*
 * What more there is to say of such a path when it ends in Python: ", 9 % below
 * encoder_call", of `idle` seconds, or "".  To be freed, NULL: no memory.
 */
char *gpu_idle_called(const struct paths *paths, uint32_t path, double idle);

/*
 * The factors that the POP Centre of Excellence's metrics were extended by for
 * accelerators: Rahimi, Lopez, Clascà, Vinyals Ylla Català, Labarta and
 * Garcia-Gasulla, "Hardware-Agnostic and Insightful Efficiency Metrics for
 * Accelerated Systems: Definition and Implementation within TALP",
 * arXiv:2603.26576 (2026).
 */
struct gpu_factors {
	/* 0 devices, or not known to the end: the rest is 0 too */
	size_t devices, processes;
	bool with_mpi;
	double elapsed;            /* run time: the longest of a process */
	double host, mpi, offload; /* host = mpi × offload */
	/* parallel = balance × communication × orchestration */
	double parallel, balance, communication, orchestration;
	double kernels_mean, kernels_max; /* seconds of a device */
};

struct gpu_factors gpu_factors_of(const struct run *run);

/* In two sentences. */
void gpu_factors_lines(struct report *report, const struct gpu_factors *f);

/*
 * "GPU 3 on n2", with its MIG instance or its first rank where that is needed
 * to tell it from others; to be freed, NULL: no memory.
 */
char *gpu_device_name(const struct run *run, size_t device);
