/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export-ncu.c - commands of NVIDIA's Nsight Compute, which runs chosen
 * launches of a kernel again and again: one for each kernel that takes much of
 * the time, in the middle of its launches.  Not for NCCL's, which would wait
 * for ever for what the other ranks' do meanwhile.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "format/export/node-sums.h"
#include "format/format.h"

enum {
	MOST = 5,
	NAME_MOST = 256,
};
#define MUCH 0.05 /* of the time of all kernels */

/* Kernels of one function, whatever their templates' arguments. */
struct ncu_kernel {
	char name[NAME_MOST]; /* as ncu has it: without scopes and arguments */
	double seconds, launches;
};

struct ncu_kernels {
	struct ncu_kernel *at;
	size_t count;
	double seconds;
};

ORDER_BY(by_ncu_seconds, struct ncu_kernel, DESC(seconds))

/* "fill" of "at::native::fill<float>"; false: it is no function's name. */
static bool ncu_name(char to[NAME_MOST], const char *name)
{
	static const char unnamed[] = "(anonymous namespace)::";
	size_t end, begin;

	while (strstr(name, unnamed) &&
	       strstr(name, unnamed) < name + strcspn(name, "<"))
		name = strstr(name, unnamed) + strlen(unnamed);
	begin = end = strcspn(name, "<(");

	while (begin && (isalnum((unsigned char)name[begin - 1]) ||
			 name[begin - 1] == '_'))
		begin--;
	if (begin == end || end - begin >= NAME_MOST)
		return false;
	memcpy(to, name + begin, end - begin);
	to[end - begin] = '\0';
	return strncasecmp(to, "nccl", 4) != 0;
}

static struct ncu_kernel *find_ncu_kernel(struct ncu_kernels *k,
					  const char *name)
{
	struct ncu_kernel *to = k->at;

	for (size_t i = 0; i < k->count; i++, to++)
		if (!strcmp(to->name, name))
			return to;
	k->count++;
	strcpy(to->name, name);
	return to;
}

static double ncu_value(const struct run *run, const char *metric, size_t node)
{
	const struct run_metric *m = run_metric(run, metric);

	return m ? value_node(m, node) : 0;
}

static void sum_ncu_kernels(struct ncu_kernels *k, const struct run *run)
{
	for (size_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		double launches = n->kind == RUN_KERNEL
					  ? ncu_value(run, "gpu.launches", i)
					  : 0;
		char name[NAME_MOST];
		struct ncu_kernel *to;

		if (launches <= 0)
			continue;
		k->seconds += ncu_value(run, "gpu.time", i);
		if (n->detail == RUN_PROGRAM_WORD ||
		    !ncu_name(name, str_at(&run->strings, n->function)))
			continue;
		to = find_ncu_kernel(k, name);
		to->seconds += ncu_value(run, "gpu.time", i);
		to->launches += launches;
	}
	qsort(k->at, k->count, sizeof(*k->at), by_ncu_seconds);
}

static int write_ncu(FILE *to, const struct run *run,
		     const struct format_choice *choice)
{
	struct ncu_kernels k = { .at = calloc(run->node_count + 1,
					      sizeof(*k.at)) };
	size_t users = run->gpu.rank_count ? run->gpu.rank_count : 1;

	(void)choice;
	if (!k.at)
		return no_memory();
	sum_ncu_kernels(&k, run);
	for (size_t i = 0; i < k.count && i < MOST; i++) {
		const struct ncu_kernel *one = &k.at[i];

		if (one->seconds < MUCH * k.seconds)
			break;
		fprintf(to,
			"# %.0f %% of the time of kernels\n"
			"ncu --set full --kernel-name 'regex:^%s$' "
			"--launch-skip %.0f --launch-count 3 -f -o %s %s\n",
			100 * one->seconds / k.seconds, one->name,
			one->launches / (double)users / 2, one->name,
			str_at(&run->strings, run->command));
	}
	free(k.at);
	return 0;
}

const struct format format_export_ncu = {
	.name = "ncu",
	.help = "commands of Nsight Compute, for the kernels with most time",
	.write_run = write_ncu,
};
