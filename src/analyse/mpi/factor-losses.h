/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * factor-losses.h - what each factor of the efficiency loses: seconds of the
 * run, whose sum is all that the run is longer than useful work spread evenly.
 */
#pragma once

#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/thread-factors.h"
#include "analyse/base/report.h"
#include "run/run.h"

enum loss_by {
	LOSS_BALANCE,
	LOSS_SERIALISATION,
	LOSS_TRANSFER,
	LOSS_COMMUNICATION, /* both, where waiting is not known */
	LOSS_REGIONS,
	LOSS_SERIAL,
	LOSS_KINDS
};

struct factor_loss {
	double factor;  /* 0 … 1; NAN: the run does not have it */
	double seconds; /* of the run time */
};

void factor_losses(struct factor_loss to[LOSS_KINDS],
		   const struct efficiency *e, const struct thread_factors *f);

/* A sentence for each that is worth one, the largest first. */
void factor_losses_say(struct report *report,
		       const struct factor_loss losses[LOSS_KINDS],
		       const struct efficiency *e, const struct run *run);

/* The table `losses`: all of them, each with its sentence. */
void factor_losses_table(struct report *report,
			 const struct factor_loss losses[LOSS_KINDS],
			 const struct efficiency *e, const struct run *run);
