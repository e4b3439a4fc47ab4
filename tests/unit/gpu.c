/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu.c - work of GPUs joined with calls, and what a reader makes of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/gpu/gpu.h"
#include "tests/unit/measured.h"

enum {
	NOTES = 1 << 18
};

static struct region_name kernel = { .text = "alpha",
				     .class = LIVE_NAME_KERNEL };
static struct region_name copy = { .text = "[copy to GPU]",
				   .class = LIVE_NAME_KERNEL };

static void work(uint32_t id, struct region_name *name, uint64_t start,
		 uint64_t end)
{
	struct gpu_work w = {
		.id = id,
		.kind = name == &copy ? LIVE_GPU_TO : LIVE_GPU_KERNEL,
		.name = name,
		.start = start,
		.end = end,
		.bytes = name == &copy ? 4096 : 0,
	};

	copse_gpu_add(&w, 1);
}

static uint64_t lost(enum loss why)
{
	return registry_header()->losses[why];
}

/* What the profile's one list holds, in order. */
static struct live_gpu *entry(uint32_t i)
{
	struct arena *arena = registry_open();
	struct live_chunk *chunk = arena_at(arena, registry_header()->gpu);

	CHECK(registry_header()->gpu);
	CHECK(i, <, chunk->count);
	return (struct live_gpu *)(chunk + 1) + i;
}

TEST(work_is_summed_by_call_and_name)
{
	measured_begin(16);
	copse_gpu_note(5);
	work(5, &kernel, 100, 130);
	work(5, &kernel, 200, 220);
	work(5, &copy, 300, 400);
	CHECK(entry(0)->count, ==, 2);
	CHECK(entry(0)->ns, ==, 50);
	CHECK(entry(0)->min_ns, ==, 20);
	CHECK(entry(0)->max_ns, ==, 30);
	CHECK(entry(1)->count, ==, 1);
	CHECK(entry(1)->bytes, ==, 4096);
	CHECK(lost(LOSS_GPU_NO_PATH), ==, 3);
	CHECK(!lost(LOSS_GPU_UNSEEN));
	/* It began before its call did: no delay is known. */
	CHECK(!entry(0)->queued);
	work(5, &kernel, UINT64_MAX / 2, UINT64_MAX / 2 + 1);
	CHECK(entry(0)->queued, ==, 1);
}

TEST(work_without_its_call_is_counted_by_reason)
{
	measured_begin(16);
	work(7, &kernel, 100, 130);
	CHECK(lost(LOSS_GPU_UNSEEN), ==, 1);
	copse_gpu_note(7);
	copse_gpu_note(7 + NOTES);
	work(7, &kernel, 100, 130);
	CHECK(lost(LOSS_GPU_LATE), ==, 1);
	work(7 + NOTES, &kernel, 100, 130);
	CHECK(lost(LOSS_GPU_NO_PATH), ==, 1);
	/* An older one has the place: it was never noted. */
	work(7 + 2 * NOTES, &kernel, 100, 130);
	CHECK(lost(LOSS_GPU_UNSEEN), ==, 2);
	CHECK(entry(0)->why, ==, LOSS_GPU_UNSEEN);
	CHECK(entry(0)->count, ==, 2);
	CHECK(entry(1)->why, ==, LOSS_GPU_LATE);
	CHECK(entry(1)->count, ==, 1);
	/* Their time is there in any case. */
	CHECK(entry(0)->ns + entry(1)->ns + entry(2)->ns, ==, 4 * 30);
}

TEST(times_that_make_no_sense_are_not_summed)
{
	measured_begin(16);
	copse_gpu_note(1);
	work(1, &kernel, 0, 130);
	work(1, &kernel, 200, 130);
	CHECK(lost(LOSS_GPU_TIMES), ==, 2);
	CHECK(!registry_header()->gpu);
	work(1, &kernel, 130, 130);
	CHECK(entry(0)->count, ==, 1);
	CHECK(entry(0)->ns, ==, 0);
}

/* Many names in one list: the table of them grows, nothing is there twice. */
TEST(many_kernels_have_a_sum_each)
{
	static struct region_name names[5000];
	struct live_header *header;
	uint64_t count = 0;

	measured_begin(16);
	copse_gpu_note(1);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++) {
			char text[16];

			snprintf(text, sizeof(text), "k%d", i);
			if (!names[i].text)
				names[i] = (struct region_name){
					.text = strdup(text),
					.class = LIVE_NAME_KERNEL
				};
			work(1, &names[i], 100, 101);
		}
	header = registry_header();
	for (live_ref ref = header->gpu; ref;) {
		struct live_chunk *chunk = arena_at(registry_open(), ref);

		for (uint32_t i = 0; i < chunk->count; i++)
			CHECK(((struct live_gpu *)(chunk + 1))[i].count, ==, 2);
		count += chunk->count;
		ref = chunk->next;
	}
	CHECK(count, ==, 5000);
}

