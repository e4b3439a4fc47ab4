/* SPDX-License-Identifier: BSD-3-Clause */
/* host-parts.c - whose idle time of GPUs it is, in a program of PyTorch's kind.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/gpu/host-parts.h"
#include "tests/lib/test.h"

#define PACKAGES "/v/lib/python3.12/site-packages/"
#define MS       1e6

enum {
	NODES = 32
};

static struct run *run;
static struct run_stat stats[NODES];
static struct run_metric idle = { .name = "gpu.idle", .unit = UNIT_NS };
static struct host_parts parts;

static void begin(void)
{
	run = calloc(1, sizeof(*run));
	run->nodes = calloc(NODES, sizeof(*run->nodes));
	str_add(&run->strings, "");
	run->node_count = 1;
	idle.stats = stats;
	run->metrics = &idle;
	run->metric_count = 1;
}

static uint32_t node(uint32_t parent, enum run_kind kind, const char *function,
		     const char *module, uint32_t line, double ms)
{
	uint32_t n = (uint32_t)run->node_count++;
	bool python = strstr(module, ".py");

	run->nodes[n] = (struct run_node){
		.parent = parent,
		.kind = (uint16_t)kind,
		.flags = python ? RUN_PYTHON : 0,
		.function = str_add(&run->strings, function),
		.module = str_add(&run->strings, module),
		.file = str_add(&run->strings, line ? "/home/u/train.py" : ""),
		.line = line,
	};
	stats[n].sum = ms * MS;
	return n;
}

static uint32_t function(uint32_t parent, const char *name, const char *module,
			 uint32_t line, double ms)
{
	return node(parent, RUN_FUNCTION, name, module, line, ms);
}

static uint32_t call(uint32_t parent, const char *name, double ms)
{
	return node(parent, RUN_GPU_CALL, name, "", 0, ms);
}

/* What is in that part: ms, and of that what a graph takes away. */
static bool has(enum host_part part, double ms, double launching)
{
	for (size_t i = 0; i < HOST_PARTS; i++) {
		const struct host_share *s = &parts.at[i];

		if (s->part == part)
			return s->seconds > (ms - 0.1) / 1e3 &&
			       s->seconds < (ms + 0.1) / 1e3 &&
			       s->launching > (launching - 0.1) / 1e3 &&
			       s->launching < (launching + 0.1) / 1e3;
	}
	return false;
}

static void find(void)
{
	struct paths *paths = calloc(1, sizeof(*paths));

	CHECK(!paths_init(paths, run));
	CHECK(!host_parts_of(&parts, paths));
}

static const char train[] = "/home/u/train.py";
static const char torch[] = PACKAGES "torch/nn/modules/module.py";
static const char cpu[] = PACKAGES "torch/lib/libtorch_cpu.so";
static const char data[] = PACKAGES "torch/utils/data/dataloader.py";
static const char numpy[] = PACKAGES "numpy/core/_multiarray.so";

TEST(what_launches_goes_with_a_graph)
{
	uint32_t step, layer, add;

	begin();
	step = function(0, "step", train, 50, 0);
	node(step, RUN_LINE, "step", train, 31,
	     10); /* from which it launches */
	layer = function(step, "__call__", torch, 31, 40);
	add = function(layer, "add", cpu, 0, 50);
	call(add, "cudaLaunchKernel", 100);
	function(step, "view", cpu, 32, 20); /* launches nothing */
	find();
	CHECK(has(HOST_PART_LAUNCHES, 100, 100));
	CHECK(has(HOST_PART_DISPATCH, 70, 70));
	CHECK(has(HOST_PART_PYTHON, 50, 50));
}

TEST(what_the_program_computes_stays)
{
	uint32_t step, augment, next;

	begin();
	step = function(0, "step", train, 50, 0);
	call(function(step, "add", cpu, 31, 0), "cudaLaunchKernel", 100);
	augment = function(step, "augment", train, 30, 60);
	function(augment, "sort", numpy, 20, 80);
	next = function(step, "__next__", data, 29, 15);
	function(next, "collate", data, 0, 70);
	call(step, "cudaStreamSynchronize", 5);
	call(step, "cudaMemcpyAsync", 6);
	call(step, "cudaEventRecord", 7);
	find();
	CHECK(has(HOST_PART_LAUNCHES, 100, 100));
	CHECK(has(HOST_PART_PYTHON, 60, 0));
	CHECK(has(HOST_PART_LIBRARIES, 165, 0));
	CHECK(has(HOST_PART_CALLS, 18, 7));
}

/* A line that launches nothing computes, if it is much. */
TEST(lines_of_a_function_that_launches)
{
	uint32_t step;

	begin();
	step = function(0, "step", train, 50, 0);
	node(step, RUN_LINE, "step", train, 31, 10);
	node(step, RUN_LINE, "step", train, 40, 300);
	node(step, RUN_LINE, "step", train, 41, 5);
	call(function(step, "add", cpu, 31, 0), "cudaLaunchKernel", 100);
	find();
	CHECK(has(HOST_PART_PYTHON, 315, 15));
}

TEST(waiting_is_no_work)
{
	uint32_t step, get;

	begin();
	step = function(0, "step", train, 50, 0);
	get = function(step, "get", "/usr/lib/python3.12/queues.py", 9, 0);
	function(get, "__poll", "/lib/libc.so.6", 0, 90);
	node(step, RUN_KERNEL, "[not running]", "", 0, 30);
	node(call(step, "cudaLaunchKernel", 10), RUN_KERNEL, "[queued]", "", 0,
	     20);
	node(step, RUN_MPI, "MPI_Allreduce", "", 12, 40);
	find();
	CHECK(has(HOST_PART_INPUT, 90, 0));
	CHECK(has(HOST_PART_BLOCKED, 30, 0));
	CHECK(has(HOST_PART_DEVICE, 20, 0));
	CHECK(has(HOST_PART_MPI, 40, 0));
}

/* Machine code of the program computes; a library that launches launches. */
TEST(a_program_of_machine_code)
{
	uint32_t top, step, operate;

	begin();
	top = function(0, "main", "/opt/app", 0, 0);
	step = function(top, "step", "/opt/app", 9, 30);
	function(step, "clock_gettime", "[vdso]", 0, 5);
	operate = function(step, "operate", "/opt/libframe.so", 12, 50);
	function(operate, "memcpy", "/lib/libc.so.6", 0, 5);
	call(operate, "cudaLaunchKernel", 100);
	find();
	CHECK(has(HOST_PART_PROGRAM, 35, 0));
	CHECK(has(HOST_PART_DISPATCH, 55, 55));
	CHECK(has(HOST_PART_LAUNCHES, 100, 100));
}
