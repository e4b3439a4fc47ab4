/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmp-lost.h - what a process lost by threads that waited in the OpenMP
 * runtime.
 */
#pragma once

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "run/run.h"

/*
 * Of the `useful` seconds that a process's first thread was outside MPI, of
 * `elapsed` ones: how much less it is on average over its OpenMP threads, as
 * many as their CPU time would fill.
 */
double openmp_lost(const struct run_rank *rank, double elapsed, double useful);

/*
 * Where most of the waiting was, in the runtime and in others' loops around
 * sched_yield(), when it is worth a sentence; 0 or -ENOMEM.
 */
int openmp_say(struct report *report, const struct paths *paths);
