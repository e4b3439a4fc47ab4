/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-kernels.c - kernels of GPUs, by function: how much of the GPU their
 * launches can use, and what bounds them by its counters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "analyse/diagnose/facts.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/gpu/kernel-counters.h"
#include "analyse/gpu/occupancy.h"
#include "analyse/paths/brief.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

#define NS   1e9
#define ROOF 0.8  /* of what a GPU can do: good kernels reach it */
#define IDLE 0.05 /* of what tensor cores can do */
#define MUCH 0.5  /* of a pipe or of memory: it is what bounds a kernel */

#define KERNEL_FIELDS(FIELD)                                                   \
	FIELD(LAUNCHES, "launches", COUNT, "of all processes")                 \
	FIELD(SECONDS, "seconds", SECONDS, "on GPUs, of all processes")        \
	FIELD(SHARE, "share", SHARE, "of the time of all kernels")             \
	FIELD(EACH, "each", SECONDS, "mean of a launch")                       \
	FIELD(BESIDE, "beside", NUMBER,                                        \
	      "kernels that ran at a time, while any did, in the mean")        \
	FIELD(FILL, "fill", SHARE,                                             \
	      "multiprocessors that get a block, by the largest grid of each " \
	      "shape of launch; 1: not known")                                 \
	FIELD(OCCUPANCY, "occupancy", SHARE,                                   \
	      "warps that a multiprocessor can hold of it; 1: not known")      \
	FIELD(BY_SIZE, "by_size", NUMBER,                                      \
	      "1: registers or shared memory allow no more")                   \
	FIELD(ELEMENTWISE, "elementwise", NUMBER,                              \
	      "1: PyTorch's, element by element: all of these are one row")    \
	FIELD(MATRIX, "matrix", NUMBER,                                        \
	      "1: by its name, of a matrix product or a convolution")          \
	FIELD(COUNTED, "counted", NUMBER, "1: its counters are known")         \
	FIELD(TENSOR, "tensor", SHARE, "of what tensor cores can do")          \
	FIELD(MEMORY, "memory", SHARE, "of the memory's bandwidth")            \
	FIELD(FP32, "fp32", SHARE, "of what FP32 units can do")                \
	FIELD(USED, "used", SHARE,                                             \
	      "the most of: tensor cores, memory, FP64, FP32, instructions")   \
	FIELD(WARPS, "warps", SHARE, "of those that multiprocessors hold")     \
	FIELD(FILL_GAIN, "fill_gain", SECONDS,                                 \
	      "less, if it ran on all multiprocessors at once")                \
	FIELD(HALF, "half", SECONDS, "half of its time, of a GPU")             \
	FIELD(ROOF_GAIN, "roof_gain", SECONDS,                                 \
	      "less, if what it uses most were used to 80 %")                  \
	FIELD(KERNEL, "kernel", TEXT, "its name")                              \
	FIELD(CALLER, "function", TEXT, "what launches it for the longest")

FACT_TABLE(kernel_fields, KERNEL_FIELDS)

/* What rows are gathered with. */
struct kernel_source {
	const struct run *run;
	const struct paths *paths;
	double seconds; /* of all kernels */
	double devices;
	double beside;
	struct map rows; /* by function; elementwise ones are 0 */
};

static bool name_has(const char *name, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}
#define NAME_HAS(name, ...)                                                    \
	name_has(name, (const char *const[]){ __VA_ARGS__ },                   \
		 sizeof((const char *const[]){ __VA_ARGS__ }) /                \
			 sizeof(char *))

static bool is_elementwise(const char *name)
{
	return NAME_HAS(name, "elementwise_kernel");
}

/* What stands behind the kernel in its launch path; to be freed, or NULL. */
static char *kernel_launcher(const struct paths *paths, uint32_t path)
{
	static const char arrow[] = " ← ";
	char *text = paths_brief(paths, path);
	char *behind = text ? strstr(text, arrow) : NULL;
	char *launcher =
		text ? strdup(behind ? behind + strlen(arrow) : text) : NULL;

	free(text);
	return launcher;
}

