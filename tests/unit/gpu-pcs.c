/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-pcs.c - samples of kernels: sums, what has no room, and damage. */
#include "collect/gpu/gpu-pcs.h"

#include <string.h>

#include "collect/control.h"
#include "collect/gpu/gpu.h"
#include "collect/time.h"
#include "tests/unit/measured.h"

static struct region_name alpha = { .text = "alpha",
				    .class = LIVE_NAME_KERNEL };

static void begin(void)
{
	measured_begin(64);
	copse_gpu_note(1);
}

static struct profile *profile(void)
{
	struct profile *p = NULL;

	CHECK(!profile_from_live(&p, registry_header(),
				 registry_header()->capacity));
	return p;
}

static uint64_t lost(enum loss why)
{
	return registry_header()->losses[why];
}

TEST(samples_of_an_instruction_are_summed)
{
	struct live_pc some = { .function = 3, .cubin = 7, .pc = 16 };
	struct profile *p;

	begin();
	some.stalls[LIVE_STALL_MEMORY] = 5;
	some.unissued = 2;
	copse_gpu_pc(&alpha, &some);
	copse_gpu_pc(&alpha, &some);
	some.pc = 32;
	copse_gpu_pc(&alpha, &some);
	p = profile();
	CHECK(p->pc_count, ==, 2);
	CHECK(p->pcs[0].stalls[LIVE_STALL_MEMORY], ==, 10);
	CHECK(p->pcs[0].unissued, ==, 4);
	CHECK(p->pcs[1].pc, ==, 32);
	CHECK(p->pcs[1].stalls[LIVE_STALL_MEMORY], ==, 5);
	profile_free(p);
}

TEST(instructions_have_an_end)
{
	struct live_pc some = { .cubin = 7 };
	struct profile *p;

	begin();
	some.stalls[LIVE_STALL_CODE] = 3;
	for (uint32_t i = 0; i < 40000; i++) {
		some.pc = 16 * i;
		copse_gpu_pc(&alpha, &some);
	}
	CHECK(lost(LOSS_GPU_PC_FULL), ==, 3 * (40000 - 32768));
	p = profile();
	CHECK(p->pc_count, ==, 32768);
	profile_free(p);
}

/* In pieces and together again; more than 8 MiB are not kept. */
TEST(cubins_come_as_they_were)
{
	enum {
		SIZE = 5003
	};
	static uint8_t bytes[9 << 20];
	struct profile *p;

	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(7 * i + i / 256);
	begin();
	copse_gpu_cubin(1, bytes, SIZE);
	copse_gpu_cubin(2, bytes, sizeof(bytes));
	copse_gpu_cubin(3, bytes + 1, 8);
	CHECK(lost(LOSS_GPU_CUBINS), ==, 1);
	p = profile();
	CHECK(p->cubin_count, ==, 2);
	CHECK(p->cubins[0].cubin, ==, 1);
	CHECK(p->cubins[0].size, ==, SIZE);
	CHECK(p->cubins[1].cubin, ==, 3);
	CHECK(p->cubins[1].size, ==, 8);
	CHECK(p->cubin_word_count, ==, (SIZE + 7) / 8 + 1);
	CHECK(!memcmp(p->cubin_words, bytes, SIZE));
	CHECK(!memcmp(&p->cubin_words[(SIZE + 7) / 8], bytes + 1, 8));
	profile_free(p);
}

/* A cubin that lacks a piece is none; those around it stay. */
TEST(cubins_that_are_damaged_are_left_out)
{
	static uint8_t bytes[2500];
	struct profile *p;
	struct live_cubin *piece;
	live_ref chunk;

	begin();
	copse_gpu_cubin(1, bytes, 800);
	copse_gpu_cubin(2, bytes, sizeof(bytes));
	chunk = registry_header()->gpu_lists.cubins;
	piece = (void *)((char *)registry_header() + 8 * (size_t)chunk +
			 sizeof(struct live_chunk));
	CHECK(piece[0].cubin, ==, 1);
	CHECK(piece[2].at, ==, 1000);
	piece[2].at = 1008;
	p = profile();
	CHECK(p->cubin_count, ==, 1);
	CHECK(p->cubins[0].cubin, ==, 1);
	CHECK(p->cubin_word_count, ==, 100);
	CHECK(p->losses[p->loss_count - 1].name, ==, "damaged");
	profile_free(p);
}

TEST(what_they_cost_is_summed)
{
	struct profile *p;

	begin();
	copse_gpu_sampling_cost(40);
	copse_gpu_sampling_cost(2);
	p = profile();
	CHECK(p->sampling_count, ==, 1);
	CHECK(p->sampling->calls, ==, 2);
	CHECK(p->sampling->ns, ==, 42);
	profile_free(p);
}

/* From the begin on; not in a pause; after it, from then on. */
TEST(pauses_are_told)
{
	uint64_t before, since;

	begin();
	CHECK(!copse_gpu_measured_since());
	control_pause();
	control_pause();
	CHECK(copse_gpu_measured_since(), ==, UINT64_MAX);
	control_resume();
	CHECK(copse_gpu_measured_since(), ==, UINT64_MAX);
	before = time_now(CLOCK_MONOTONIC);
	control_resume();
	since = copse_gpu_measured_since();
	CHECK(since, >=, before);
	CHECK(since, <=, time_now(CLOCK_MONOTONIC));
	control_resume();
	CHECK(copse_gpu_measured_since(), ==, since);
}
