/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c - what every user of a profile needs: its end, and look-ups. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

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
	free(p->columns);
#define TABLE(record, array, ...) free(p->array);
#include "profile/profile.def"
	free(p);
}

const struct profile_column *profile_column(const struct profile *p,
					    const char *name)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (!strcmp(p->columns[i].name, name))
			return &p->columns[i];
	return NULL;
}
