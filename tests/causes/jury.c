/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks of wines: each taster of a rank is a thread, and a wine goes from one
 * to the next.
 */
#include "options.h"
#include <math.h>
#include <pthread.h>

#define TASTERS 2
#define WINES   2000

struct table {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	double marks[WINES];
	double habit[TASTERS];
	int turn, day;
	int flight; /* wines that one tastes before the next has his turn */
};

struct taster {
	struct table *table;
	int number;
};

static double wine_taste(int wine, int number, int day)
{
	double mark = 0.0;

	for (int sip = 1; sip <= 300; sip++)
		mark += log1p(0.01 * sip * (wine % 37 + number + day % 5));
	return mark / 300;
}

static void turn_await(struct table *t, int number)
{
	pthread_mutex_lock(&t->lock);
	while (t->turn != number)
		pthread_cond_wait(&t->moved, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

static void turn_pass(struct table *t)
{
	pthread_mutex_lock(&t->lock);
	t->turn = (t->turn + 1) % TASTERS;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

/* Habit: a taster's own wines so far. */
static void *taster_run(void *arg)
{
	struct taster *self = arg;
	struct table *t = self->table;

	for (int wine = 0; wine < WINES; wine += t->flight) {
		turn_await(t, self->number);
		for (int i = wine; i < wine + t->flight; i++) {
			double mark = wine_taste(i, self->number, t->day);

			t->marks[i] += mark;
			t->habit[self->number] += 1e-3 * mark;
		}
		turn_pass(t);
	}
	return NULL;
}

static void day_taste(struct table *t, int day)
{
	pthread_t threads[TASTERS];
	struct taster tasters[TASTERS];

	t->day = day;
	t->turn = 0;
	for (int i = 0; i < TASTERS; i++) {
		tasters[i] = (struct taster){ t, i };
		pthread_create(&threads[i], NULL, taster_run, &tasters[i]);
	}
	for (int i = 0; i < TASTERS; i++)
		pthread_join(threads[i], NULL);
}

static double marks_spread(const struct table *t)
{
	double own = 0.0, all;

	for (int i = 1; i < WINES; i++)
		own += fabs(t->marks[i] - t->marks[i - 1]);
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	static struct table t = { .lock = PTHREAD_MUTEX_INITIALIZER,
				  .moved = PTHREAD_COND_INITIALIZER };
	struct options o;
	double result = 0.0;
	int days;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	t.flight = o.mended ? 500 : 1;
	days = options_times(&o, 100);
	for (int day = 0; day < days; day++) {
		day_taste(&t, day + o.rank);
		result += marks_spread(&t) / o.ranks;
	}
	options_report(&o, result + t.habit[0] + t.habit[1]);
	MPI_Finalize();
	return 0;
}
