/* SPDX-License-Identifier: BSD-3-Clause */
/* host-parts.c - idle time of GPUs by what the host did. */
#include "analyse/gpu/host-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "analyse/paths/own-paths.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/startup.h"

#define COMPUTES 0.1 /* of all: a line of Python that launches nothing */

const struct host_part_info host_part_infos[HOST_PARTS] = {
#define HOST_PART(id, name, title) [HOST_PART_##id] = { name, title },
#include "analyse/gpu/host-parts.def"
#undef HOST_PART
};

/* Of a node with idle time. */
struct charge {
	uint32_t node, subject, at; /* subject: the node that is named */
	double seconds;
	enum host_part part;
	bool launching;
};

struct host_charges {
	const struct paths *paths;
	const struct run *run;
	const struct run_metric *idle;
	uint8_t *startup;
	bool *launches;       /* by node: a launch is at or below it */
	struct map libraries; /* that launch: by module, or by package */
	struct map lines;     /* of functions, from which they launch */
	uint32_t main;        /* module */
	struct charge *at;
	size_t count;
	double seconds;
};

static const char *name_of(const struct run *run, uint32_t node)
{
	return str_at(&run->strings, run->nodes[node].function);
}

uint32_t host_main_module(const struct run *run)
{
	for (uint32_t n = 1; n < run->node_count; n++)
		if (run->nodes[n].kind == RUN_FUNCTION &&
		    !strcmp(name_of(run, n), "main") &&
		    !(run->nodes[n].flags & RUN_PYTHON))
			return run->nodes[n].module;
	return 0;
}

/* A function that its user wrote, or had compiled as this program. */
static bool is_program_function(const struct run *run, uint32_t main_module,
				uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	struct package package;

	if (n->kind != RUN_FUNCTION || !strcmp(name_of(run, node), "[import]"))
		return false;
	if (n->flags & RUN_PYTHON)
		return !package_of(&package, str_at(&run->strings, n->module));
	return n->module == main_module && !interpreter_owns(run, node) &&
	       paths_is_own(run, node);
}

uint32_t host_program_frame(const struct run *run, uint32_t main_module,
			    uint32_t node, uint32_t *at)
{
	uint32_t n = node;

	*at = 0;
	while (n && !is_program_function(run, main_module, n)) {
		if (n == node || !run_is_part(&run->nodes[n]))
			*at = n;
		n = run->nodes[n].parent;
	}
	return n;
}

/* What a library is known by: its package of Python's, or its module. */
static uint64_t library_key(const struct run *run, uint32_t node)
{
	const char *module = str_at(&run->strings, run->nodes[node].module);
	struct package package;
	uint64_t hash = 0;

	if (!package_of(&package, module) || package.is_library)
		return run->nodes[node].module;
	for (size_t i = 0; i < package.length; i++)
		hash = hash_pair(hash, (unsigned char)package.name[i]);
	return hash | (uint64_t)1 << 63;
}

/* What the C library and the like do is of who calls them. */
static bool is_a_library(const struct host_charges *c, uint32_t node)
{
	const struct run_node *n = &c->run->nodes[node];
	const char *module = str_at(&c->run->strings, n->module);
	struct package package;

	if (n->kind != RUN_FUNCTION || !*module)
		return false;
	if (n->flags & RUN_PYTHON)
		return package_of(&package, module) && !package.is_library;
	return n->module != c->main && !interpreter_owns(c->run, node) &&
	       paths_is_own(c->run, node);
}

static bool begins_kernel(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_GPU_CALL &&
	       (gpu_call_launches_kernel(name_of(run, node)) ||
		gpu_call_launches_graph(name_of(run, node)));
}

static uint64_t line_key(const struct run *run, uint32_t frame, uint32_t node)
{
	return (uint64_t)run->nodes[frame].function << 32 |
	       run->nodes[node].line;
}

