/* SPDX-License-Identifier: BSD-3-Clause */
/* Running balances of accounts; each rank books a part of the day in order. */
#include "options.h"
#include <math.h>

#define ACCOUNTS 500
#define ENTRIES  12000

struct entry {
	int account;
	double amount, discount;
};

struct day {
	struct entry entries[ENTRIES];
	double balance[ACCOUNTS];
};

static void entries_read(struct day *d, int rank, int date)
{
	unsigned int x = 12345u + 77u * (unsigned int)(rank + 16 * date);

	for (int i = 0; i < ENTRIES; i++) {
		x = x * 1664525u + 1013904223u;
		d->entries[i].account = (int)(x >> 8) % ACCOUNTS;
		d->entries[i].amount = (double)(x >> 20) / 64.0 - 31.0;
		d->entries[i].discount = 0.01 + 1e-3 * (x >> 29);
	}
}

/* What an amount is worth today: a present value over some periods. */
static double entry_value(const struct entry *e)
{
	double value = 0.0;

	for (int period = 1; period <= 12; period++)
		value += e->amount * exp(-e->discount * period);
	return value / 12;
}

static void entries_book(struct day *d)
{
	for (int i = 0; i < ENTRIES; i++) {
		const struct entry *e = &d->entries[i];

		d->balance[e->account] += entry_value(e);
	}
}

static void carry_receive(struct day *d, const struct options *o)
{
	memset(d->balance, 0, sizeof(d->balance));
	if (o->rank > 0)
		MPI_Recv(d->balance, ACCOUNTS, MPI_DOUBLE, o->rank - 1, 3,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void carry_send(const struct day *d, const struct options *o)
{
	if (o->rank < o->ranks - 1)
		MPI_Send(d->balance, ACCOUNTS, MPI_DOUBLE, o->rank + 1, 3,
			 MPI_COMM_WORLD);
}

/* Booking from zero and adding what was carried is the same. */
static void day_book(struct day *d, const struct options *o)
{
	double own[ACCOUNTS];

	if (!o->mended) {
		carry_receive(d, o);
		entries_book(d);
		carry_send(d, o);
		return;
	}
	memset(d->balance, 0, sizeof(d->balance));
	entries_book(d);
	memcpy(own, d->balance, sizeof(own));
	carry_receive(d, o);
	for (int i = 0; i < ACCOUNTS; i++)
		d->balance[i] += own[i];
	carry_send(d, o);
}

static double interest(const struct day *d)
{
	double sum = 0.0;

	for (int i = 0; i < ACCOUNTS; i++)
		for (int month = 0; month < 12; month++)
			sum += 1e-3 * log1p(fabs(d->balance[i]) + month);
	return sum;
}

int main(int argc, char **argv)
{
	static struct day day;
	struct options o;
	double yield = 0.0, worst, most;
	int days;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	days = options_times(&o, 810);
	for (int date = 0; date < days; date++) {
		entries_read(&day, o.rank, date);
		day_book(&day, &o);
		worst = interest(&day);
		MPI_Allreduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX,
			      MPI_COMM_WORLD);
		yield += worst + most;
	}
	options_report(&o, yield);
	MPI_Finalize();
	return 0;
}