static struct fact *kernel_row(struct facts *to, struct kernel_source *k,
			       const struct gpu_row *row)
{
	const char *name = str_at(&k->run->strings, row->function);
	bool elementwise = is_elementwise(name);
	uint32_t at = map_put(&k->rows, elementwise ? 0 : row->function, 0,
			      (uint32_t)to->count);
	struct fact *f;

	if (at == MAP_NONE)
		return NULL;
	if (at < to->count)
		return &to->at[at];
	f = facts_add(to, row->path);
	if (!f)
		return NULL;
	f->values[ELEMENTWISE].number = elementwise;
	f->values[MATRIX].number =
		NAME_HAS(name, "gemm", "conv", "matmul", "cutlass", "fprop",
			 "dgrad", "wgrad", "nvjet", "winograd");
	f->values[BESIDE].number = k->beside;
	f->values[KERNEL].text =
		elementwise ? strdup("PyTorch's elementwise kernels")
			    : brief_name(name);
	f->values[CALLER].text = kernel_launcher(k->paths, row->path);
	return f->values[KERNEL].text && f->values[CALLER].text ? f : NULL;
}

/* Paths with most time come first: so the row's is that one. */
static int add_kernel_paths(struct facts *to, struct kernel_source *k)
{
	struct gpu_work_rows work;
	int err = gpu_work_init(&work, k->paths, GPU_KERNELS, false);

	k->seconds = work.total.seconds;
	for (size_t i = 0; i < work.count && !err; i++) {
		const struct gpu_row *row = &work.at[i];
		struct fact *f;

		if (*str_at(&k->run->strings, row->function) == '[')
			continue;
		f = kernel_row(to, k, row);
		if (f) {
			f->values[LAUNCHES].number += row->count;
			f->values[SECONDS].number += row->seconds;
		} else {
			err = no_memory();
		}
	}
	gpu_work_fini(&work);
	return err;
}

static struct fact *row_of_function(struct facts *to,
				    const struct kernel_source *k,
				    uint32_t function)
{
	bool elementwise = is_elementwise(str_at(&k->run->strings, function));
	uint32_t at = map_get(&k->rows, elementwise ? 0 : function, 0);

	return at == MAP_NONE ? NULL : &to->at[at];
}

/* Means over its launches, by time: sums first. */
static void add_kernel_shapes(struct facts *to, const struct kernel_source *k)
{
	const struct run_facts *of = &k->run->facts;

	for (size_t i = 0; i < of->shape_count; i++) {
		const struct run_shape *s = &of->shapes[i];
		struct fact *f = row_of_function(to, k, s->function);
		const struct run_model *m;
		struct occupancy o;
		double seconds = (double)s->ns / NS;

		if (!f || s->model == RUN_NO_MODEL)
			continue;
		m = &of->models[s->model];
		o = occupancy_of(m, s);
		f->values[FILL].number +=
			seconds *
			(1 - fmin(1, value_ratio((double)s->most_blocks,
						 m->multiprocessors)));
		f->values[OCCUPANCY].number += seconds * (1 - o.share);
		if (o.share < MUCH && (!strcmp(o.limit, "registers") ||
				       !strcmp(o.limit, "shared")))
			f->values[BY_SIZE].number += seconds;
	}
}

static void add_kernel_use(struct fact *f, const struct kernel_use *use)
{
	static const enum use_counter pipes[] = { USE_TENSOR, USE_DRAM,
						  USE_FP64, USE_FP32,
						  USE_ISSUED };
	double part = use->counted;

	f->values[COUNTED].number += part;
	f->values[TENSOR].number += part * kernel_use_share(use, USE_TENSOR);
	f->values[MEMORY].number += part * kernel_use_share(use, USE_DRAM);
	f->values[FP32].number += part * kernel_use_share(use, USE_FP32);
	f->values[WARPS].number += part * kernel_use_share(use, USE_WARPS);
	for (size_t i = 0; i < sizeof(pipes) / sizeof(*pipes); i++)
		f->values[USED].number = fmax(f->values[USED].number,
					      kernel_use_share(use, pipes[i]));
}

static int add_kernel_uses(struct facts *to, const struct kernel_source *k)
{
	struct kernel_uses uses;
	int err = kernel_uses_init(&uses, k->paths, USE_BY_KERNEL);

	for (size_t i = 0; i < uses.count && !err; i++) {
		struct fact *f = row_of_function(to, k, uses.at[i].function);

		if (f && kernel_use_known(&uses.at[i]))
			add_kernel_use(f, &uses.at[i]);
	}
	kernel_uses_fini(&uses);
	return err;
}

