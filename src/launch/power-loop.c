/* SPDX-License-Identifier: BSD-3-Clause */
/* power-loop.c - rounds of readings. */
#include "launch/power-loop.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "launch/process.h"

enum {
	SELDOM_MS = 1000, /* between readings of what can wait */
	WAIT_MS = 250,    /* until it is asked again whether GPUs are used */
	EARLY_PHASES = LIVE_POWER_PHASES / 2, /* of who may turn out to use none
					       */
};

struct rounds {
	struct live_power *power;
	struct watch watch;
	struct nvml_device *devices[LIVE_POWER_BOARDS];
	struct power_readings sums[LIVE_POWER_BOARDS];
	struct nvml_uses uses[LIVE_POWER_BOARDS];
	uint64_t number;
	unsigned int period_ms; /* of rounds, in the mean */
	unsigned int seed;
};

/* The first trouble is what the user reads. */
static void note_trouble(struct live_power *p)
{
	if (!p->trouble[0])
		snprintf(p->trouble, sizeof(p->trouble), "%s", fail_reason());
}

static void find_boards(struct rounds *r)
{
	unsigned int count = nvml_count();
	struct live_power *p = r->power;

	for (unsigned int i = 0; i < count; i++) {
		struct nvml_device *d = nvml_at(i);
		uint32_t at = p->board_count;

		if (!d || at == LIVE_POWER_BOARDS)
			continue;
		nvml_names(d, p->boards[at].uuid, sizeof(p->boards[at].uuid),
			   p->boards[at].bus, sizeof(p->boards[at].bus));
		r->devices[at] = d;
		r->sums[at].board = &p->boards[at];
		__atomic_store_n(&p->board_count, at + 1, __ATOMIC_RELEASE);
	}
	if (!p->board_count) {
		fail(0, "NVML has no GPU that this user may read");
		note_trouble(p);
	}
}

static uint32_t board_called(const struct live_power *p, const char *uuid)
{
	for (uint32_t i = 0; i < p->board_count; i++)
		if (!strcmp(p->boards[i].uuid, uuid))
			return i;
	return LIVE_POWER_NO_BOARD;
}

/* Of an instance of MIG, that of the GPU which it is a part of. */
static uint32_t board_of_loop(void *to, const char *uuid, bool *is_mig)
{
	char name[48], bus[32];
	struct nvml_device *whole;
	struct rounds *r = to;
	uint32_t at;

	snprintf(name, sizeof(name), "GPU-%s", uuid);
	at = board_called(r->power, name);
	if (at != LIVE_POWER_NO_BOARD)
		return at;
	snprintf(name, sizeof(name), "MIG-%s", uuid);
	whole = nvml_of_instance(name);
	if (!whole)
		return LIVE_POWER_NO_BOARD;
	*is_mig = true;
	nvml_names(whole, name, sizeof(name), bus, sizeof(bus));
	return board_called(r->power, name);
}

static struct live_power_phase *find_phase(struct live_power *p,
					   const struct watch_process *w,
					   uint32_t board, uint32_t node)
{
	struct live_power_phase *row = p->phases;

	for (uint32_t i = 0; i < p->phase_count; i++, row++)
		if (row->pid == w->pid && row->start_ns == w->start_ns &&
		    row->board == board && row->node == node)
			return row;
	if (p->phase_count == (w->sees_any ? LIVE_POWER_PHASES : EARLY_PHASES))
		return NULL;
	*row = (struct live_power_phase){ .start_ns = w->start_ns,
					  .pid = w->pid,
					  .board = board,
					  .node = node };
	__atomic_store_n(&p->phase_count, p->phase_count + 1, __ATOMIC_RELEASE);
	return row;
}

/* What is between two readings is the phase's that the second one meets. */
static void give_to_phases(struct rounds *r, uint32_t board,
			   const struct power_step *step)
{
	for (size_t i = 0; i < r->watch.count && step->ns; i++) {
		const struct watch_process *w = &r->watch.at[i];
		struct live_power_phase *row = NULL;

		if (w->sees_any && !w->uses[board])
			continue;
		row = find_phase(r->power, w, board, w->phase);
		if (!row)
			continue;
		row->uj += step->uj;
		row->ns += step->ns;
#define ADDED(type, name, ...)                                                 \
	row->name = gpu_use_sum(row->name, step->uses.name);
#include "live/gpu-uses.def"
#undef ADDED
		row->readings++;
	}
}

