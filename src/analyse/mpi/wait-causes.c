/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-causes.c - causes of waiting, folded from nodes into call paths. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/mpi/wait-causes.h"
#include "analyse/base/processes.h"
#include "analyse/split/time-split.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"

#define NORMAL_95 1.96 /* standard errors that 95 of 100 are within */

const struct wait_name wait_names[] = {
#define WAIT(id, name, title, meaning) { name, title },
#include "run/waits.def"
#undef WAIT
};

/* Its square until all are there: variances add. */
static void add_cause(struct blame *to, const struct run_cause *from)
{
	to->seconds += from->ns / 1e9;
	to->error += from->error_ns * from->error_ns;
	to->early += from->early_ns / 1e9;
	to->indirect += from->indirect_ns / 1e9;
	to->instances += from->instances;
	to->clock += fmin(from->clock_ns, from->ns) / 1e9;
}

static int fold_causes(struct blames *b, uint32_t *of)
{
	const struct run *run = b->paths->run;
	const struct run_waits *w = &run->waits;
	struct map map = { 0 };
	int err = 0;

	for (size_t i = 0; i < w->cause_count && !err; i++) {
		const struct run_cause *c = &w->causes[i];
		uint32_t path = b->paths->of[c->victim];
		uint32_t at = map_put(&map, (uint64_t)c->kind << 32 | path,
				      c->culprit, (uint32_t)b->count);

		if (at == MAP_NONE) {
			err = no_memory();
			break;
		}
		if (at == b->count)
			b->at[b->count++] =
				(struct blame){ .kind = c->kind,
						.victim = path,
						.culprit = c->culprit };
		add_cause(&b->at[at], c);
		of[i] = at;
	}
	map_fini(&map);
	return err;
}

static void sum_up_blames(struct blames *b)
{
	const struct run *run = b->paths->run;

	for (size_t i = 0; i < run->member_count; i++)
		b->run_seconds += time_split_first(&run->ranks[i]);
	for (size_t i = 0; i < b->count; i++) {
		struct blame *one = &b->at[i];

		one->error = NORMAL_95 * sqrt(one->error) / 1e9 + one->clock;
		b->seconds += one->seconds;
	}
}

ORDER_ROWS_BY(by_blame_seconds, struct blames, of->at,
	      DESC(seconds) ?: ORDER(*i, *j))