/* What were sums become means. */
static void finish_kernel(struct fact *f, const struct kernel_source *k)
{
	static const enum field means[] = { TENSOR, MEMORY, FP32, WARPS };
	double seconds = f->values[SECONDS].number;
	double counted = f->values[COUNTED].number, of_gpu;

	f->values[SHARE].number = value_ratio(seconds, k->seconds);
	f->values[EACH].number =
		value_ratio(seconds, f->values[LAUNCHES].number);
	f->values[FILL].number =
		1 - fmin(1, value_ratio(f->values[FILL].number, seconds));
	f->values[OCCUPANCY].number =
		1 - fmin(1, value_ratio(f->values[OCCUPANCY].number, seconds));
	f->values[BY_SIZE].number = f->values[BY_SIZE].number >= MUCH * seconds;
	for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++)
		f->values[means[i]].number =
			value_ratio(f->values[means[i]].number, counted);
	f->values[COUNTED].number = counted > 0;
	of_gpu = value_ratio(seconds, k->devices);
	f->values[FILL_GAIN].number = of_gpu * (1 - f->values[FILL].number);
	f->values[HALF].number = of_gpu / 2;
	f->values[ROOF_GAIN].number =
		of_gpu * fmax(0, 1 - f->values[USED].number / ROOF);
}

/* Who allows TF32 allows it to all of them. */
static bool runs_on_fp32(const struct fact *f)
{
	return f->values[COUNTED].number && f->values[MATRIX].number &&
	       f->values[FP32].number >= MUCH &&
	       f->values[TENSOR].number < IDLE;
}

/* One more in the row of those that run on FP32 units; its own is none then. */
static void join_fp32(struct fact *all, struct fact *one)
{
	static const enum field sums[] = { LAUNCHES, SECONDS, SHARE, HALF };

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		all->values[sums[i]].number += one->values[sums[i]].number;
		one->values[sums[i]].number = 0;
	}
	one->values[FILL_GAIN].number = one->values[ROOF_GAIN].number = 0;
}

static int join_fp32_kernels(struct facts *to)
{
	struct fact *all = NULL;
	size_t others = 0;
	char *text;

	for (size_t i = 0; i < to->count; i++) {
		if (!runs_on_fp32(&to->at[i]))
			continue;
		if (all) {
			join_fp32(all, &to->at[i]);
			others++;
		} else {
			all = &to->at[i];
		}
	}
	if (!others)
		return 0;
	text = str_format("%s and %zu more of its kind",
			  all->values[KERNEL].text, others);
	if (!text)
		return no_memory();
	free(all->values[KERNEL].text);
	all->values[KERNEL].text = text;
	return 0;
}

static double kernels_at_once(const struct run *run)
{
	double sum = 0, together = 0;

	for (size_t i = 0; i < run->gpu.device_count; i++) {
		sum += run->gpu.devices[i].kernels_sum_ns;
		together += run->gpu.devices[i].kernels_ns;
	}
	return value_ratio(sum, together);
}

static int gather_kernels(struct facts *to, struct fact_source *from)
{
	struct gpu_busy busy = gpu_busy_of(from->run);
	struct kernel_source k = { .run = from->run,
				   .paths = from->paths,
				   .devices = fmax(1, (double)busy.devices),
				   .beside = kernels_at_once(from->run) };
	int err;

	if (!busy.devices || from->run->gpu.known_count)
		return 0;
	err = add_kernel_paths(to, &k);
	if (!err)
		add_kernel_shapes(to, &k);
	if (!err)
		err = add_kernel_uses(to, &k);
	for (size_t i = 0; i < to->count && !err; i++)
		finish_kernel(&to->at[i], &k);
	map_fini(&k.rows);
	return err ? err : join_fp32_kernels(to);
}

const struct fact_set fact_set_kernels = {
	.name = "kernels",
	.meaning = "a kernel of GPUs: how well it uses them",
	.fields = kernel_fields,
	.field_count = FIELDS,
	.counted = "launches",
	.gather = gather_kernels,
};
