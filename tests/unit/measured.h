/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.h - a process as copse measures it, and what a reader makes of it.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/gpu/gpu.h"
#include "collect/registry.h"
#include "profile/profile.h"
#include "tests/lib/test.h"

/*
 * A live profile of that many MiB, which no file shows.  GPUs may be used; no
 * thread is measured, so calls have no path.
 */
static inline void measured_begin(unsigned int memory)
{
	static struct settings settings;
	static char directory[] = "/tmp/copse-measured.XXXXXX";
	char path[80];

	settings_init(&settings);
	settings.memory = memory;
	CHECK(mkdtemp(directory));
	registry_init(&settings, directory);
	gpu_prepare();
	CHECK(registry_open());
	snprintf(path, sizeof(path), "%s/%d.0.live", directory, (int)getpid());
	CHECK(!unlink(path) && !rmdir(directory));
}

/* A copy of it with a thread, without which nobody had any work. */
static inline char *measured_copy(size_t *size)
{
	struct live_header *header = registry_header();
	uint32_t index;
	char *data;

	CHECK(registry_thread(1, &index));
	*size = header->used;
	data = malloc(*size);
	CHECK(data);
	return memcpy(data, header, *size);
}

static inline struct profile *measured_profile(void)
{
	struct profile *p;
	size_t size;
	char *data = measured_copy(&size);

	CHECK(!profile_from_live(&p, data, size));
	free(data);
	return p;
}

/* Of all nodes. */
static inline uint64_t measured_total(const struct profile *p, const char *name)
{
	const struct profile_column *c = profile_column(p, name);
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->count; i++)
		sum += c->values[i].value;
	return sum;
}