/* The largest first; of[] follows. */
static int sort_causes(struct blames *b, uint32_t *of, size_t causes)
{
	uint32_t *order = calloc(b->count + 1, sizeof(*order));
	uint32_t *place = calloc(b->count + 1, sizeof(*place));
	struct blame *sorted = calloc(b->count + 1, sizeof(*sorted));
	bool good = order && place && sorted;

	for (size_t i = 0; i < b->count && good; i++)
		order[i] = (uint32_t)i;
	if (good && b->count)
		qsort_r(order, b->count, sizeof(*order), by_blame_seconds, b);
	for (size_t i = 0; i < b->count && good; i++) {
		sorted[i] = b->at[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < causes && good; i++)
		of[i] = place[of[i]];
	if (good) {
		free(b->at);
		b->at = sorted;
	} else {
		free(sorted);
	}
	free(order);
	free(place);
	return good ? 0 : no_memory();
}

ORDER_BY(by_cause_context, struct blame_row,
	 ASC(blame) ?: ASC(helpers) ?: ASC(context) ?: ASC(unsampled))

ORDER_BY(by_blame_row, struct blame_row,
	 ASC(blame) ?: ASC(helpers) ?: DESC(seconds) ?: by_cause_context(a, b))

/*
 * Its blame's error, and that of its share of the samples: a proportion of so
 * many draws.
 */
static void row_error(const struct blames *b, struct blame_row *row)
{
	struct blame *of = &b->at[row->blame];
	double share = value_ratio(row->seconds, of->seconds);
	double samples = 0, draws;

	for (size_t i = 0; i < of->rows; i++)
		samples += (double)b->rows[of->first_row + i].samples;
	draws = row->unsampled || samples < 1 ? 0
					      : share * (1 - share) / samples;
	row->error = hypot(share * of->error,
			   NORMAL_95 * of->seconds * sqrt(fmax(draws, 0)));
}

static void number_blame_rows(struct blames *b)
{
	for (size_t i = b->row_count; i-- > 0;) {
		struct blame *of = &b->at[b->rows[i].blame];

		of->first_row = i;
		if (b->rows[i].helpers)
			of->helpers++;
		else
			of->rows++;
	}
	for (size_t i = 0; i < b->row_count; i++)
		if (!b->rows[i].helpers)
			row_error(b, &b->rows[i]);
}

static int fold_rows(struct blames *b, const uint32_t *of)
{
	const struct run_waits *w = &b->paths->run->waits;

	b->rows = calloc(w->context_count + 1, sizeof(*b->rows));
	if (!b->rows)
		return no_memory();
	for (size_t i = 0; i < w->context_count; i++)
		b->rows[i] = (struct blame_row){
			.blame = of[w->contexts[i].cause],
			.context = b->paths->of[w->contexts[i].node],
			.unsampled =
				w->contexts[i].flags & RUN_CONTEXT_UNSAMPLED,
			.helpers = w->contexts[i].flags & RUN_CONTEXT_HELPERS,
			.seconds = w->contexts[i].ns / 1e9,
			.samples = w->contexts[i].samples,
		};
	if (w->context_count)
		qsort(b->rows, w->context_count, sizeof(*b->rows),
		      by_cause_context);
	for (size_t i = 0; i < w->context_count; i++) {
		struct blame_row *last = b->rows + b->row_count - 1;

		if (!b->row_count || by_cause_context(last, &b->rows[i])) {
			b->rows[b->row_count++] = b->rows[i];
		} else {
			last->seconds += b->rows[i].seconds;
			last->samples += b->rows[i].samples;
		}
	}
	if (b->row_count)
		qsort(b->rows, b->row_count, sizeof(*b->rows), by_blame_row);
	number_blame_rows(b);
	return 0;
}

ORDER_BY(by_blamed_rank, struct blame_victim, ASC(blame) ?: ASC(rank))

static int fold_victims(struct blames *b, const uint32_t *of)
{
	const struct run_waits *w = &b->paths->run->waits;

	b->victims = calloc(w->victim_count + 1, sizeof(*b->victims));
	if (!b->victims)
		return no_memory();
	for (size_t i = 0; i < w->victim_count; i++)
		b->victims[i] = (struct blame_victim){
			.blame = of[w->victims[i].cause],
			.rank = w->victims[i].rank,
			.seconds = w->victims[i].ns / 1e9,
		};
	if (w->victim_count)
		qsort(b->victims, w->victim_count, sizeof(*b->victims),
		      by_blamed_rank);
	for (size_t i = 0; i < w->victim_count; i++) {
		struct blame_victim *last = b->victims + b->victim_count - 1;

		if (!b->victim_count || by_blamed_rank(last, &b->victims[i]))
			b->victims[b->victim_count++] = b->victims[i];
		else
			last->seconds += b->victims[i].seconds;
	}
	for (size_t i = b->victim_count; i-- > 0;) {
		b->at[b->victims[i].blame].first_victim = i;
		b->at[b->victims[i].blame].victims++;
	}
	return 0;
}

int wait_blames_init(struct blames *b, const struct paths *paths)
{
	size_t causes = paths->run->waits.cause_count;
	uint32_t *of = calloc(causes + 1, sizeof(*of));
	int err = -ENOMEM;

	*b = (struct blames){ .paths = paths };
	b->at = calloc(causes + 1, sizeof(*b->at));
	if (!of || !b->at)
		no_memory();
	else
		err = fold_causes(b, of);
	if (!err) {
		sum_up_blames(b);
		err = sort_causes(b, of, causes);
	}
	if (!err)
		err = fold_rows(b, of);
	if (!err)
		err = fold_victims(b, of);
	free(of);
	if (err)
		wait_blames_fini(b);
	return err;
}

void wait_blames_fini(struct blames *b)
{
	free(b->at);
	free(b->rows);
	free(b->victims);
	*b = (struct blames){ 0 };
}

struct waited {
	uint32_t rank;
	double seconds;
};

ORDER_BY(by_most, struct waited, DESC(seconds) ?: ASC(rank))

ORDER_BY(by_cause_number, uint32_t, ORDER(*a, *b))

/* What each rank waited in all of them: the sum. */
static double add_victims(const struct blames *b, const struct blame *const *of,
			  size_t count, struct waited *to)
{
	double sum = 0;

	for (uint32_t i = 0; i < b->paths->run->rank_count; i++)
		to[i].rank = i;
	for (size_t i = 0; i < count; i++)
		for (size_t v = 0; v < of[i]->victims; v++) {
			const struct blame_victim *one =
				&b->victims[of[i]->first_victim + v];

			to[one->rank].seconds += one->seconds;
			sum += one->seconds;
		}
	return sum;
}

char *wait_blames_victims(const struct blames *b, const struct blame *const *of,
			  size_t count, double share, size_t *victims)
{
	size_t all = b->paths->run->rank_count;
	struct waited *most = calloc(all + 1, sizeof(*most));
	uint32_t *ranks = calloc(all + 1, sizeof(*ranks));
	double sum = 0, wanted;
	char *text = NULL;

	*victims = 0;
	if (!most || !ranks)
		goto out;
	wanted = share * add_victims(b, of, count, most);
	qsort(most, all, sizeof(*most), by_most);
	while (*victims < all && sum < wanted) {
		sum += most[*victims].seconds;
		ranks[*victims] = most[*victims].rank;
		++*victims;
	}
	qsort(ranks, *victims, sizeof(*ranks), by_cause_number);
	text = processes_list(b->paths->run, ranks, *victims);
out:
	free(most);
	free(ranks);
	return text;
}
