/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.c - the rows of batch.def, from the environment. */
#include <stdlib.h>
#include <string.h>

#include "base/batch.h"

static const struct manager {
	const char *name, *variable;
} managers[] = {
#define MANAGER(name, variable) { #name, variable },
#include "base/batch.def"
};
enum {
	MANAGERS = sizeof(managers) / sizeof(managers[0])
};

const struct batch_info batch_infos[] = {
	{ "manager",
	  "batch_manager",
	  "the batch system: Slurm, PBS or LSF",
	  offsetof(struct batch, manager),
	  sizeof(((struct batch *)0)->manager),
	  0,
	  { NULL } },
#define FACT(name, bytes, letter, slurm, pbs, lsf, help)                       \
	{                                                                      \
		#name,                                                         \
		"batch_" #name,                                                \
		help,                                                          \
		offsetof(struct batch, name),                                  \
		bytes,                                                         \
		letter,                                                        \
		{ slurm, pbs, lsf }                                            \
	},
#include "base/batch.def"
};
const size_t batch_count = sizeof(batch_infos) / sizeof(batch_infos[0]);

const char *batch_text(const struct batch *b, const struct batch_info *info)
{
	return (const char *)b + info->offset;
}

void batch_set(struct batch *b, const struct batch_info *info, const char *text,
	       size_t length)
{
	char *to = (char *)b + info->offset;
	size_t n = strnlen(text, length), room = info->size - 1;

	memset(to, 0, info->size);
	memcpy(to, text, n < room ? n : room);
	if (n > room)
		memcpy(to + room - 3, "...", 3);
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 127)
			*to = '?';
}

void batch_take(struct batch *to, const struct batch *from)
{
	for (size_t i = 0; i < batch_count; i++)
		batch_set(to, &batch_infos[i],
			  (const char *)from + batch_infos[i].offset,
			  batch_infos[i].size);
}

/* LSF says 0 for what is in no array. */
static void no_array(struct batch *b)
{
	if (!*b->array && !strcmp(b->task, "0"))
		*b->task = 0;
}

void batch_init(struct batch *b)
{
	size_t m = 0;

	memset(b, 0, sizeof(*b));
	while (m < MANAGERS && !getenv(managers[m].variable))
		m++;
	if (m == MANAGERS)
		return;
	batch_set(b, &batch_infos[0], managers[m].name, sizeof(b->manager));
	for (size_t i = 1; i < batch_count; i++) {
		const char *variable = batch_infos[i].variables[m];
		const char *text = variable ? getenv(variable) : NULL;

		if (text)
			batch_set(b, &batch_infos[i], text, strlen(text));
	}
	no_array(b);
}