TEST(work_without_a_path_is_below_its_reason)
{
	struct profile *p;
	size_t size;
	char *data;

	measured_begin(16);
	copse_gpu_note(1);
	work(1, &kernel, 100, 130);
	work(9, &kernel, 100, 140);
	work(1, &copy, 100, 150);
	data = measured_copy(&size);
	CHECK(!profile_from_live(&p, data, size));
	CHECK(measured_total(p, "gpu.time"), ==, 30 + 40 + 50);
	CHECK(measured_total(p, "gpu.launches"), ==, 2);
	CHECK(measured_total(p, "gpu.bytes.h2d"), ==, 4096);
	/* root, two reasons, a kernel below each and a copy below one. */
	CHECK(p->node_count, ==, 6);
	for (size_t i = 1; i < p->node_count; i++)
		CHECK(p->nodes[i].kind == NODE_PARTIAL ||
		      p->nodes[p->nodes[i].parent].kind == NODE_PARTIAL);
	profile_free(p);
	free(data);
}

/* Foreign input: any record may say anything. */
TEST(damaged_work_is_left_out)
{
	static const struct live_gpu bad[] = {
		{ .node = 0xfffffff0, .count = 1, .ns = 7 },
		{ .kind = LIVE_GPU_KINDS, .count = 1, .ns = 7 },
		{ .name = 4000, .count = 1, .ns = 7 },
		{ .why = 4000, .count = 1, .ns = 7 },
		{ .thread = 4000, .count = 1, .ns = 7 },
	};
	size_t size, at;
	char *data;

	measured_begin(16);
	copse_gpu_note(1);
	work(1, &kernel, 100, 130);
	data = measured_copy(&size);
	at = (size_t)registry_header()->gpu * LIVE_UNIT +
	     sizeof(struct live_chunk);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct profile *p;

		memcpy(data + at, &bad[i], sizeof(bad[i]));
		CHECK(!profile_from_live(&p, data, size));
		CHECK(measured_total(p, "gpu.time"), <=, 7);
		/* The last only lacks its thread. */
		CHECK(i + 1 == sizeof(bad) / sizeof(*bad) ||
		      !strcmp(p->losses[p->loss_count - 1].name, "damaged"));
		profile_free(p);
	}
	/* A list that leads nowhere. */
	((struct live_header *)(void *)data)->gpu = 0xfffffff0;
	{
		struct profile *p;

		CHECK(!profile_from_live(&p, data, size));
		CHECK(!measured_total(p, "gpu.time"));
		profile_free(p);
	}
	free(data);
}

static struct profile *read_profile(void)
{
	const struct live_header *header = registry_header();
	struct profile *p = NULL;

	CHECK(!profile_from_live(&p, header, header->used));
	return p;
}

/* Two streams, of which one's records come late, and a copy under a kernel. */
static void some_devices(void)
{
	static const uint64_t at[][4] = { { 1, 100, 200, 0 },
					  { 1, 300, 400, 0 },
					  { 2, 150, 350, 0 },
					  { 1, 500, 600, 0 },
					  { 3, 120, 140, 1 } };

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		struct gpu_work w = { .id = 7,
				      .kind = at[i][3] ? LIVE_GPU_TO
						       : LIVE_GPU_KERNEL,
				      .name = at[i][3] ? &copy : &kernel,
				      .start = at[i][1],
				      .end = at[i][2],
				      .context = 1,
				      .stream = (uint32_t)at[i][0] };

		copse_gpu_add(&w, 1);
	}
}

static void check_devices(const struct profile *p)
{
	CHECK(p->device_count, ==, 1);
	CHECK(p->stream_count, ==, 3);
	CHECK(p->devices[0].busy_ns, ==, 400);
	CHECK(p->devices[0].kernels_ns, ==, 400);
	CHECK(p->devices[0].kernels_sum_ns, ==, 500);
	CHECK(p->devices[0].copies_ns, ==, 20);
	CHECK(p->devices[0].first_ns, ==, 100);
	CHECK(p->devices[0].last_ns, ==, 600);
	CHECK(p->gpu.busy_ns, ==, 400);
	CHECK(!p->gpu.late);
}

/* Whether the process put them into its times, or its reader had to. */
TEST(times_of_a_process_that_ended)
{
	struct profile *p;

	measured_begin(16);
	some_devices();
	copse_gpu_end();
	p = read_profile();
	check_devices(p);
	CHECK(p->bin_count, ==, 1);
	CHECK(p->bins[0].ns, ==, 400);
	profile_free(p);
}

TEST(times_of_a_process_that_was_killed)
{
	struct profile *p;

	measured_begin(16);
	some_devices();
	p = read_profile();
	check_devices(p);
	profile_free(p);
}
