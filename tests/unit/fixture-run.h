/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fixture-run.h - a run of four ranks whose numbers are known.
 *
 *   main ─┬─ solve ─┬─ work      (r + 1) * 100 ms on rank r, lines 42 and 43
 *         │         └─ norm ── MPI_Allreduce   the rest of 400 ms
 *         └─ fact ── fact ── fact              10 ms each, on every rank
 *
 * Ownership   The run is the caller's until its process ends.
 */
#pragma once

#include "run/run.h"

enum fixture_node {
	FIXTURE_ROOT,
	FIXTURE_MAIN,
	FIXTURE_SOLVE,
	FIXTURE_WORK,
	FIXTURE_WORK_42,
	FIXTURE_WORK_43,
	FIXTURE_NORM,
	FIXTURE_ALLREDUCE,
	FIXTURE_FACT_1,
	FIXTURE_FACT_2,
	FIXTURE_FACT_3,
	FIXTURE_NODES
};

#define FIXTURE_RANKS 4

/* Metrics: cpu.time, mpi.calls, mpi.time, mpi.bytes.sent, samples. */
struct run *fixture_run(void);
