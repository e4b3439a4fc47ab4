/* SPDX-License-Identifier: BSD-3-Clause */
/* live-identity.c - which process a live profile is of, read. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "profile/live/live-reader.h"

static char *quoted_command(struct reader *r, live_ref ref)
{
	size_t length, size;
	char *words = reader_text(r, ref, &length), *line = NULL;
	FILE *to = words ? open_memstream(&line, &size) : NULL;

	if (!to) {
		free(words);
		reader_no_memory(r);
		return NULL;
	}
	for (size_t i = 0; i < length; i += strlen(words + i) + 1) {
		if (i)
			fputc(' ', to);
		str_quote(to, words + i);
	}
	if (fclose(to))
		reader_no_memory(r);
	free(words);
	return line;
}

static void read_identity(struct reader *r)
{
	const struct live_header *h = &r->header;

	r->p->id = (struct profile_identity){
#define COLUMN(type, name, ...) .name = h->name,
#define ADDED                   COLUMN
#define LOCAL                   COLUMN
#define DERIVED(...)
#include "live/process.def"
#undef COLUMN
#undef ADDED
#undef LOCAL
#undef DERIVED
		.world_id = h->world_id,
		.family = h->family,
		.exe = reader_string(r, h->exe),
		.command = quoted_command(r, h->command),
		.job = strndup(h->job, sizeof(h->job)),
		.version = strdup(PACKAGE_VERSION),
		.events = reader_string(r, (live_ref)h->events),
		.mpi_library = reader_string(r, h->mpi_library),
		.end = END_UNKNOWN,
		.paused_ns = h->pauses.wall_ns,
	};
	reader_fixed_text(r->p->id.host, sizeof(r->p->id.host), h->host,
			  sizeof(h->host));
	batch_take(&r->p->id.batch, &h->batch);
	if (h->clock_id)
		snprintf(r->p->id.clock_id, sizeof(r->p->id.clock_id),
			 "%016" PRIx64, h->clock_id);
	if (!r->p->id.job || !r->p->id.version)
		reader_no_memory(r);
}

static void check_mpi_thread(struct reader *r)
{
	if (r->p->id.mpi_thread >= r->p->thread_count)
		r->p->id.mpi_thread = 0;
}

const struct live_section section_identity = {
	.begin = read_identity,
	.tables = check_mpi_thread,
};
