/* SPDX-License-Identifier: BSD-3-Clause */
/* identity.c - what profiles say of the job: the first that does so counts. */
#include "base/err.h"
#include "merge/gatherers.h"

static int gather_identity(void *state, const struct gathered *one)
{
	const struct profile_identity *id = &one->profile->id;
	struct run *run = one->run;

	(void)state;
	for (size_t i = 0; i < batch_count; i++) {
		const struct batch_info *info = &batch_infos[i];

		if (!*batch_text(&run->batch, info))
			batch_set(&run->batch, info,
				  batch_text(&id->batch, info), info->size);
	}
	if (!run->version && id->version)
		run->version = str_add(&run->strings, id->version);
	return run->version == STR_NONE ? no_memory() : 0;
}

const struct gatherer gatherer_identity = { .add = gather_identity };
