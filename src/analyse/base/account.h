/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - the CPU time that the system counted, and what samples hold of
 * it.
 */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/*
 * Times are seconds.  `whole`: what was counted is of the program and all that
 * it started and waited for; else of the processes whose end was seen, and of
 * the others what they were sampled.
 */
struct account {
	bool whole;
	double counted, sampled;
	double start; /* of what was counted: before it could be measured, … */
	double threads; /* … and in threads that ended, beside their samples */
	double unseen;  /* sampled, and not counted: processes that go on */
	double unsampled, failed; /* processes */
};

struct account account_of(const struct run *run);

/* Functions are judged: CONFIDENCE_FEW samples, of half of the CPU time. */
bool account_is_enough(const struct run *run);

/* A warning, where much is in no sample, and more than chance explains. */
void account_warn(struct report *report, const struct run *run,
		  const struct run_metric *metric);

/* As notes, what was not warned of, and processes that have no sample. */
void account_say(struct report *report, const struct run *run,
		 const struct run_metric *metric);

/* As a note: processes that could not write a profile. */
void account_failed(struct report *report, const struct run *run);