/* Who is above a launch: libraries, and lines of functions. */
static int note_launch(struct host_charges *c, uint32_t launch)
{
	const struct run *run = c->run;

	for (uint32_t n = launch; n && !c->launches[n];) {
		uint32_t above = run->nodes[n].parent;
		uint32_t frame = run_frame(run, above);

		c->launches[n] = true;
		if (is_a_library(c, n) &&
		    map_put(&c->libraries, library_key(run, n), 0, 1) ==
			    MAP_NONE)
			return no_memory();
		if (map_put(&c->lines, line_key(run, frame, n), 0, 1) ==
		    MAP_NONE)
			return no_memory();
		n = above;
	}
	return 0;
}

static int note_launches(struct host_charges *c)
{
	int err = 0;

	for (uint32_t n = 1; n < c->run->node_count && !err; n++)
		if (begins_kernel(c->run, n) && c->startup[n] == STARTUP_NONE)
			err = note_launch(c, n);
	return err;
}

/* Copies over the link, what waits and what allocates is in no graph. */
static bool stays_beside_graph(const struct run *run, uint32_t node)
{
	const char *verb = gpu_call_verb(name_of(run, node));

	return gpu_call_waits(name_of(run, node)) || strstr(verb, "Alloc") ||
	       strstr(verb, "Free") || !strncmp(verb, "Memcpy", 6) ||
	       !strncmp(verb, "Graph", 5);
}

static bool waits_for_input(const struct run *run, uint32_t node)
{
	static const char *const names[] = {
		"poll",          "ppoll",         "select",  "pselect",
		"epoll_wait",    "epoll_pwait",   "read",    "readv",
		"recv",          "recvfrom",      "recvmsg", "sem_wait",
		"sem_timedwait", "sem_clockwait",
	};

	return paths_is_c_function(run, node, names,
				   sizeof(names) / sizeof(*names));
}

/* It, or what called it, up to the program's own function. */
static bool is_in_input(const struct host_charges *c, uint32_t node,
			uint32_t owner)
{
	for (uint32_t n = node; n && n != owner; n = c->run->nodes[n].parent)
		if (waits_for_input(c->run, n))
			return true;
	return false;
}

static bool is_python(const struct run *run, uint32_t node)
{
	return run->nodes[node].flags & RUN_PYTHON ||
	       interpreter_owns(run, node);
}

/*
 * A function of the program that launches: what Python does there goes with its
 * launches; what machine code does is likely to be more than that.
 */
static void charge_program(struct host_charges *c, struct charge *to,
			   uint32_t owner)
{
	to->part =
		is_python(c->run, owner) ? HOST_PART_PYTHON : HOST_PART_PROGRAM;
	to->launching = to->part == HOST_PART_PYTHON && c->launches[owner];
	to->subject = owner;
}

/* The nearest library, if one launches that; its frames of Python's, too. */
static uint32_t nearest_library(const struct host_charges *c, uint32_t frame,
				uint32_t owner, bool *launches)
{
	uint32_t nearest = 0;

	*launches = true;
	for (uint32_t n = frame; n && n != owner; n = c->run->nodes[n].parent) {
		if (!is_a_library(c, n))
			continue;
		if (map_get(&c->libraries, library_key(c->run, n), 0) !=
		    MAP_NONE)
			return n;
		if (!nearest)
			nearest = n;
	}
	*launches = false;
	return nearest;
}

/*
 * A library that launches does it for that, also where it makes a view of some
 * array; its functions of Python, such as what puts a batch together, only if
 * they launch themselves.
 */
static void charge_library(struct host_charges *c, struct charge *to,
			   uint32_t owner, uint32_t called, bool launches)
{
	bool python = c->run->nodes[to->at].flags & RUN_PYTHON;

	to->launching = launches && (python ? c->launches[to->at]
					    : !owner || c->launches[owner]);
	to->subject = called;
	if (!to->launching) {
		to->part = HOST_PART_LIBRARIES;
	} else if (is_python(c->run, called)) {
		to->part = HOST_PART_PYTHON;
		to->subject = owner ? owner : called;
	} else {
		to->part = HOST_PART_DISPATCH;
	}
}

