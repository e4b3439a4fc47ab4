/* SPDX-License-Identifier: BSD-3-Clause */
/* duplicate-files.c - a process is known by its host, its pid and when it
 * started. */
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "merge/inputs.h"

static uint32_t first_of(struct map *known, const struct run_rank *r,
			 uint32_t input)
{
	uint64_t process = (uint64_t)r->host << 32 | r->pid;

	return map_put(known, process, r->start_real_ns, input);
}

int duplicates_find(struct inputs *inputs, const struct run *run, bool *found)
{
	struct map known = { 0 };
	uint32_t first = 0;
	size_t r = 0;

	*found = false;
	/* Not every input became a process, but both are in the same order. */
	for (uint32_t i = 0; i < inputs->count && r < run->rank_count; i++) {
		struct input *input = &inputs->at[i];
		const struct run_rank *rank = &run->ranks[r];

		if (strcmp(str_at(&run->strings, rank->source), input->label))
			continue;
		r++;
		first = first_of(&known, rank, i);
		if (first == MAP_NONE)
			break;
		input->same_as = first == i ? 0 : first + 1;
		*found |= input->same_as;
	}
	map_fini(&known);
	return first == MAP_NONE ? no_memory() : 0;
}

char *duplicates_say(const struct inputs *inputs, const struct input *input)
{
	return str_format("the same process as in %s: left out",
			  inputs->at[input->same_as - 1].label);
}
