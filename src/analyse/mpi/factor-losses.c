/* SPDX-License-Identifier: BSD-3-Clause */
/* factor-losses.c - see factor-losses.h. */
#include <math.h>
#include <stdio.h>

#include "analyse/split/cpu-contention.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/report.h"
#include "analyse/mpi/factor-losses.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"

#define WORTHWHILE 0.02 /* of the run time: lost, worth a sentence */
#define CROWDED    0.1  /* of the time: ranks wanted cores, worth a word */

enum {
	VERDICT = 200
};

/* What a loss is called, what is said of a small one, and of others with it. */
static const struct {
	const char *id, *title, *small, *why;
	bool crowds; /* want of cores adds to it unsaid */
} loss_names[LOSS_KINDS] = {
	[LOSS_BALANCE] = { "load_balance", "Load balance",
			   "uneven work costs little",
			   "sharing evenly would save up to", true },
	[LOSS_SERIALISATION] = { "serialisation_efficiency", "Serialisation",
				 "waiting in turn costs little",
				 "ranks are late in turn; without that the run "
				 "would be shorter by up to",
				 true },
	[LOSS_TRANSFER] = { "transfer_efficiency", "Transfer",
			    "MPI itself and the network cost little",
			    "MPI itself, the network and want of cores in MPI "
			    "take" },
	[LOSS_COMMUNICATION] = { "communication_efficiency", "Communication",
				 "MPI costs little",
				 "waiting and transfer, which are not told "
				 "apart, take" },
	[LOSS_REGIONS] = { "region_efficiency", "Parallel regions",
			   "waiting in them costs little",
			   "threads wait for one another in OpenMP; an even "
			   "share would save up to",
			   true },
	[LOSS_SERIAL] = { "serial_efficiency", "Serial parts",
			  "what is outside of regions costs little",
			  "threads have no region to work in while the first "
			  "one is outside; that costs" },
};

void factor_losses(struct factor_loss to[LOSS_KINDS],
		   const struct efficiency *e, const struct thread_factors *f)
{
	double ideal = e->transfer * e->elapsed, out = e->outside_mean;
	bool known = !isnan(ideal), regions = f->threads > 0;

	to[LOSS_BALANCE] =
		(struct factor_loss){ e->balance, e->outside_max - out };
	to[LOSS_SERIALISATION] =
		(struct factor_loss){ e->serialisation,
				      known ? ideal - e->outside_max : 0 };
	to[LOSS_TRANSFER] =
		(struct factor_loss){ e->transfer,
				      known ? e->elapsed - ideal : 0 };
	to[LOSS_COMMUNICATION] =
		(struct factor_loss){ known ? NAN : e->communication,
				      known ? 0 : e->elapsed - e->outside_max };
	to[LOSS_REGIONS] =
		(struct factor_loss){ regions         ? f->regions
				      : e->openmp < 1 ? e->openmp
						      : NAN,
				      regions ? out * f->serial *
							(1 - f->regions)
					      : out - e->useful_mean };
	to[LOSS_SERIAL] =
		(struct factor_loss){ regions ? f->serial : NAN,
				      regions ? out * (1 - f->serial) : 0 };
}

/* "Load balance 56 %: rank 0 works 2.9 times as long as the mean; …" */
static void loss_verdict(char to[VERDICT], enum loss_by by,
			 const struct factor_loss *loss,
			 const struct efficiency *e, const struct run *run)
{
	char seconds[32], who[64] = "", cores[64] = "";
	double crowded = contention_share(run);
	int size = snprintf(to, VERDICT, "%s %.0f %%: ", loss_names[by].title,
			    100 * loss->factor);

	if (loss->seconds <= WORTHWHILE * e->elapsed) {
		snprintf(to + size, VERDICT - (size_t)size, "%s.",
			 loss_names[by].small);
		return;
	}
	if (by == LOSS_BALANCE)
		snprintf(who, sizeof(who),
			 "rank %llu works %.1f times as long as the mean; ",
			 (unsigned long long)processes_number(
				 run, e->outside_max_rank),
			 value_ratio(e->outside_max, e->outside_mean));
	if (loss_names[by].crowds && crowded >= CROWDED)
		snprintf(cores, sizeof(cores),
			 " (ranks had no core %.0f %% of the time)",
			 100 * crowded);
	snprintf(to + size, VERDICT - (size_t)size, "%s%s %s%s.", who,
		 loss_names[by].why, phrase_time(seconds, loss->seconds),
		 cores);
}

void factor_losses_say(struct report *report,
		       const struct factor_loss losses[LOSS_KINDS],
		       const struct efficiency *e, const struct run *run)
{
	bool said[LOSS_KINDS] = { false };
	char verdict[VERDICT];

	for (size_t k = 0; k < LOSS_KINDS; k++) {
		size_t most = LOSS_KINDS;

		for (size_t i = 0; i < LOSS_KINDS; i++)
			if (!said[i] && !isnan(losses[i].factor) &&
			    (most == LOSS_KINDS ||
			     losses[i].seconds > losses[most].seconds))
				most = i;
		if (most == LOSS_KINDS ||
		    losses[most].seconds <= WORTHWHILE * e->elapsed)
			return;
		said[most] = true;
		loss_verdict(verdict, most, &losses[most], e, run);
		report_line(report, "• %s", verdict);
	}
}

void factor_losses_table(struct report *report,
			 const struct factor_loss losses[LOSS_KINDS],
			 const struct efficiency *e, const struct run *run)
{
	char verdict[VERDICT];

	if (!e->ranks)
		return;
	report_table(report, "losses", "what the run loses");
	report_column(report, "factor", NULL, COLUMN_TEXT);
	report_column(report, "by", "by", COLUMN_TEXT);
	report_column(report, "value", "factor", COLUMN_SHARE);
	report_column(report, "share", "of run", COLUMN_SHARE);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "verdict", NULL, COLUMN_TEXT);
	for (size_t i = 0; i < LOSS_KINDS; i++) {
		if (isnan(losses[i].factor))
			continue;
		loss_verdict(verdict, i, &losses[i], e, run);
		report_text(report, loss_names[i].id);
		report_text(report, loss_names[i].title);
		report_number(report, losses[i].factor);
		report_number(report,
			      value_ratio(losses[i].seconds, e->elapsed));
		report_number(report, losses[i].seconds);
		report_text(report, verdict);
	}
}
