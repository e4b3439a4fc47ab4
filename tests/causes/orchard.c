/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grades of fruit: pickers of a rank are threads, and enter what they find into
 * one ledger.
 */
#include "options.h"
#include <math.h>
#include <pthread.h>

#define PICKERS 2
#define FRUITS  4000
#define GRADES  8

struct ledger {
	pthread_mutex_t lock;
	long grades[GRADES];
	int held; /* while a fruit is looked at */
	int day;
};

struct picker {
	struct ledger *ledger;
	int number;
};

static int fruit_grade(int fruit, int day)
{
	double sugar = 0.0;

	for (int spot = 1; spot <= 1000; spot++)
		sugar += log1p(0.01 * spot * (fruit % 53 + day % 7));
	return (int)sugar % GRADES;
}

static void ledger_enter(struct ledger *l, int fruit)
{
	int grade = l->held ? 0 : fruit_grade(fruit, l->day);

	pthread_mutex_lock(&l->lock);
	if (l->held)
		grade = fruit_grade(fruit, l->day);
	l->grades[grade]++;
	pthread_mutex_unlock(&l->lock);
}

static void *picker_run(void *arg)
{
	struct picker *self = arg;

	for (int fruit = self->number; fruit < FRUITS; fruit += PICKERS)
		ledger_enter(self->ledger, fruit);
	return NULL;
}

static void day_pick(struct ledger *l, int day)
{
	pthread_t threads[PICKERS];
	struct picker pickers[PICKERS];

	l->day = day;
	for (int i = 0; i < PICKERS; i++) {
		pickers[i] = (struct picker){ l, i };
		pthread_create(&threads[i], NULL, picker_run, &pickers[i]);
	}
	for (int i = 0; i < PICKERS; i++)
		pthread_join(threads[i], NULL);
}

static double ledger_worth(const struct ledger *l)
{
	double own = 0.0, all;

	for (int i = 0; i < GRADES; i++)
		own += (double)(i * l->grades[i]);
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	static struct ledger l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct options o;
	double result = 0.0;
	int days;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	l.held = !o.mended;
	days = options_times(&o, 60);
	for (int day = 0; day < days; day++) {
		day_pick(&l, day + o.rank);
		result += ledger_worth(&l) / o.ranks;
	}
	options_report(&o, result);
	MPI_Finalize();
	return 0;
}
