/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-choice.c - a few processes that stand for all. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/processes.h"
#include "analyse/ranks/rank-choice.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

enum {
	GAPS = 8,    /* groups are further apart than this part of the range */
	CULPRITS = 4 /* at most so many causes of waiting are named */
};

void rank_choice_fini(struct rank_choice *choice)
{
	free(choice->at);
	*choice = (struct rank_choice){ 0 };
}

static int pick_process(struct rank_choice *c, uint32_t process,
			const char *why, size_t like)
{
	struct rank_pick pick = { process, why, like };

	for (size_t i = 0; i < c->count; i++)
		if (c->at[i].process == process)
			return 0;
	return array_append(&c->at, &c->count, &c->room, sizeof(pick), &pick)
		       ? 0
		       : -ENOMEM;
}

ORDER_BY(by_picked_process, struct rank_pick, ASC(process))

static int pick_all_processes(struct rank_choice *c, const struct run *run)
{
	c->all = true;
	c->at = calloc(run->rank_count + 1, sizeof(*c->at));
	if (!c->at)
		return no_memory();
	c->room = run->rank_count + 1;
	for (; c->count < run->rank_count; c->count++)
		c->at[c->count].process = (uint32_t)c->count;
	return 0;
}

/* Those of a range; of a rank in it that there is not, nothing is said. */
static int pick_range(struct rank_choice *c, const struct run *run,
		      uint64_t from, uint64_t to)
{
	bool any = false;

	for (size_t i = 0; i < run->rank_count; i++) {
		uint64_t number = processes_number(run, i);
		int err = 0;

		if (number < from || number > to ||
		    (run->world && i >= run->member_count && from != to))
			continue;
		any = true;
		err = pick_process(c, (uint32_t)i, NULL, 0);
		if (err)
			return err;
	}
	if (!any)
		return fail(-EINVAL, "there is no %s %" PRIu64 " in this run",
			    processes_noun(run), from);
	return 0;
}

static bool read_number(const char **at, uint64_t *to)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*to = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}

int rank_choice_named(struct rank_choice *choice, const struct run *run,
		      const char *list)
{
	const char *at = list;
	int err = 0;

	if (!strcmp(list, "all"))
		return pick_all_processes(choice, run);
	while (!err) {
		uint64_t from, to;

		if (!read_number(&at, &from))
			break;
		to = from;
		if (*at == '-' && (at++, !read_number(&at, &to)))
			break;
		err = pick_range(choice, run, from, to);
		if (err || !*at)
			return err;
		if (*at++ != ',')
			break;
	}
	return fail(-EINVAL, "rank wants numbers like 0-3,17, or all, not '%s'",
		    list);
}

/* The first of the largest, which is above 0; or rank_count. */
static uint32_t longest_waiter(const struct run *run)
{
	uint32_t most = (uint32_t)run->rank_count;

	for (uint32_t i = 0; i < run->waits.rank_count; i++)
		if (run->waits.ranks[i].waited_ns > 0 &&
		    (most == run->rank_count ||
		     run->waits.ranks[i].waited_ns >
			     run->waits.ranks[most].waited_ns))
			most = i;
	return most;
}

static int pick_waits(struct rank_choice *c, const struct run *run)
{
	const struct run_waits *w = &run->waits;
	uint32_t waiter = longest_waiter(run);
	int err = 0;

	for (size_t i = 0; i < w->cause_count && i < CULPRITS && !err; i++)
		if (w->causes[i].culprit < run->rank_count)
			err = pick_process(c, w->causes[i].culprit,
					   "others waited for it", 0);
	if (!err && waiter < run->rank_count)
		err = pick_process(c, waiter, "waited most", 0);
	return err;
}

struct member_value {
	uint32_t process;
	uint64_t value;
};

ORDER_BY(by_member_value, struct member_value, ASC(value) ?: ASC(process))

static int pick_typical(struct rank_choice *c, const struct member_value *of,
			size_t count)
{
	uint64_t gap = (of[count - 1].value - of[0].value) / GAPS;
	size_t from = 0;
	int err = 0;

	for (size_t i = 1; i <= count && !err; i++) {
		if (i < count && of[i].value - of[i - 1].value <= gap)
			continue;
		err = pick_process(c, of[from + (i - from) / 2].process,
				   "typical", i - from);
		from = i;
	}
	return err;
}

/* Of a time that members have: both ends, and what lies between. */
static int pick_by_time(struct rank_choice *c, const struct run *run, bool mpi)
{
	size_t count = run->member_count;
	struct member_value *of = calloc(count + 1, sizeof(*of));
	int err;

	if (!of)
		return no_memory();
	for (uint32_t i = 0; i < count; i++)
		of[i] = (struct member_value){ i,
					       mpi ? run->ranks[i].mpi_time_ns
						   : run->ranks[i].cpu_ns };
	qsort(of, count, sizeof(*of), by_member_value);
	err = pick_process(c, of[count - 1].process,
			   mpi ? "most time in MPI" : "most CPU time", 0);
	if (!err)
		err = pick_process(c, of[0].process,
				   mpi ? "least time in MPI" : "least CPU time",
				   0);
	if (!err && mpi == !!run->world)
		err = pick_typical(c, of, count);
	free(of);
	return err;
}

int rank_choice_telling(struct rank_choice *choice, const struct run *run,
			size_t most)
{
	int err;

	if (run->rank_count <= most)
		return pick_all_processes(choice, run);
	err = pick_waits(choice, run);
	if (!err && run->world && run->member_count)
		err = pick_by_time(choice, run, true);
	if (!err && run->member_count)
		err = pick_by_time(choice, run, false);
	if (choice->count > most)
		choice->count = most;
	if (!err && choice->count)
		qsort(choice->at, choice->count, sizeof(*choice->at),
		      by_picked_process);
	return err;
}

char *rank_choice_text(const struct rank_choice *choice, const struct run *run)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < choice->count; i++) {
		const struct rank_pick *p = &choice->at[i];

		fprintf(to, "%s%" PRIu64, i ? ", " : "",
			processes_number(run, p->process));
		if (p->like)
			fprintf(to, " (%s of %zu)", p->why, p->like);
		else if (p->why)
			fprintf(to, " (%s)", p->why);
	}
	fclose(to);
	return text;
}
