/* SPDX-License-Identifier: BSD-3-Clause */
/* power-sums.c - the energy of GPUs that several processes read. */
#include <stdlib.h>
#include <string.h>

#include "merge/gatherers.h"
#include "tests/lib/test.h"

#define SECOND 1000000000ull

enum {
	PHASE = 1, /* a node */
	NODES = 2,
};

static const uint32_t same[] = { 0, 1 };
static const uint32_t turned[] = { 1, 0 };

/* A process that read one GPU so long at 200 W, half of it in a phase. */
static void add(void *to, uint32_t process, const char *uuid, uint64_t seconds)
{
	struct profile_device device = { .id = 3 };
	struct profile_power power = { .known_ns = seconds * SECOND,
				       .power_uj = seconds * 200000000,
				       .readings = 10 * seconds,
				       .least_mw = 50000 };
	struct profile_power_phase phase = { .node = PHASE,
					     .readings = 5,
					     .uj = seconds * 100000000,
					     .ns = seconds * SECOND / 2 };
	struct profile p = {
		.devices = &device,
		.device_count = 1,
		.powers = &power,
		.power_count = 1,
		.power_phases = &phase,
		.power_phase_count = 1,
	};
	const struct gathered one = { .profile = &p,
				      .process = process,
				      .nodes = same };

	strcpy(p.id.host, "n1");
	strcpy(power.uuid, uuid);
	CHECK(!gatherer_power_sums.add(to, &one));
}

/*
 * Two processes, in the order of reading or the other; the first has 1/4.  What
 * was gathered is freed.
 */
static void finish(void *power, struct run *run, const uint32_t *order,
		   uint32_t second_device)
{
	struct run_share shares[] = {
		{ .device = 0, .rank = 0, .id = 3, .busy_ns = 1 * SECOND },
		{ .device = second_device,
		  .rank = 1,
		  .id = 3,
		  .busy_ns = 3 * SECOND },
	};
	struct run_device devices[2] = { { .shares = 1 }, { .shares = 1 } };

	*run = (struct run){ .gpu = { .devices = devices,
				      .device_count = 1 + second_device,
				      .shares = shares,
				      .share_count = 2 } };
	CHECK(str_add(&run->strings, ""), ==, 0);
	CHECK(!gatherer_power_sums.finish(power, run, order, same));
	run->gpu = (struct run_gpu){ 0 };
	free(power);
}

static int is(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void fini(struct run *run)
{
	run_energy_fini(&run->energy);
	strings_fini(&run->strings);
}

/* The longer readings are the GPU's; its phase is the two shares of theirs. */
static void shared(const uint32_t *order)
{
	void *power = calloc(1, gatherer_power_sums.size);
	struct run run;

	add(power, order[0], "GPU-1", order[0] ? 8 : 10);
	add(power, order[1], "GPU-1", order[1] ? 8 : 10);
	finish(power, &run, same, 0);
	CHECK(run.energy.power_count, ==, 1);
	CHECK(run.energy.device_count, ==, 1);
	CHECK(run.energy.powers[0].readers, ==, 2);
	CHECK(is(run.energy.powers[0].joules, 2000));
	CHECK(is(run.energy.powers[0].idle, 500));
	CHECK(run.energy.phase_count, ==, 1);
	CHECK(run.energy.phases[0].node, ==, PHASE);
	CHECK(is(run.energy.phases[0].joules, 1000 * 0.25 + 800 * 0.75));
	CHECK(is(run.energy.phases[0].seconds, 9));
	CHECK(run.energy.phases[0].readings, ==, 10);
	fini(&run);
}

TEST(shared_gpu_counts_once)
{
	shared(same);
}

TEST(order_of_files_changes_nothing)
{
	shared(turned);
}

TEST(two_gpus_are_two)
{
	void *power = calloc(1, gatherer_power_sums.size);
	struct run run;

	add(power, 0, "GPU-1", 10);
	add(power, 1, "GPU-2", 8);
	finish(power, &run, same, 1);
	CHECK(run.energy.power_count, ==, 2);
	CHECK(run.energy.phase_count, ==, 2);
	CHECK(run.energy.devices[0].power, ==, 0);
	CHECK(run.energy.devices[1].power, ==, 1);
	CHECK(is(run.energy.phases[0].joules, 1000));
	CHECK(is(run.energy.phases[1].joules, 800));
	fini(&run);
}

/* The ranks of the run are in another order than files were read in. */
TEST(ranks_are_the_runs)
{
	void *power = calloc(1, gatherer_power_sums.size);
	struct run run;

	add(power, 0, "GPU-2", 8);
	add(power, 1, "GPU-1", 10);
	finish(power, &run, turned, 1);
	CHECK(run.energy.devices[0].power, ==, 1);
	CHECK(run.energy.devices[1].power, ==, 0);
	fini(&run);
}

TEST(nothing_was_read)
{
	void *power = calloc(1, gatherer_power_sums.size);
	struct run run;

	finish(power, &run, same, 1);
	CHECK(!run.energy.power_count && !run.energy.device_count);
	fini(&run);
}