static void charge_code(struct host_charges *c, struct charge *to)
{
	uint32_t frame = run_frame(c->run, to->node), library;
	uint32_t owner = host_program_frame(c->run, c->main, to->node, &to->at);
	bool launches;

	if (is_in_input(c, frame, owner)) {
		to->part = HOST_PART_INPUT;
		to->subject = owner ? owner : frame;
		return;
	}
	library = nearest_library(c, frame, owner, &launches);
	if (library)
		charge_library(c, to, owner, library, launches);
	else if (owner)
		charge_program(c, to, owner);
	else
		to->part = is_python(c->run, frame) ? HOST_PART_PYTHON
						    : HOST_PART_LIBRARIES;
}

static void charge_call(struct host_charges *c, struct charge *to)
{
	if (begins_kernel(c->run, to->node)) {
		uint32_t owner =
			host_program_frame(c->run, c->main, to->node, &to->at);

		to->part = HOST_PART_LAUNCHES;
		to->subject = owner ? owner : to->node;
		to->launching =
			gpu_call_launches_kernel(name_of(c->run, to->node));
		return;
	}
	to->part = HOST_PART_CALLS;
	to->launching = !stays_beside_graph(c->run, to->node);
}

static void charge_node(struct host_charges *c, struct charge *to)
{
	const struct run *run = c->run;
	const char *name = name_of(run, to->node);

	to->subject = to->node;
	host_program_frame(run, c->main, to->node, &to->at);
	switch (run->nodes[to->node].kind) {
	case RUN_GPU_CALL:
		charge_call(c, to);
		break;
	case RUN_MPI:
		to->part = HOST_PART_MPI;
		break;
	case RUN_KERNEL:
		to->part = strcmp(name, "[not running]") ? HOST_PART_DEVICE
							 : HOST_PART_BLOCKED;
		to->subject =
			host_program_frame(run, c->main, to->node, &to->at);
		break;
	default:
		charge_code(c, to);
	}
}

/* What a line of Python has that launches nothing, if it is much. */
static int find_computing(struct host_charges *c)
{
	double *of = calloc(c->count + 1, sizeof(*of));
	struct map map = { 0 };
	uint32_t *row = calloc(c->count + 1, sizeof(*row)), rows = 0;
	int err = of && row ? 0 : no_memory();

	for (size_t i = 0; i < c->count && !err; i++) {
		const struct charge *at = &c->at[i];

		row[i] = map_put(&map, line_key(c->run, at->subject, at->node),
				 0, rows);
		if (row[i] == MAP_NONE)
			err = no_memory();
		else
			of[row[i]] +=
				at->part == HOST_PART_PYTHON ? at->seconds : 0;
		if (row[i] == rows)
			rows++;
	}
	for (size_t i = 0; i < c->count && !err; i++) {
		struct charge *at = &c->at[i];

		if (at->part == HOST_PART_PYTHON &&
		    run_is_part(&c->run->nodes[at->node]) &&
		    run_frame(c->run, at->node) == at->subject &&
		    of[row[i]] >= COMPUTES * c->seconds &&
		    map_get(&c->lines, line_key(c->run, at->subject, at->node),
			    0) == MAP_NONE)
			at->launching = false;
	}
	map_fini(&map);
	free(row);
	free(of);
	return err;
}

static int charge_nodes(struct host_charges *c)
{
	for (uint32_t n = 0; n < c->run->node_count; n++) {
		double seconds = value_node(c->idle, n);
		struct charge *to = &c->at[c->count];

		if (seconds <= 0 || c->startup[n] != STARTUP_NONE)
			continue;
		*to = (struct charge){ .node = n, .seconds = seconds };
		charge_node(c, to);
		c->seconds += seconds;
		c->count++;
	}
	return find_computing(c);
}

