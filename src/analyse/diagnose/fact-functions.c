/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-functions.c - functions of the program, and what they spend in
 * libraries: what a library does counts for the function that called it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/value.h"
#include "base/err.h"
#include "base/map.h"

#define SMALL  0.02 /* of the time: a function with less is left out */
#define FRAMES 3

enum field {
	TOTAL,
	COPIES,
	FORMATTING,
	LOCKS,
	FILES,
	SHARE,
	COPY_SHARE,
	LOCK_SHARE,
	ELAPSED,
	EVENTS,
	FUNCTION,
	PLACE,
	MOSTLY,
	FIELDS
};

static const struct fact_field function_fields[FIELDS] = {
	[TOTAL] = { "seconds", FACT_SECONDS,
		    "CPU time, with what libraries do for it" },
	[COPIES] = { "copies", FACT_SECONDS,
		     "of that: allocating, freeing, copying, constructing" },
	[FORMATTING] = { "formatting", FACT_SECONDS,
			 "of that: printf and its kind" },
	[LOCKS] = { "locks", FACT_SECONDS,
		    "of that: locks and conditions of threads" },
	[FILES] = { "files", FACT_SECONDS,
		    "of that: reading and writing files" },
	[SHARE] = { "share", FACT_SHARE, "of the CPU time" },
	[COPY_SHARE] = { "copy_share", FACT_SHARE,
			 "of the CPU time, in copies" },
	[LOCK_SHARE] = { "lock_share", FACT_SHARE,
			 "of the CPU time, in locks" },
	[ELAPSED] = { "elapsed", FACT_SECONDS, "of the run" },
	[EVENTS] = { "counters", FACT_NUMBER,
		     "1: the run has hardware counters" },
	[FUNCTION] = { "function", FACT_TEXT,
		       "the function, and what calls it" },
	[PLACE] = { "place", FACT_TEXT, "its most expensive line" },
	[MOSTLY] = { "mostly", FACT_TEXT,
		     "the library's functions with most of the copies" },
};

/* How functions begin that do such things, by the name as a linker has it. */
static const struct purpose {
	enum field is;
	const char *begins;
} purposes[] = {
	{ COPIES, "malloc" },
	{ COPIES, "calloc" },
	{ COPIES, "realloc" },
	{ COPIES, "free" },
	{ COPIES, "cfree" },
	{ COPIES, "posix_memalign" },
	{ COPIES, "aligned_alloc" },
	{ COPIES, "memalign" },
	{ COPIES, "int_malloc" },
	{ COPIES, "int_free" },
	{ COPIES, "operator new" },
	{ COPIES, "operator delete" },
	{ COPIES, "memcpy" },
	{ COPIES, "memmove" },
	{ COPIES, "memset" },
	{ COPIES, "mmap" },
	{ COPIES, "munmap" },
	{ COPIES, "madvise" },
	{ COPIES, "unlink_chunk" },
	{ COPIES, "sysmalloc" },
	{ COPIES, "systrim" },
	{ COPIES, "strdup" },
	{ COPIES, "gfortran_internal_" },
	{ COPIES, "gfortran_cfi_desc" },
	{ FORMATTING, "printf" },
	{ FORMATTING, "fprintf" },
	{ FORMATTING, "sprintf" },
	{ FORMATTING, "snprintf" },
	{ FORMATTING, "vfprintf" },
	{ FORMATTING, "vsnprintf" },
	{ FORMATTING, "vsprintf" },
	{ FORMATTING, "sprintf_chk" },
	{ FORMATTING, "snprintf_chk" },
	{ FORMATTING, "fprintf_chk" },
	{ FORMATTING, "gfortran_transfer" },
	{ FORMATTING, "gfortran_st_write" },
	{ FORMATTING, "std::ostream" },
	{ LOCKS, "pthread_mutex" },
	{ LOCKS, "pthread_cond" },
	{ LOCKS, "pthread_rwlock" },
	{ LOCKS, "pthread_spin" },
	{ LOCKS, "lll_" },
	{ LOCKS, "futex" },
	{ LOCKS, "sem_" },
	{ LOCKS, "std::condition_variable" },
	{ LOCKS, "std::mutex" },
	{ FILES, "read" },
	{ FILES, "write" },
	{ FILES, "fread" },
	{ FILES, "fwrite" },
	{ FILES, "open" },
	{ FILES, "close" },
	{ FILES, "fsync" },
	{ FILES, "fflush" },
};

/* "memcpy_avx_unaligned" of "__GI___memcpy_avx_unaligned" */
static const char *plain_name(const char *name)
{
	if (!strncmp(name, "__GI_", 5))
		name += 5;
	name += strspn(name, "_");
	if (!strncmp(name, "libc_", 5))
		name += 5;
	return name;
}

/* Does it end a word, or go on with one of its own: "read", "read64"? */
static bool is_whole(const char *name, const char *begins)
{
	size_t length = strlen(begins);

	return strchr("_ ", begins[length - 1]) ||
	       !(name[length] >= 'a' && name[length] <= 'z');
}

