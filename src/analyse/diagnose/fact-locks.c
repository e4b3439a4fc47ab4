/* SPDX-License-Identifier: BSD-3-Clause */
/* fact-locks.c - locks that threads waited for (copse run --locks=on). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/threads/lock-waits.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"

#define FRAMES 3

#define LOCK_FIELDS(FIELD)                                                     \
	FIELD(WAITS, "waits", COUNT, "how often a thread had to wait")         \
	FIELD(WAITED, "waited", SECONDS, "by all threads together")            \
	FIELD(EACH, "each", SECONDS, "the mean of a wait")                     \
	FIELD(SHARE, "share", SHARE,                                           \
	      "of the time that threads had work: on a core, or waiting for "  \
	      "any lock")                                                      \
	FIELD(WAITER_SHARE, "waiter_share", SHARE,                             \
	      "of the waiting, in the function that waited most")              \
	FIELD(HELD_SHARE, "held_share", SHARE,                                 \
	      "of the waiting, while that function held it for which most "    \
	      "was waited")                                                    \
	FIELD(SAVED, "saved", SECONDS,                                         \
	      "of the elapsed time, when nobody waits for it: as many "        \
	      "threads as had work go on, as far as there are cores")          \
	FIELD(CROWDED, "crowded", SHARE,                                       \
	      "of the ranks' time, in which they waited for a core")           \
	FIELD(LOCK, "lock", TEXT,                                              \
	      "\"mutex NAME\", or \"mutex of\" who waited first")              \
	FIELD(WAITER, "waiter", TEXT,                                          \
	      "the function that waited most, and its callers")                \
	FIELD(HOLDER, "holder", TEXT,                                          \
	      "\", most of it while held by\" which function and its "         \
	      "callers; or empty")

FACT_TABLE(lock_fields, LOCK_FIELDS)

static char *holder_of_lock(const struct fact_source *from,
			    const struct lock_waits *l)
{
	char *by = paths_short(from->paths, l->holder, FRAMES);
	char *text = NULL;

	if (by)
		text = l->holder ? str_format(", most while it was held by %s",
					      by)
				 : strdup("");
	free(by);
	return text;
}

/* Those who wait had no need of a core until then. */
static double saved_without(const struct fact_source *from,
			    const struct lock_table *all, double share)
{
	double saved = share * from->elapsed;

	if (from->cores > 0)
		saved = fmin(saved, from->elapsed - all->worked / from->cores);
	return fmax(saved, 0);
}

static int add_lock(struct facts *to, const struct fact_source *from,
		    const struct lock_table *all, const struct lock_waits *l)
{
	struct fact *f = facts_add(to, l->holder ? l->holder : l->waiter);
	double share = value_ratio(l->waited, all->waited + all->worked);

	if (!f)
		return no_memory();
	f->values[WAITS].number = l->waits;
	f->values[WAITED].number = l->waited;
	f->values[EACH].number = value_ratio(l->waited, l->waits);
	f->values[SHARE].number = share;
	f->values[WAITER_SHARE].number = value_ratio(l->at_waiter, l->waited);
	f->values[HELD_SHARE].number = value_ratio(l->at_holder, l->waited);
	f->values[SAVED].number = saved_without(from, all, share);
	f->values[CROWDED].number = from->crowded;
	f->values[LOCK].text = lock_waits_name(l, from->run);
	f->values[WAITER].text = paths_short(from->paths, l->waiter, FRAMES);
	f->values[HOLDER].text = holder_of_lock(from, l);
	return f->values[LOCK].text && f->values[WAITER].text &&
			       f->values[HOLDER].text
		       ? 0
		       : no_memory();
}

static int gather_locks(struct facts *to, struct fact_source *from)
{
	struct lock_table all = { 0 };
	int err = 0;

	if (run_metric(from->run, "lock.wait"))
		err = lock_table_find(&all, from->paths);
	for (size_t i = 0; i < all.count && all.at[i].holds && !err; i++)
		if (all.at[i].waiter && !all.at[i].of_mpi)
			err = add_lock(to, from, &all, &all.at[i]);
	lock_table_fini(&all);
	return err;
}

const struct fact_set fact_set_locks = {
	.name = "locks",
	.meaning = "locks that threads waited for",
	.fields = lock_fields,
	.field_count = FIELDS,
	.gather = gather_locks,
};
