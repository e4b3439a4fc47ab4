/* SPDX-License-Identifier: BSD-3-Clause */
/* launch-rank.c - see launch-rank.h. */
#include "collect/launch-rank.h"

#include <stdlib.h>

/* The last is there to tell them from others' variables of the same names. */
static const struct {
	const char *rank, *size, *with;
} launchers[] = {
	/* torchrun, and what names ranks as it does: accelerate, DeepSpeed */
	{ "RANK", "WORLD_SIZE", "MASTER_PORT" },
	{ "HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_GLOO_RENDEZVOUS_PORT" },
	{ "JAX_PROCESS_ID", "JAX_NUM_PROCESSES", "JAX_COORDINATOR_ADDRESS" },
};

static bool take_number(uint32_t *to, const char *variable)
{
	const char *text = secure_getenv(variable);
	char *end;

	if (!text || !*text)
		return false;
	*to = (uint32_t)strtoul(text, &end, 10);
	return !*end;
}

struct launch_rank launch_rank_find(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		struct launch_rank is;

		if (secure_getenv(launchers[i].with) &&
		    take_number(&is.rank, launchers[i].rank) &&
		    take_number(&is.size, launchers[i].size) &&
		    is.rank < is.size)
			return is;
	}
	return (struct launch_rank){ 0 };
}