/* "Table::Table(Table const&)", "~Table": of the class's own name. */
static bool is_constructor(const char *name)
{
	char brief[256];
	const char *end = strchr(name, '('), *at, *before;
	size_t length;

	if (!strncmp(name, "(anonymous namespace)::", 23)) {
		name += 23;
		end = strchr(name, '(');
	}
	length = end ? (size_t)(end - name) : strlen(name);
	if (!length || length >= sizeof(brief))
		return false;
	memcpy(brief, name, length);
	brief[length] = 0;
	if (strstr(brief, "::~"))
		return true;
	at = strrchr(brief, ':');
	if (!at || at - 1 <= brief || at[-1] != ':')
		return false;
	length = strlen(at + 1);
	before = at - 1 - length;
	return before >= brief && !strncmp(before, at + 1, length) &&
	       (before == brief || before[-1] == ':');
}

/* What a function of a library, or of C++'s, is for; FIELDS: itself. */
static enum field purpose_of(const struct run *run, uint32_t node)
{
	const char *full = str_at(&run->strings, run->nodes[node].function);
	const char *name = plain_name(full);

	if (run->nodes[node].kind != RUN_FUNCTION)
		return FIELDS;
	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (!strncmp(name, purposes[i].begins,
			     strlen(purposes[i].begins)) &&
		    is_whole(name, purposes[i].begins))
			return purposes[i].is;
	return is_constructor(full) ? COPIES : FIELDS;
}

/* Of the C library, or of the templates of C++'s in the program. */
static bool is_library(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return paths_in_c_library(run, node) || !strncmp(name, "std::", 5) ||
	       !strncmp(name, "__gnu_cxx::", 11);
}

/* What a path's own time is for, and the path of the program's function. */
struct use {
	uint32_t owner;
	enum field purpose;
};

static struct use *find_uses(const struct paths *paths)
{
	const struct run *run = paths->run;
	struct use *uses = calloc(paths->count + 1, sizeof(*uses));

	for (uint32_t p = 1; uses && p < paths->count; p++) {
		uint32_t node = paths->at[p].node;
		uint32_t parent = paths->at[p].parent;
		enum field purpose = purpose_of(run, node);

		uses[p] = (struct use){ p, FIELDS };
		if (!parent || run->nodes[node].kind != RUN_FUNCTION)
			continue;
		if (uses[parent].purpose != FIELDS)
			uses[p] = uses[parent];
		else if (purpose != FIELDS)
			uses[p] = (struct use){ uses[parent].owner, purpose };
		else if (is_library(run, node))
			uses[p] = uses[parent];
	}
	return uses;
}

static bool has_counters(const struct run *run)
{
	for (size_t i = 0; i < run->metric_count; i++)
		if (!strncmp(run->metrics[i].name, METRIC_EVENT,
			     strlen(METRIC_EVENT)))
			return true;
	return false;
}

static void add_use(struct fact *f, enum field purpose, double seconds)
{
	f->values[TOTAL].number += seconds;
	if (purpose != FIELDS)
		f->values[purpose].number += seconds;
}

/* The largest path of each function stands for it. */
static int sum_uses(struct facts *to, const struct fact_source *from,
		    const struct use *uses, const double *own)
{
	const struct paths *paths = from->paths;
	struct map map = { 0 };
	int err = 0;

	for (uint32_t p = 1; p < paths->count && !err; p++) {
		uint32_t owner = uses[p].owner;
		const struct run_node *n =
			&from->run->nodes[paths->at[owner].node];
		uint32_t at;

		if (own[p] <= 0 || n->kind != RUN_FUNCTION ||
		    paths_waits(paths, p))
			continue;
		at = map_put(&map, n->function, n->module, (uint32_t)to->count);
		if (at == MAP_NONE)
			err = no_memory();
		else if (at == to->count && !facts_add(to, owner))
			err = -ENOMEM;
		else
			add_use(&to->at[at], uses[p].purpose, own[p]);
	}
	map_fini(&map);
	return err;
}

static int finish_function(struct fact *f, const struct fact_source *from)
{
	const struct run_node *n =
		&from->run->nodes[from->paths->at[f->path].node];

	f->values[SHARE].number =
		value_ratio(f->values[TOTAL].number, from->sampled);
	f->values[COPY_SHARE].number =
		value_ratio(f->values[COPIES].number, from->sampled);
	f->values[LOCK_SHARE].number =
		value_ratio(f->values[LOCKS].number, from->sampled);
	f->values[ELAPSED].number = from->elapsed;
	f->values[EVENTS].number = has_counters(from->run);
	if (f->values[SHARE].number < SMALL)
		return 0;
	f->values[FUNCTION].text = paths_short(from->paths, f->path, FRAMES);
	f->values[PLACE].text = paths_place(from->run, n->file, n->line);
	return f->values[FUNCTION].text ? 0 : no_memory();
}

static int gather_functions(struct facts *to, struct fact_source *from)
{
	double *own = calloc(from->paths->count + 1, sizeof(*own));
	struct use *uses = find_uses(from->paths);
	int err = own && uses ? 0 : no_memory();

	if (!err && from->metric && from->metric->unit == UNIT_NS) {
		paths_values(from->paths, from->metric, own, NULL);
		err = sum_uses(to, from, uses, own);
	}
	for (size_t i = 0; i < to->count && !err; i++)
		err = finish_function(&to->at[i], from);
	free(own);
	free(uses);
	return err;
}

const struct fact_set fact_set_functions = {
	.name = "functions",
	.meaning = "a function of the program, and what libraries do for it",
	.fields = function_fields,
	.field_count = FIELDS,
	.gather = gather_functions,
};
