/* SPDX-License-Identifier: BSD-3-Clause */
/* sample-period.c - periods change at random around their mean, weights add up.
 */
#include <pthread.h>
#include <time.h>

#include "collect/sampling/sample-period.h"
#include "collect/time.h"
#include "tests/lib/test.h"

enum {
	MS = 1000000,
	TICKS = 4000,
};

static void use_cpu(uint64_t ns)
{
	uint64_t end = time_now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (time_now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

TEST(periods_differ_and_keep_their_mean)
{
	struct weights w = { .last = true };
	uint64_t least = UINT64_MAX, most = 0, sum = 0, count = 0;
	struct sample_period p;

	sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP, 7, 1);
	for (int i = 0; i < TICKS; i++) {
		uint64_t next = sample_period_keep(&p, TIMER_CPU, &w);

		CHECK(next);
		sample_period_set(&p, next);
		sum += next;
		count++;
		least = next < least ? next : least;
		most = next > most ? next : most;
	}
	CHECK(least, <, 0.72 * MS);
	CHECK(most, >, 1.65 * MS);
	CHECK(least, >=, 0.69 * MS);
	CHECK(most, <=, 1.75 * MS);
	CHECK(sum, >, count * 0.97 * MS);
	CHECK(sum, <, count * 1.03 * MS);
}

/* The least, the most and the mean number of ticks that have one period. */
static void look_at_runs(uint64_t mean_ns, int *least, int *most, double *mean)
{
	const struct weights w = { .last = true };
	int64_t sum = 0;
	struct sample_period p;

	*least = INT32_MAX;
	*most = 0;
	sample_period_start(&p, mean_ns, LIVE_CLOCK_SIGTRAP, 7, 1);
	for (int i = 0; i < TICKS; i++) {
		sample_period_keep(&p, TIMER_CPU, &w);
		*least = p.left < *least ? p.left : *least;
		*most = p.left > *most ? p.left : *most;
		sum += p.left;
	}
	*mean = (double)sum / TICKS;
}

TEST(runs_of_a_period_are_as_long_in_time_when_ticks_are_frequent)
{
	int least, most;
	double mean;

	look_at_runs(4 * MS, &least, &most, &mean);
	CHECK(least, ==, 4);
	CHECK(most, ==, 12);
	CHECK(mean, >, 7.8);
	CHECK(mean, <, 8.2);
	look_at_runs(MS, &least, &most, &mean);
	CHECK(least, ==, 4);
	CHECK(most, ==, 12);
	CHECK(mean, >, 7.8);
	CHECK(mean, <, 8.2);
	look_at_runs(MS / 2, &least, &most, &mean);
	CHECK(least, ==, 8);
	CHECK(most, ==, 24);
	look_at_runs(MS / 40, &least, &most, &mean);
	CHECK(least, ==, 16);
	CHECK(most, ==, 48);
	CHECK(mean, >, 31);
	CHECK(mean, <, 33);
}

TEST(weights_add_up_to_the_cpu_time)
{
	uint64_t begin = time_now(CLOCK_THREAD_CPUTIME_ID), sum = 0;
	uint64_t next;
	struct weights w;
	struct sample_period p;

	sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP,
			    time_now(CLOCK_THREAD_CPUTIME_ID), 1);
	for (int i = 0; i < 40; i++) {
		use_cpu(i % 5 ? p.period_ns : 7 * p.period_ns / 2);
		sample_period_weigh(&p, TIMER_CPU, &w);
		next = sample_period_keep(&p, TIMER_CPU, &w);
		if (next)
			sample_period_set(&p, next);
		sum += w.cpu_ns;
		CHECK(w.wall_ns, >=, w.cpu_ns);
	}
	begin = time_now(CLOCK_THREAD_CPUTIME_ID) - begin;
	CHECK(sum, <=, begin + 2 * MS);
	CHECK(sum + 4 * MS, >=, begin);
}

TEST(a_fixed_clock_keeps_its_period)
{
	struct weights w = { .last = true, .cpu_ns = 1 };
	struct sample_period p;

	sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP,
			    time_now(CLOCK_THREAD_CPUTIME_ID), 1);
	sample_period_fix(&p, time_now(CLOCK_THREAD_CPUTIME_ID));
	for (int i = 0; i < 100; i++)
		CHECK(!sample_period_keep(&p, TIMER_CPU, &w));
	CHECK(p.period_ns, ==, MS);
}

