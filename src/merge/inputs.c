/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inputs.c - the files: rank-NAME.h5, and rank-NAME.live, the raw copy of a
 * live profile, which is left where `copse run` could not make the other of it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "merge/inputs.h"
#include "merge/pack.h"

void inputs_fini(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->at[i].name);
	free(inputs->at);
	*inputs = (struct inputs){ 0 };
}

static bool has_suffix(const char *name, const char *suffix)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, suffix);
}

static int is_rank_file(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "rank-", 5) &&
	       (has_suffix(entry->d_name, ".h5") ||
		has_suffix(entry->d_name, ".live"));
}

/* Raw copies last: most have a better file before them. */
static int by_name(const void *x, const void *y)
{
	const struct input *a = x, *b = y;

	if (a->live != b->live)
		return a->live - b->live;
	return strverscmp(a->name, b->name); /* rank-2 before rank-10 */
}

int inputs_list(struct inputs *inputs, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_rank_file, NULL);
	int err = 0;

	if (count < 0)
		return fail(-errno, "%s: %s", directory, strerror(errno));
	inputs->at = calloc((size_t)count + 1, sizeof(*inputs->at));
	if (!inputs->at)
		err = -ENOMEM;
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char *copy = err ? NULL : strdup(name);

		if (copy)
			inputs->at[inputs->count++] =
				(struct input){ copy,
						has_suffix(name, ".live") };
		else
			err = -ENOMEM;
		free(entries[i]);
	}
	free(entries);
	if (err)
		return fail(err, "out of memory");
	qsort(inputs->at, inputs->count, sizeof(*inputs->at), by_name);
	return 0;
}

size_t inputs_settled(const struct inputs *inputs)
{
	size_t n = 0;

	while (n < inputs->count && !inputs->at[n].live)
		n++;
	return n;
}

void inputs_pack(const struct inputs *inputs, struct blob *to)
{
	uint64_t count = inputs->count;

	blob_put(to, &count, 1, sizeof(count));
	for (size_t i = 0; i < inputs->count; i++)
		blob_put_text(to, inputs->at[i].name);
}

int inputs_unpack(struct inputs *inputs, struct blob *from)
{
	uint64_t count = 0;

	if (!blob_get_one(from, &count, sizeof(count)))
		return pack_error(from);
	inputs->at = calloc(count + 1, sizeof(*inputs->at));
	for (uint64_t i = 0; i < count && inputs->at; i++) {
		const char *name = blob_get_text(from);
		char *copy = name ? strdup(name) : NULL;

		if (!copy)
			return pack_error(from);
		inputs->at[inputs->count++] =
			(struct input){ copy, has_suffix(copy, ".live") };
	}
	return inputs->at ? 0 : fail(-ENOMEM, "out of memory");
}
