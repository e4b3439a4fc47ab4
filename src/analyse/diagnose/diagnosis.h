/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * diagnosis.h - the findings of a run: what the rules say of its facts.
 *
 * Gain   Seconds of elapsed time that the run would save if the cause went
 *        away: an upper bound.  Where ranks had to wait for cores, a share c of
 *        their time, it is not known whether that part of waiting in MPI goes
 *        away with the cause: the gain is between (1 - c) of the bound and
 *        all of it.  The geometric mean of both is said then.
 * Cost   In rank-seconds: so long ranks were there, or waited for those who
 *        were.
 */
#pragma once

#include "analyse/diagnose/rule.h"

enum severity {
	SEVERITY_LOW,
	SEVERITY_MEDIUM, /* above 10 % of the run's time */
	SEVERITY_HIGH    /* above 30 %, or by the rule */
};

extern const char *const severity_names[]; /* by enum severity */

struct diagnosis_finding {
	const struct diagnosis_rule *rule;
	enum severity severity;
	uint32_t path; /* 0: the run */
	double gain;   /* elapsed seconds; a remark has none */
	double most;   /* of the gain; above it where cores were short */
	double cost;   /* rank-seconds; 0: not known */
	char *ranks;   /* "rank 3", "all"; may be NULL */
	char *rows;    /* the same as indices into run->ranks, "0-2,5" */
	char *text;    /* one sentence, without a full stop */
};

struct diagnosis {
	struct diagnosis_rule **rules;
	size_t rule_count;
	struct diagnosis_finding *at; /* by gain, the largest first */
	size_t count, room;
	struct diagnosis_finding *remarks; /* on what cannot be known */
	size_t remark_count, remark_room;
	/* The one that gains most of those that hold if nobody waited for a
	   core; without a text: there is none. */
	struct diagnosis_finding doubtful;
	char *problem;       /* of a rule that was left out, or NULL */
	double elapsed;      /* of the run, that gains are of */
	double seconds;      /* of all ranks, that costs are of */
	double cpu;          /* of all processes: no gain of work is more */
	double samples_each; /* for a second of the metric */
	double crowded; /* share of their time that ranks waited for a core */
	bool mpi;
	/* Of the time of the cores that they had; 0: not known.  Threads: of
	   OpenMP, and those that waited for locks. */
	double program_share, mpi_share, threads_share;
};

/*
 * 0, or -errno with a reason.  Of `rule` (NULL: of all) alone.  Findings that
 * gain less than 3 % of the run are left out: that is what chance makes.  On
 * crowded cores those stay that cost 5 % of all ranks' time.
 */
int diagnosis_init(struct diagnosis *to, const struct paths *paths,
		   const struct blames *blames, const struct run_metric *metric,
		   const char *rule);
void diagnosis_fini(struct diagnosis *diagnosis);

/* Of ranks that lacked cores: what the cores did, as a line of a report. */
void diagnosis_say_cores(struct report *report, const struct diagnosis *of);

/* As a line of a report: the sentence, the gain and the advice. */
void diagnosis_say_finding(struct report *report, const struct diagnosis *of,
			   const struct diagnosis_finding *finding);

/* What belongs behind the findings: what to ask next, remarks. */
void diagnosis_say_rest(struct report *report, const struct diagnosis *of);

/* All of that. */
void diagnosis_say(struct report *report, const struct diagnosis *of,
		   size_t most);