static bool process_uses_board(const struct rounds *r, uint32_t board)
{
	for (size_t i = 0; i < r->watch.count; i++)
		if (r->watch.at[i].uses[board])
			return true;
	return false;
}

/* As long as no process has told which it uses, each may be. */
static bool process_may_use_board(const struct rounds *r, uint32_t board)
{
	bool known = false;

	for (size_t i = 0; i < r->watch.count; i++)
		known |= r->watch.at[i].sees_any;
	return !known || process_uses_board(r, board);
}

/* Each gets what was used in it, by the counter: power is late. */
static bool has_phases(const struct rounds *r)
{
	for (size_t i = 0; i < r->watch.count; i++)
		if (r->watch.at[i].phase)
			return true;
	return false;
}

/* As seldom as the counter of energy: nothing is lost in between. */
static void add_uses(struct rounds *r, uint32_t board, struct power_step *step)
{
	uint64_t now = process_clock(), last = r->uses[board].last_ns;
	struct gpu_uses uses;

	if (!nvml_read_uses(r->devices[board], &r->uses[board], now, &uses))
		return;
	power_readings_uses(&r->sums[board], now, &uses);
	if (last && now - last < r->period_ms * 2000000ull)
		step->uses = uses;
}

/* That a GPU cannot be read matters to those who use it. */
static void read_board(struct rounds *r, uint32_t i, unsigned int asked)
{
	struct nvml_reading reading;
	struct power_step step;

	if (nvml_read(r->devices[i], asked, &reading)) {
		r->power->boards[i].failures++;
		if (process_uses_board(r, i))
			note_trouble(r->power);
		return;
	}
	step = power_readings_add(&r->sums[i], process_clock(), &reading);
	if (asked & NVML_ENERGY)
		add_uses(r, i, &step);
	give_to_phases(r, i, &step);
}

static void note_cost(struct live_power *p, uint64_t start)
{
	uint64_t took = process_clock() - start;
	struct timespec t;

	if (took > p->slowest_ns)
		p->slowest_ns = took;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	p->cpu_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_all_boards(struct rounds *r, bool last)
{
	bool seldom = last || r->number * r->period_ms % SELDOM_MS == 0;
	uint64_t start = process_clock();
	unsigned int energy;

	watch_look(&r->watch);
	energy = seldom || has_phases(r) ? NVML_ENERGY : 0;
	for (uint32_t i = 0; i < r->power->board_count; i++) {
		bool used = process_may_use_board(r, i);

		if (used || seldom)
			read_board(r, i, energy | (used ? NVML_STATE : 0));
	}
	r->number++;
	note_cost(r->power, start);
}

/* False once the other end of the pipe is closed. */
static bool wait_for(unsigned int ms)
{
	struct pollfd parent = { .fd = 0, .events = POLLIN };

	return poll(&parent, 1, (int)ms) == 0;
}

/* False when none was used. */
static bool wait_for_devices(const struct watch *w)
{
	while (!watch_sees_devices(w))
		if (!wait_for(WAIT_MS))
			return false;
	return true;
}

/* From 0.7 to 1.3 periods. */
static bool wait_for_next(struct rounds *r)
{
	unsigned int random = (unsigned int)rand_r(&r->seed) % 601;

	return wait_for(r->period_ms * (700 + random) / 1000);
}

void power_loop_run(struct live_power *power, const char *folder,
		    enum power_pace pace)
{
	/* Mutable: of this process alone, and large. */
	static struct rounds r;

	r.power = power;
	r.watch = (struct watch){ .folder = folder,
				  .power = power,
				  .board_of = board_of_loop,
				  .to = &r };
	r.period_ms = (unsigned int)pace;
	r.seed =
		(unsigned int)(process_clock() / 1000) + (unsigned int)getpid();
	if (pace == POWER_ONCE_USED && !wait_for_devices(&r.watch)) {
		power->ended = 1;
		return;
	}
	if (nvml_open()) {
		note_trouble(power);
	} else {
		find_boards(&r);
		do
			read_all_boards(&r, false);
		while (power->board_count && wait_for_next(&r));
		read_all_boards(&r, true);
	}
	power->ended = 1;
}
