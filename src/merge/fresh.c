/* SPDX-License-Identifier: BSD-3-Clause */
/* fresh.c - times of files, and how many functions have names. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "run/run-build.h"
#include "merge/merging.h"
#include "merge/inputs.h"

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec
				      : a->tv_nsec > b->tv_nsec;
}

bool fresh_is(const char *database, const char *directory)
{
	struct inputs inputs = { 0 };
	struct stat of_database, of_file;
	bool fresh = !stat(database, &of_database) &&
		     !inputs_list(&inputs, directory);

	for (size_t i = 0; i < inputs.count && fresh; i++) {
		char *path = input_path(&inputs.at[i], directory);

		fresh = path && !stat(path, &of_file) &&
			!is_later(&of_file.st_mtim, &of_database.st_mtim);
		free(path);
	}
	inputs_fini(&inputs);
	return fresh;
}

/* A database elsewhere, as of merge -o, may be of anything. */
static bool is_same_run(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < b->rank_count && a->rank_count; i++)
		if (a->ranks[0].pid == b->ranks[i].pid &&
		    a->ranks[0].start_real_ns == b->ranks[i].start_real_ns)
			return true;
	return false;
}

/* How many functions of its call paths have a name, and how many have none. */
struct name_counts {
	size_t named, unnamed;
};

static struct name_counts names_of(const struct run *run)
{
	struct name_counts names = { 0, 0 };

	for (size_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];

		if (n->kind == RUN_FUNCTION)
			*(n->flags & RUN_UNNAMED ? &names.unnamed
						 : &names.named) += 1;
	}
	return names;
}

static int say_kept(struct run *run, const char *database, size_t lost)
{
	char *text = str_format("kept as it is, with its names: merged here, "
				"%zu functions more would have none, as files "
				"of the program have changed or are elsewhere; "
				"remove it to merge all the same",
				lost);
	int err =
		text ? run_problem(run, str_base(database), text) : no_memory();

	free(text);
	return err;
}

int fresh_keep(struct run **to, const char *database, bool *kept)
{
	struct run *old;
	struct name_counts was, is;

	if (run_load(&old, database))
		return 0;
	was = names_of(old);
	is = names_of(*to);
	if (!is_same_run(*to, old) || is.unnamed <= was.unnamed ||
	    is.named >= was.named) {
		run_free(old);
		return 0;
	}
	/* Until a file is younger again, unless one has something new. */
	if ((*to)->rank_count <= old->rank_count)
		utimensat(AT_FDCWD, database, NULL, 0);
	run_free(*to);
	*to = old;
	*kept = true;
	return say_kept(old, database, is.unnamed - was.unnamed);
}
