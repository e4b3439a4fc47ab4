/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inputs.c - the files: rank-NAME.h5; node-HOST.h5, which holds many of them;
 * and rank-NAME.live, the raw copy of a live profile, which is left where
 * `copse run` could not make one of the others of it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"
#include "merge/inputs.h"
#include "base/ordered-pool.h"
#include "profile/store/node-file.h"

void inputs_fini(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->at[i].label);
	free(inputs->at);
	*inputs = (struct inputs){ 0 };
}

static bool has_suffix(const char *name, const char *suffix)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, suffix);
}

static bool is_rank_file(const char *name)
{
	return !strncmp(name, "rank-", 5) &&
	       (has_suffix(name, ".h5") || has_suffix(name, ".live"));
}

static bool is_node_file(const char *name)
{
	return !strncmp(name, "node-", 5);
}

bool inputs_is_name(const char *file)
{
	return is_rank_file(file) ||
	       (is_node_file(file) && has_suffix(file, ".h5"));
}

static int is_input(const struct dirent *entry)
{
	return inputs_is_name(entry->d_name);
}

/* The rank file's own name, wherever it is. */
static const char *own_name(const struct input *input)
{
	const char *member = input->label + input->file;

	return *member ? member + 1 : input->label;
}

/* Raw copies last: most have a better file before them. */
/* rank-2 before rank-10 */
ORDER_BY(by_file_name, struct input,
	 ASC(live) ?: strverscmp(own_name(a), own_name(b)) ?:
	 strverscmp(a->label, b->label))

char *input_path(const struct input *input, const char *directory)
{
	return str_format("%s/%.*s", directory, (int)input->file, input->label);
}

int input_load(const struct input *input, const char *path, struct profile **to)
{
	if (input->unfinished)
		return fail(-EINVAL,
			    "%s: a profile was begun here and not finished",
			    path);
	return input->piece.size ? profile_load_piece(to, path, input->piece)
				 : profile_load(to, path);
}

static int inputs_add(struct inputs *inputs, const char *file,
		      const struct node_member *member)
{
	struct input *at = inputs->at;
	struct input one = { .file = strlen(file),
			     .live = has_suffix(file, ".live") };

	if (!(inputs->count & (inputs->count - 1))) /* a power of two, or 0 */
		at = reallocarray(at, 2 * inputs->count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	inputs->at = at;
	if (member) {
		one.piece = member->piece;
		one.unfinished = !*member->name;
	}
	one.label = !member ? strdup(file)
			    : str_format("%s:%s", file,
					 *member->name ? member->name : "end");
	if (!one.label)
		return -ENOMEM;
	at[inputs->count++] = one;
	return 0;
}

struct members {
	struct node_member *at;
	size_t count;
	bool none; /* it is no host's file */
};

static void members_drop(void *item)
{
	struct members *members = item;

	if (members)
		free(members->at);
	free(members);
}

static int members_list(struct members **to, const char *path)
{
	struct members *m = calloc(1, sizeof(*m));
	int err = m && path ? node_file_list(path, &m->at, &m->count) : -ENOMEM;

	if (err == -ENOMEM) {
		members_drop(m);
		return no_memory();
	}
	m->none = err;
	*to = m;
	return 0;
}

/* One that is none is added as it is: reading it says why. */
static int members_add(struct inputs *inputs, const char *name,
		       const struct members *members)
{
	int err = 0;

	if (!members || members->none)
		err = inputs_add(inputs, name, NULL);
	else
		for (size_t i = 0; i < members->count && !err; i++)
			err = inputs_add(inputs, name, &members->at[i]);
	return err ? no_memory() : 0;
}

int inputs_of_file(struct inputs *inputs, const char *path)
{
	struct members *members = NULL;
	int err = members_list(&members, path);

	if (!err)
		err = members_add(inputs, path, members);
	members_drop(members);
	return err;
}

/*
 * A host's file is listed by going through it, which on a parallel file system
 * is mostly waiting: so several are, at a time.
 */
enum {
	LISTERS = 16
};

struct input_search {
	struct inputs *inputs;
	const char *directory;
	struct dirent **entries;
};

static int find_members(void *of, size_t i, void **item)
{
	const struct input_search *f = of;
	const char *name = f->entries[i]->d_name;
	struct members *members = NULL;
	char *path;
	int err;

	if (!is_node_file(name))
		return 0;
	path = str_format("%s/%s", f->directory, name);
	err = members_list(&members, path);
	free(path);
	*item = members;
	return err;
}

static int take_members(void *of, size_t i, void *item)
{
	const struct input_search *f = of;
	int err = members_add(f->inputs, f->entries[i]->d_name, item);

	members_drop(item);
	return err;
}

int inputs_list(struct inputs *inputs, const char *directory)
{
	struct input_search f = { .inputs = inputs, .directory = directory };
	struct ordered_work work = { .make = find_members,
				     .take = take_members,
				     .drop = members_drop,
				     .of = &f };
	int count = scandir(directory, &f.entries, is_input, NULL);
	int err;

	if (count < 0)
		return fail(-errno, "%s: %s", directory, strerror(errno));
	work.count = (size_t)count;
	err = ordered_pool_run(&work, LISTERS);
	for (int i = 0; i < count; i++)
		free(f.entries[i]);
	free(f.entries);
	if (!err && inputs->count)
		qsort(inputs->at, inputs->count, sizeof(*inputs->at),
		      by_file_name);
	return err;
}

void inputs_only(struct inputs *inputs, const char *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		struct input *at = &inputs->at[i];

		if (at->file == strlen(file) &&
		    !strncmp(at->label, file, at->file))
			inputs->at[kept++] = *at;
		else
			free(at->label);
	}
	inputs->count = kept;
}