/* Sums of one part by some node of each charge; the largest's. */
static uint32_t largest_of(const struct host_charges *c, enum host_part part,
			   uint32_t path, double *sums, double *most)
{
	const struct paths *paths = c->paths;
	uint32_t best = 0;

	memset(sums, 0, (c->run->node_count + 1) * sizeof(*sums));
	for (size_t i = 0; i < c->count; i++) {
		const struct charge *at = &c->at[i];
		uint32_t key = paths->of[at->subject];

		if (at->part != part || (path && key != path))
			continue;
		if (path)
			key = at->at;
		sums[key] += at->seconds;
		if (!best || sums[key] > sums[best])
			best = key;
	}
	*most = best ? sums[best] : 0;
	return best;
}

static int sum_parts(struct host_parts *to, const struct host_charges *c)
{
	double *sums = malloc((c->run->node_count + 1) * sizeof(*sums)), most;

	if (!sums)
		return no_memory();
	for (size_t i = 0; i < HOST_PARTS; i++)
		to->at[i].part = (enum host_part)i;
	for (size_t i = 0; i < c->count; i++) {
		struct host_share *s = &to->at[c->at[i].part];

		s->seconds += c->at[i].seconds;
		s->launching += c->at[i].launching ? c->at[i].seconds : 0;
	}
	for (size_t i = 0; i < HOST_PARTS; i++) {
		struct host_share *s = &to->at[i];

		s->path = largest_of(c, s->part, 0, sums, &s->at_path);
		if (s->path)
			s->node = largest_of(c, s->part, s->path, sums, &most);
	}
	free(sums);
	return 0;
}

ORDER_BY(by_host_seconds, struct host_share, DESC(seconds) ?: ASC(part))

int host_parts_of(struct host_parts *to, const struct paths *paths)
{
	const struct run *run = paths->run;
	struct host_charges c = {
		.paths = paths,
		.run = run,
		.idle = run_metric(run, metric_infos[METRIC_GPU_IDLE].name),
		.startup = startup_nodes(run),
		.launches = calloc(run->node_count + 1, sizeof(*c.launches)),
		.at = calloc(run->node_count + 1, sizeof(*c.at)),
		.main = host_main_module(run),
	};
	int err = c.startup && c.launches && c.at ? 0 : no_memory();

	*to = (struct host_parts){ 0 };
	if (!err)
		err = note_launches(&c);
	if (!err && c.idle)
		err = charge_nodes(&c);
	if (!err)
		err = sum_parts(to, &c);
	to->seconds = c.seconds;
	qsort(to->at, HOST_PARTS, sizeof(*to->at), by_host_seconds);
	map_fini(&c.libraries);
	map_fini(&c.lines);
	free(c.startup);
	free(c.launches);
	free(c.at);
	return err;
}

static char *library_words(const struct run *run, uint32_t node)
{
	const char *module = str_at(&run->strings, run->nodes[node].module);
	struct package package;

	if (package_of(&package, module))
		return strndup(package.name, package.length);
	return strdup(str_base(module));
}

char *host_share_place(const struct paths *paths, const struct host_share *s)
{
	const struct run *run = paths->run;
	uint32_t node = paths->at[s->path].node;
	bool library = s->part == HOST_PART_DISPATCH;
	char *name, *place, *text = NULL;

	if (!s->path)
		return strdup("");
	name = library ? library_words(run, node)
		       : paths_short(paths, s->path, 1);
	place = s->node && run->nodes[s->node].line
			? paths_place(run, run->nodes[s->node].file,
				      run->nodes[s->node].line)
			: strdup("");
	if (name && place)
		text = str_format("%s%s%s%s",
				  s->part == HOST_PART_BLOCKED ? "until " : "",
				  name, *place ? ", " : "", place);
	free(name);
	free(place);
	return text;
}
