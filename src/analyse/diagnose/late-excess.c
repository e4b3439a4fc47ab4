/* SPDX-License-Identifier: BSD-3-Clause */
/* late-excess.c - see late-excess.h. */
#include "analyse/diagnose/late-excess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "base/err.h"

#define LITTLE 0.05 /* of all: what is in a path stays its caller's */

int late_excess_init(struct late_excess *e, const struct fact_source *from)
{
	*e = (struct late_excess){
		.from = from,
		.late = calloc(from->run->rank_count + 1, sizeof(double)),
		.times = calloc(from->skews.process_count + 1, sizeof(double)),
	};
	return e->late && e->times ? 0 : no_memory();
}

void late_excess_fini(struct late_excess *e)
{
	free(e->late);
	free(e->times);
}

/* Seconds of those that are late, by how late they are, and of the others. */
static int mean_times(struct late_excess *e, uint32_t path, double *theirs,
		      double *others)
{
	const struct skews *skews = &e->from->skews;
	double late = 0, rest = 0;
	struct skew skew;
	int err = imbalance_outside_mpi(skews, path, e->times, &skew);

	*theirs = *others = 0;
	if (err)
		return err;
	for (size_t k = 0; k < skews->process_count; k++)
		late += e->late[skews->processes[k]];
	for (size_t k = 0; k < skews->process_count; k++) {
		double part = value_ratio(e->late[skews->processes[k]], late);

		*theirs += part * e->times[k];
		*others += (1 - part) * e->times[k];
		rest += 1 - part;
	}
	*others = value_ratio(*others, rest);
	return 0;
}

int late_excess_part(struct late_excess *e, uint32_t path, double *part)
{
	double theirs, others;
	int err = mean_times(e, path, &theirs, &others);

	*part = value_ratio(theirs - others, theirs);
	return err;
}

int late_excess_own(struct late_excess *e, double *own, double *all)
{
	const struct paths *paths = e->from->paths;
	double theirs, others;
	int err = 0;

	*all = 0;
	memset(own, 0, paths->count * sizeof(*own));
	for (uint32_t p = 0; p < paths->count && !err;) {
		err = mean_times(e, p, &theirs, &others);
		if (!p)
			*all = theirs - others;
		if (fabs(theirs - others) < LITTLE * *all) {
			p = paths->at[p].end;
			continue;
		}
		own[p] += theirs - others;
		if (p)
			own[paths->at[p].parent] -= theirs - others;
		p++;
	}
	return err;
}
