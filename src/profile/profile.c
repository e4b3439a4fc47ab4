/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c - what every user of a profile needs: its end, and look-ups. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

const struct node_info node_infos[NODE_KINDS] = {
#define NODE(id, owner, offset, ...)                                           \
	[NODE_##id] = { OWNER_##owner, NODE_##offset },
#include "live/node-kinds.def"
};

static void free_identity(struct profile_identity *id)
{
	free(id->exe);
	free(id->command);
	free(id->job);
	free(id->version);
	free(id->events);
	free(id->mpi_library);
}

static void free_name(struct profile_name *name)
{
	free(name->text);
	free(name->file);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free_identity(&p->id);
	for (size_t i = 0; i < p->module_count; i++)
		free(p->modules[i].path);
	for (size_t i = 0; i < p->name_count; i++)
		free_name(&p->names[i]);
	for (size_t i = 0; i < p->column_count; i++)
		free(p->columns[i].values);
	for (size_t i = 0; i < p->comm_count; i++)
		free(p->comms[i].name);
	for (size_t i = 0; i < p->file_count; i++)
		free(p->files[i].path);
	free(p->columns);
#define TABLE(record, array, ...) free(p->array);
#include "profile/profile.def"
	free(p);
}

static uint64_t later_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t profile_last_ns(const struct profile *p)
{
	uint64_t last = 0;

	for (size_t i = 0; i < p->thread_count; i++)
		last = later_ns(last, p->threads[i].last_ns);
	for (size_t i = 0; i < p->last_call_count; i++)
		last = later_ns(last, later_ns(p->last_calls[i].begin_ns,
					       p->last_calls[i].completed_ns));
	for (size_t i = 0; i < p->footprint_count; i++)
		last = later_ns(last, p->footprints[i].last_ns);
	return last;
}

bool profile_has_owner(const struct profile *p, uint32_t kind, uint32_t owner)
{
	const size_t counts[] = { [OWNER_NOTHING] = SIZE_MAX,
				  [OWNER_MODULE] = p->module_count,
				  [OWNER_NAME] = p->name_count,
				  [OWNER_LOSS] = p->loss_count };

	return kind < NODE_KINDS && owner < counts[node_infos[kind].owner];
}

const struct profile_column *profile_column(const struct profile *p,
					    const char *name)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (!strcmp(p->columns[i].name, name))
			return &p->columns[i];
	return NULL;
}
