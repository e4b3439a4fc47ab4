/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * energy.h - the energy of a run's GPUs, shared out over call paths.
 *
 * An estimate.  What a GPU would have taken anyway is its least power over all
 * of the time (idle); the rest is divided by the time that its kernels and
 * copies took.  So the sum over paths, idle and `unshared` is what was read of
 * all GPUs.
 */
#pragma once

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"

/* Joules and seconds. */
struct energy {
	double joules, idle;
	double unshared; /* above idle, of GPUs of which no work is known */
	double seconds;  /* of the GPU that was read for the longest */
	double watts;    /* of all GPUs together, in the mean */
	double *paths;   /* by path: of the work that it began */
	double *times;   /* of it, on GPUs that were read */
	double reading;  /* the most that reading took of a core: a share */
};

/* 0, or -ENOMEM with a reason; all is 0 when nothing was read. */
int energy_init(struct energy *energy, const struct paths *paths);
void energy_fini(struct energy *energy);

/* "1.20 kJ"; `to` holds 32 bytes, and is returned. */
const char *energy_text(char *to, double joules);

/* What there is to say of it in a summary, if it was read. */
int energy_findings(struct report *report, const struct paths *paths);
