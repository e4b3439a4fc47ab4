/* SPDX-License-Identifier: BSD-3-Clause */
/* startup-words.c - what a program did to start, the longest first. */
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "analyse/summary/summary-sentences.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"
#include "run/startup.h"

#define WORTH_A_WORD 0.04 /* of the start */

enum {
	WORDS = 5,
	STARTS = 128 /* different ones; those behind are not said */
};

struct started {
	char *name;
	double seconds;
};

ORDER_BY(by_started, struct started, DESC(seconds) ?: strcmp(a->name, b->name))

/* "import torch": the package, or the program's own module, "imports" else. */
static char *import_name(const struct paths *paths, uint32_t path,
			 uint32_t import)
{
	const struct run *run = paths->run;
	struct package package, found = { 0 };
	const char *own = NULL;

	for (uint32_t p = path; p != import; p = paths->at[p].parent) {
		uint32_t node = paths->at[p].node;
		const char *file =
			str_at(&run->strings, run->nodes[node].module);

		if (!python_owns(run, node))
			continue;
		if (!package_of(&package, file))
			own = str_base(file);
		else if (!package.is_library)
			found = package;
	}
	if (found.name)
		return str_format("import %.*s", (int)found.length, found.name);
	if (own)
		return str_format("import %.*s", (int)strcspn(own, "."), own);
	return strdup(startup_names[STARTUP_IMPORT]);
}

/* How it is called what a path starts; to be freed, NULL: out of memory. */
static char *started_name(const struct paths *paths, uint32_t path)
{
	const struct run *run = paths->run;
	enum startup_kind kind = STARTUP_NONE;
	uint32_t first = 0;
	const char *name = "MPI";

	for (uint32_t p = path; p; p = paths->at[p].parent) {
		enum startup_kind is = startup_of_node(run, paths->at[p].node);

		if (run->nodes[paths->at[p].node].kind == RUN_MPI)
			name = str_at(&run->strings,
				      run->nodes[paths->at[p].node].function);
		if (is == STARTUP_NONE)
			continue;
		kind = is;
		first = p;
	}
	if (kind == STARTUP_IMPORT)
		return import_name(paths, path, first);
	return strdup(kind == STARTUP_NONE ? name : startup_names[kind]);
}

/* Takes the name.  False: out of memory. */
static bool add_started(struct started *to, size_t *count, char *name,
			double seconds)
{
	size_t i = 0;

	if (!name)
		return false;
	while (i < *count && strcmp(to[i].name, name) != 0)
		i++;
	if (i < *count || i == STARTS)
		free(name);
	else
		to[(*count)++] = (struct started){ .name = name };
	if (i < *count)
		to[i].seconds += seconds;
	return true;
}

static bool find_started(const struct time_split *split,
			 const struct paths *paths, struct started *to,
			 size_t *count)
{
	double *own = calloc(paths->count + 1, sizeof(*own));
	bool ok = own;

	if (own)
		time_split_paths(split, paths, SPLIT_START, own);
	for (uint32_t p = 1; ok && p < paths->count; p++)
		if (own[p] > 0)
			ok = add_started(to, count, started_name(paths, p),
					 own[p]);
	free(own);
	return ok;
}

char *startup_words(const struct time_split *split, const struct paths *paths,
		    double times)
{
	double all = split->parts[SPLIT_START].seconds;
	struct started *started = calloc(STARTS, sizeof(*started));
	size_t count = 0, size, said = 0;
	char *text = NULL, seconds[32];
	FILE *to = open_memstream(&text, &size);
	bool ok = started && to && find_started(split, paths, started, &count);

	if (count)
		qsort(started, count, sizeof(*started), by_started);
	for (size_t i = 0; ok && i < count && said < WORDS; i++)
		if (started[i].seconds >= WORTH_A_WORD * all)
			fprintf(to, "%s%s %s", said++ ? ", " : ": ",
				started[i].name,
				phrase_time(seconds,
					    started[i].seconds / times));
	for (size_t i = 0; i < count; i++)
		free(started[i].name);
	free(started);
	if (to)
		fclose(to);
	if (ok)
		return text;
	free(text);
	no_memory();
	return NULL;
}