TEST(a_switch_has_wall_time_only)
{
	const struct timespec rest = { .tv_nsec = 3 * MS };
	struct weights w;
	struct sample_period p;

	sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP,
			    time_now(CLOCK_THREAD_CPUTIME_ID), 1);
	nanosleep(&rest, NULL);
	sample_period_weigh(&p, TIMER_SWITCH, &w);
	CHECK(!w.cpu_ns);
	CHECK(w.wall_ns, >, 2 * MS);
}

/* A thread ends within a period: on average, its samples hold its time. */
TEST(a_first_period_is_half_a_mean_on_average)
{
	uint64_t sum = 0;
	struct sample_period p;

	for (uint64_t i = 0; i < TICKS; i++) {
		sum += sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP,
					   1000 * MS + i, 1);
		CHECK(1000 * MS + i - p.stood_ns + p.period_ns, ==, MS);
	}
	CHECK(sum, >, TICKS * 0.47 * MS);
	CHECK(sum, <, TICKS * 0.55 * MS);
}

/* A short first period may be over again before its signal has been handled. */
TEST(a_signal_before_it_is_due_stands_for_little)
{
	struct weights w = { .last = true };
	struct sample_period p;
	uint64_t next;

	sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP,
			    time_now(CLOCK_THREAD_CPUTIME_ID), 1);
	use_cpu(p.period_ns);
	sample_period_weigh(&p, TIMER_CPU, &w);
	next = sample_period_keep(&p, TIMER_CPU, &w);
	CHECK(next);
	sample_period_set(&p, next);
	use_cpu(MS / 20);
	sample_period_weigh(&p, TIMER_CPU, &w);
	CHECK(w.cpu_ns, >=, MS / 20);
	CHECK(w.cpu_ns, <, MS / 2);
}

/* What the samples of a thread that ends after `cpu_ns` stand for. */
static uint64_t stood_for(uint64_t odds, uint64_t seed, uint64_t cpu_ns)
{
	struct sample_period p;
	uint64_t start = 1000 * MS + seed;
	uint64_t first =
		sample_period_start(&p, MS, LIVE_CLOCK_SIGTRAP, start, odds);

	if (first > cpu_ns)
		return 0;
	return start + first - p.stood_ns + (cpu_ns - first) / MS * MS;
}

TEST(samples_stand_for_processes_without_one_in_the_mean)
{
	static const uint64_t odds[] = { 1, 4, 64 };
	static const uint64_t cpu_ns[] = { MS / 10, 6 * MS / 10, 3 * MS,
					   40 * MS, 300 * MS };
	const uint64_t times = 1000000;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 5; j++) {
			double mean, sum = 0, cpu = (double)cpu_ns[j];

			for (uint64_t n = 0; n < times; n++)
				sum += (double)stood_for(odds[i], n, cpu_ns[j]);
			mean = sum / (double)times;
			CHECK(mean, >, 0.93 * cpu);
			CHECK(mean, <, 1.07 * cpu);
		}
}

TEST(the_longer_the_odds_the_fewer_processes_have_a_sample)
{
	int with_one = 0;

	for (uint64_t n = 0; n < TICKS; n++)
		with_one += stood_for(16, n, 2 * MS) > 0;
	CHECK(with_one, >, TICKS / 8 * 8 / 10);
	CHECK(with_one, <, TICKS / 8 * 12 / 10);
}

/* All numbers of a period are the same. */
static void *hand_over(void *argument)
{
	struct next_period *next = argument;

	for (uint64_t i = 1; i <= 100 * TICKS; i++) {
		struct sample_period p = { .mean_ns = i,
					   .period_ns = i,
					   .stood_ns = i,
					   .wall_ns = i,
					   .random = i };

		sample_period_hand_over(next, &p);
	}
	return NULL;
}

static bool is_whole(const struct sample_period *p)
{
	uint64_t is = p->mean_ns;

	return p->period_ns == is && p->stood_ns == is && p->wall_ns == is &&
	       p->random == is;
}

TEST(what_another_thread_hands_over_is_taken_whole)
{
	struct next_period next = { 0 };
	struct sample_period p = { 0 };
	uint64_t before = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, hand_over, &next);
	while (p.mean_ns < 100 * TICKS) {
		sample_period_take_over(&p, &next);
		CHECK(is_whole(&p));
		CHECK(p.mean_ns, >=, before);
		before = p.mean_ns;
	}
	pthread_join(thread, NULL);
	CHECK(sample_period_take_over(&p, &next));
	sample_period_withdraw(&next);
	CHECK(!sample_period_take_over(&p, &next));
}
