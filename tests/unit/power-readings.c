/* SPDX-License-Identifier: BSD-3-Clause */
/* power-readings.c - readings of a power that is known become its integral. */
#include "launch/power-loop.h"
#include "tests/lib/test.h"

#define MS    ((uint64_t)1000000)
#define START (1000000 * MS)

static struct live_power_board board;
static struct power_readings sums;

static void begin(void)
{
	board = (struct live_power_board){ 0 };
	sums = (struct power_readings){ .board = &board };
}

static struct power_step read_power(uint64_t ms, unsigned int mw)
{
	const struct nvml_reading r = { .mw = mw, .asks_energy = true };

	return power_readings_add(&sums, START + ms * MS, &r);
}

static struct power_step read_counter(uint64_t ms, unsigned int mw, uint64_t mj)
{
	const struct nvml_reading r = { .mw = mw,
					.asks_energy = true,
					.knows_energy = true,
					.energy_mj = mj };

	return power_readings_add(&sums, START + ms * MS, &r);
}

/* From 100 W to 300 W in a second: 200 J. */
TEST(ramp)
{
	begin();
	for (unsigned int i = 0; i <= 10; i++)
		read_power(100 * i, 100000 + 20000 * i);
	CHECK(board.readings, ==, 11);
	CHECK(!board.counts);
	CHECK(board.power_uj, ==, 200000000);
	CHECK(board.known_ns, ==, 1000 * MS);
	CHECK(board.least_mw, ==, 100000);
	CHECK(board.most_mw, ==, 300000);
}

/* What is not known is not made up, and its counter knows it. */
TEST(gap)
{
	begin();
	read_counter(0, 200000, 5000);
	read_counter(100, 200000, 25000);
	CHECK(read_counter(9100, 200000, 1825000).ns, ==, 0);
	CHECK(read_counter(9200, 200000, 1845000).uj, ==, 20000000);
	CHECK(board.power_uj, ==, 40000000);
	CHECK(board.known_ns, ==, 200 * MS);
	CHECK(board.counts);
	CHECK(board.counter_uj, ==, 1840000000);
	CHECK(board.first_ns, ==, START);
	CHECK(board.last_ns, ==, START + 9200 * MS);
}

/* Of a driver that was loaded anew the counter begins again: power counts. */
TEST(counter_runs_backwards)
{
	begin();
	read_counter(0, 200000, 5000);
	read_counter(100, 200000, 25000);
	CHECK(read_counter(200, 200000, 10).uj, ==, 20000000);
	CHECK(read_counter(300, 200000, 20010).uj, ==, 20000000);
	CHECK(!board.counts);
	CHECK(board.power_uj, ==, 60000000);
}

/* Between readings with the counter, power is what there is. */
TEST(counter_is_asked_now_and_then)
{
	const struct nvml_reading power = { .mw = 200000 };

	begin();
	read_counter(0, 200000, 5000);
	CHECK(power_readings_add(&sums, START + 100 * MS, &power).uj, ==,
	      20000000);
	CHECK(power_readings_add(&sums, START + 200 * MS, &power).uj, ==,
	      20000000);
	CHECK(board.counts);
	CHECK(board.counter_uj, ==, 40000000);
	CHECK(read_counter(300, 200000, 95000).uj, ==, 20000000);
	CHECK(read_counter(400, 200000, 125000).uj, ==, 30000000);
	CHECK(board.counts);
	CHECK(board.counter_uj, ==, 120000000);
	CHECK(board.power_uj, ==, 80000000);
}

/* One that fails at first is not taken for one that began at 0. */
TEST(counter_comes_late)
{
	begin();
	read_power(0, 200000);
	CHECK(read_counter(100, 200000, 5000000).uj, ==, 20000000);
	CHECK(!board.counts);
}

static void bins_are(uint64_t uj, uint64_t ns)
{
	for (size_t i = 0; i < LIVE_POWER_BINS; i++) {
		uj -= board.bins[i].uj;
		ns -= board.bins[i].ns;
		CHECK(board.bins[i].ns, <=, (uint64_t)2 << board.bin_shift);
	}
	CHECK(!uj && !ns);
}

/* An hour and a day are in as many bins, and all of it. */
TEST(series_is_bounded)
{
	begin();
	for (uint64_t i = 0; i <= 36000; i++)
		read_power(100 * i, 1000 * (100 + i % 300));
	bins_are(board.power_uj, board.known_ns);
	CHECK(board.moving % 2, ==, 0);
	CHECK(board.bin_shift, ==, 34);
	for (uint64_t i = 0; i < 86400; i++)
		read_power(3600000 + 1000 * i, 1000 * (100 + i % 300));
	bins_are(board.power_uj, board.known_ns);
}

/* A second of use is in the bins of that second, and all of it. */
TEST(uses_are_spread)
{
	struct gpu_uses uses = { .uses_ns = 1000 * MS,
				 .use_sm = 900 * MS,
				 .use_warps = GPU_USE_UNTOLD,
				 .use_tensor = 400 * MS };
	uint64_t ns = 0, tensor = 0, most = 0;

	begin();
	for (uint64_t i = 0; i <= 10; i++)
		read_power(100 * i, 200000);
	power_readings_uses(&sums, START + 1000 * MS, &uses);
	for (size_t i = 0; i < LIVE_POWER_BINS; i++) {
		ns += board.bins[i].uses_ns;
		tensor += board.bins[i].use_tensor;
		if (board.bins[i].uses_ns > most)
			most = board.bins[i].uses_ns;
	}
	CHECK(ns, ==, 1000 * MS);
	CHECK(tensor, >=, 399 * MS);
	CHECK(tensor, <=, 400 * MS);
	CHECK(most, <=, 135 * MS);
	CHECK(board.use_tensor, ==, 400 * MS);
	CHECK(board.use_warps, ==, GPU_USE_UNTOLD);
}

TEST(state_is_by_time)
{
	struct nvml_reading r = { .mw = 1,
				  .knows_clocks = true,
				  .sm_mhz = 1000,
				  .memory_mhz = 2000,
				  .knows_use = true,
				  .used = 50,
				  .knows_reasons = true,
				  .reasons = 0x4 };

	begin();
	power_readings_add(&sums, START, &r);
	power_readings_add(&sums, START + 100 * MS, &r);
	r.sm_mhz = 2000;
	r.reasons = 0x1; /* idle is no reason to be slowed */
	power_readings_add(&sums, START + 400 * MS, &r);
	CHECK(board.sm_mhz_ns / board.clocks_ns, ==, 1750);
	CHECK(board.used_ns, ==, 200 * MS);
	CHECK(board.use_ns, ==, 400 * MS);
	CHECK(board.slowed_ns, ==, 100 * MS);
	CHECK(board.reasons, ==, 0x5);
}
