/* SPDX-License-Identifier: BSD-3-Clause */
/* paths.c - what is said of call paths: values, and words. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/paths/brief.h"
#include "analyse/base/interpreter.h"
#include "analyse/paths/own-paths.h"
#include "analyse/paths/paths.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"

void paths_values(const struct paths *paths, const struct run_metric *metric,
		  double *exclusive, double *inclusive)
{
	for (size_t i = 0; exclusive && i < paths->count; i++)
		exclusive[i] = 0;
	for (size_t i = 0; inclusive && i < paths->count; i++)
		inclusive[i] = 0;
	for (size_t i = 0; i < paths->run->node_count; i++) {
		double value = value_node(metric, i);

		if (exclusive)
			exclusive[paths->of[i]] += value;
		if (inclusive)
			inclusive[paths->of[i]] += value;
	}
	for (size_t i = paths->count; inclusive && i-- > 1;)
		inclusive[paths->at[i].parent] += inclusive[i];
}

bool paths_is_waiting(const struct run_node *node)
{
	return run_kinds[node->kind].role == ROLE_WAIT;
}

bool paths_waits(const struct paths *paths, uint32_t path)
{
	for (; path; path = paths->at[path].parent)
		if (paths_is_waiting(&paths->run->nodes[paths->at[path].node]))
			return true;
	return false;
}

/* Of MPI (also PMPI_Wtime, mpi_wtime_), OpenMP and C++. */
static bool is_clock_of_library(const char *name)
{
	static const char mpi[] = "mpi_wtime", omp[] = "omp_get_wtime";

	return !strncasecmp(name, mpi, sizeof(mpi) - 1) ||
	       (*name && !strncasecmp(name + 1, mpi, sizeof(mpi) - 1)) ||
	       !strncmp(name, omp, sizeof(omp) - 1) ||
	       strstr(name, "_clock::now(");
}

static bool is_vdso_file(const char *module)
{
	return !strcmp(module, "[vdso]");
}

bool paths_is_clock(const struct run *run, uint32_t node)
{
	static const char *const names[] = { "clock_gettime", "gettimeofday",
					     "clock", "time", "times" };
	const struct run_node *n = &run->nodes[node];

	if (n->kind != RUN_FUNCTION)
		return false;
	return paths_ask_module(run, node, ASK_VDSO, is_vdso_file) ||
	       paths_ask_name(run, node, ASK_CLOCK, is_clock_of_library) ||
	       paths_is_c_function(run, node, names,
				   sizeof(names) / sizeof(*names));
}

const char *paths_function(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];
	const char *name = str_at(&run->strings, n->function);

	if (n->kind == RUN_ROOT || !*name)
		return "(no call path)";
	return name;
}

static bool is_interpreted(const struct paths *paths, uint32_t path)
{
	return interpreter_owns(paths->run, paths->at[path].node);
}

/* Two frames of the interpreter, or of a module of it that has no names. */
static bool is_one_frame(const struct paths *paths, uint32_t a, uint32_t b)
{
	const struct run *run = paths->run;
	uint32_t x = paths->at[a].node, y = paths->at[b].node;

	if (interpreter_owns(run, x) && interpreter_owns(run, y))
		return true;
	return interpreter_is_unnamed(run, x) &&
	       interpreter_is_unnamed(run, y) &&
	       run->nodes[x].module == run->nodes[y].module;
}

/* Above what the interpreter called are only parts of it again. */
static bool is_for_interpreter(const struct paths *paths, uint32_t called,
			       uint32_t above)
{
	return is_interpreted(paths, called) &&
	       interpreter_is_unnamed(paths->run, paths->at[above].node);
}

/* A function that calls itself, or one of its module that has no name. */
static bool is_repeated_call(const struct paths *paths, uint32_t called,
			     uint32_t above)
{
	const struct run_node *x = &paths->run->nodes[paths->at[called].node];
	const struct run_node *y = &paths->run->nodes[paths->at[above].node];

	if (x->kind != RUN_FUNCTION || y->kind != RUN_FUNCTION ||
	    x->module != y->module)
		return false;
	return x->function == y->function || (y->flags & RUN_UNNAMED);
}

static bool is_shared_file(const char *module)
{
	return strstr(str_base(module), ".so");
}

static bool is_of_cudart(const char *name)
{
	static const char cudart[] = "libcudart_static_";

	return !strncmp(name, cudart, sizeof(cudart) - 1);
}

/* A function inside a library that tells nobody how it is called. */
bool paths_is_nameless(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	if (n->kind != RUN_FUNCTION || interpreter_owns(run, node) ||
	    interpreter_is_unnamed(run, node))
		return false;
	return paths_ask_name(run, node, ASK_CUDART, is_of_cudart) ||
	       ((n->flags & RUN_UNNAMED) &&
		paths_ask_module(run, node, ASK_SHARED_FILE, is_shared_file));
}

/* What the path is in, that has a name; the path itself where nothing has. */
static uint32_t nearest_named(const struct paths *paths, uint32_t path)
{
	uint32_t named = path;

	while (named && paths_is_nameless(paths->run, paths->at[named].node))
		named = paths->at[named].parent;
	return named ? named : path;
}

/* Says a sentence no more with the frame above? */
static bool adds_nothing(const struct paths *paths, uint32_t called,
			 uint32_t above)
{
	return is_one_frame(paths, called, above) ||
	       paths_is_nameless(paths->run, paths->at[above].node) ||
	       is_for_interpreter(paths, called, above) ||
	       is_repeated_call(paths, called, above) ||
	       !(is_interpreted(paths, above) ||
		 paths_is_own(paths->run, paths->at[above].node)) ||
	       paths_own(paths, above) != above;
}

uint32_t paths_looker(const struct paths *paths, uint32_t path)
{
	uint32_t looker = path;

	for (uint32_t p = path; p; p = paths->at[p].parent)
		if (paths_is_clock(paths->run, paths->at[p].node))
			looker = paths->at[p].parent;
	return looker ? looker : path; /* none is known */
}

uint32_t paths_said(const struct paths *paths, uint32_t path)
{
	uint32_t said = paths_own(paths, paths_looker(paths, path));

	while (is_one_frame(paths, said, paths->at[said].parent))
		said = paths->at[said].parent;
	return said;
}

/* How a path is put into words. */
struct wording {
	unsigned int frames;
	bool brief;   /* as in a sentence */
	bool folded;  /* the interpreter's frames are one */
	bool readers; /* how kernels are launched says nothing */
	bool lines;   /* of MPI calls */
	/* Of a launch from Python, or PyTorch: only these, and what of Python
	   is above; 0: none. */
	uint32_t aten, python;
};

#define OPERATOR "at::_ops::" /* PyTorch's dispatcher: …addmm::call() */
#define BACKWARD "torch::autograd::generated::" /* …AddmmBackward0::apply() */

/* What the name has behind that, NULL: it does not begin so. */
static const char *name_behind(const struct paths *paths, uint32_t path,
			       const char *begin)
{
	const char *name = paths_function(paths->run, paths->at[path].node);
	size_t length = strlen(begin);

	return strncmp(name, begin, length) ? NULL : name + length;
}

/* A kernel of PyTorch has 60 frames of C++ above it: one says what it is. */
static void choose_launch(struct wording *how, const struct paths *paths,
			  uint32_t path)
{
	enum run_kind kind = paths->run->nodes[paths->at[path].node].kind;

	if (kind != RUN_KERNEL && kind != RUN_GPU_CALL)
		return;
	how->python = python_caller(paths, path);
	for (uint32_t p = path; p > how->python && !how->aten;
	     p = paths->at[p].parent)
		how->aten = name_behind(paths, p, OPERATOR) ? p : 0;
}

static bool says_launch(const struct paths *paths, uint32_t path,
			const struct wording *how)
{
	const struct run *run = paths->run;
	uint32_t node = paths->at[path].node;
	enum run_kind kind = run->nodes[node].kind;

	if (path == how->aten || path == how->python || kind == RUN_PHASE ||
	    kind == RUN_KERNEL)
		return true;
	if (name_behind(paths, path, BACKWARD))
		return !how->python;
	return kind == RUN_FUNCTION && !interpreter_owns(run, node) &&
	       paths_is_own(run, node) && !python_has_installed(run, node) &&
	       (path > how->python || python_owns(run, node));
}

static bool path_is_mpi(const struct paths *paths, uint32_t path)
{
	return paths->run->nodes[paths->at[path].node].kind == RUN_MPI;
}

static bool is_launched(const struct paths *paths, uint32_t path)
{
	const struct run_node *n = &paths->run->nodes[paths->at[path].node];

	return n->kind == RUN_KERNEL &&
	       *str_at(&paths->run->strings, n->function) != '[';
}

/* The call of CUDA that launches, and what nvcc puts around that. */
static bool is_launch(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return run->nodes[node].kind == RUN_GPU_CALL ||
	       strstr(name, "cudaLaunchKernel") ||
	       strstr(name, "__device_stub_");
}

/* Nor does the function of its name that nvcc makes for the host. */
static uint32_t launcher_of(const struct paths *paths, uint32_t kernel)
{
	const struct run_node *nodes = paths->run->nodes;
	uint32_t above = paths->at[kernel].parent;

	while (above && is_launch(paths->run, paths->at[above].node))
		above = paths->at[above].parent;
	if (above && nodes[paths->at[above].node].function ==
			     nodes[paths->at[kernel].node].function)
		above = paths->at[above].parent;
	return above;
}

/* The caller's path, as the wording has it. */
static uint32_t next_frame(const struct paths *paths, uint32_t path,
			   const struct wording *how)
{
	uint32_t above = paths->at[path].parent;

	if (how->readers && is_launched(paths, path))
		above = launcher_of(paths, path);
	while (above &&
	       ((how->readers && (python_is_wrapper(paths, above) ||
				  paths_within_format(paths, above))) ||
		(how->folded && adds_nothing(paths, path, above))))
		above = paths->at[above].parent;
	while (above && (how->aten || how->python) &&
	       !says_launch(paths, above, how))
		above = paths->at[above].parent;
	return above;
}

/* "aten::addmm" of its dispatcher's function, "AddmmBackward0"; or NULL. */
static char *torch_words(const struct paths *paths, uint32_t path)
{
	const char *aten = name_behind(paths, path, OPERATOR);
	const char *name = aten ? aten : name_behind(paths, path, BACKWARD);

	if (!name)
		return NULL;
	return str_format("%s%.*s", aten ? "aten::" : "",
			  (int)strcspn(name, ":("), name);
}

/* "mpi4py.MPI", and in a table "mpi4py.MPI+0x8c89d"; to be freed, or NULL. */
static char *unnamed_frame(const struct paths *paths, uint32_t node,
			   const struct wording *how)
{
	char *module = interpreter_module(paths->run, node), *text;
	const char *at = strrchr(paths_function(paths->run, node), '+');

	if (how->folded || !module || !at)
		return module;
	text = str_format("%s%s", module, at);
	free(module);
	return text;
}

/* What a program calls a part of it stays as it is. */
static bool is_program_word(const struct run_node *n)
{
	return n->kind == RUN_PHASE ||
	       (n->kind == RUN_KERNEL && n->detail == RUN_PROGRAM_WORD);
}

/* To be freed; NULL: out of memory. */
static char *frame_words(const struct paths *paths, uint32_t path,
			 const struct wording *how)
{
	uint32_t node = paths->at[path].node;
	const char *name = paths_function(paths->run, node);
	char *text = NULL;

	if (!how->brief || is_program_word(&paths->run->nodes[node]))
		return strdup(name);
	if (how->aten)
		text = torch_words(paths, path);
	if (text)
		return text;
	if (how->folded && is_interpreted(paths, path))
		return strdup(INTERPRETER);
	if (interpreter_is_unnamed(paths->run, node))
		return unnamed_frame(paths, node, how);
	if (paths_in_c_or_math(paths->run, node))
		return brief_c_name(name);
	return brief_name(name);
}

/* A caller of Python's has the line of its call, if it is one. */
static bool put_python_line(FILE *to, const struct paths *paths, uint32_t path,
			    uint32_t called)
{
	const struct run_node *n;
	char *place;

	if (!called || !python_owns(paths->run, paths->at[path].node))
		return true;
	while (paths->at[called].parent != path)
		called = paths->at[called].parent;
	n = &paths->run->nodes[paths->at[called].node];
	if (!n->line || !paths->at[called].one_line)
		return true;
	place = paths_place(paths->run, n->file, n->line);
	if (place)
		fprintf(to, "%s ", place);
	free(place);
	return place;
}

/*
 * *before: the words of the frame before, NULL: none; then those of this.
 * `called`: that frame; 0: none.
 */
static bool put_frame(FILE *to, char **before, const struct paths *paths,
		      uint32_t path, uint32_t called, const struct wording *how)
{
	char *words = frame_words(paths, path, how);
	const char *shown = words;

	if (words && *before && how->folded)
		shown = brief_beside(words, *before);
	if (*before)
		fputs(PATHS_ARROW, to);
	if (how->readers && !put_python_line(to, paths, path, called))
		shown = NULL;
	if (shown)
		fputs(shown, to);
	free(*before);
	*before = words;
	return shown;
}

/* Behind the caller of MPI: where that is. */
static bool put_line(FILE *to, const struct paths *paths, uint32_t called)
{
	const struct run_node *n = &paths->run->nodes[paths->at[called].node];
	char *place = paths_place(paths->run, n->file, n->line);

	if (n->line && place)
		fprintf(to, " (%s)", place);
	free(place);
	return place || !n->line;
}

/* The frames, the innermost first; false: out of memory. */
static bool put_path_words(FILE *to, const struct paths *paths, uint32_t path,
			   const struct wording *how)
{
	char *words = NULL;
	bool ok;

	if (how->folded)
		path = nearest_named(paths, path);
	ok = put_frame(to, &words, paths, path, 0, how);
	for (unsigned int i = 1; ok && i < how->frames; i++) {
		uint32_t called = path;

		path = next_frame(paths, path, how);
		if (!path)
			break;
		ok = put_frame(to, &words, paths, path, called, how);
		if (ok && how->lines && path_is_mpi(paths, called) &&
		    !python_owns(paths->run, paths->at[path].node))
			ok = put_line(to, paths, called);
	}
	free(words);
	return ok;
}

static char *path_in_words(const struct paths *paths, uint32_t path,
			   const struct wording *how)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok = to && put_path_words(to, paths, path, how);

	if (to)
		fclose(to);
	if (ok)
		return text;
	free(text);
	return NULL;
}

static const struct wording sentence = { .brief = true,
					 .folded = true,
					 .readers = true };

uint32_t paths_caller(const struct paths *paths, uint32_t path)
{
	return next_frame(paths, path, &sentence);
}

char *paths_text(const struct paths *paths, uint32_t path)
{
	return path_in_words(paths, path, &(struct wording){ UINT_MAX });
}

char *paths_short(const struct paths *paths, uint32_t path, unsigned frames)
{
	return path_in_words(
		paths, path,
		&(struct wording){ frames, true, true, true, false });
}

char *paths_mostly_text(const struct paths *paths, uint32_t path,
			uint32_t mostly)
{
	uint32_t first = mostly;
	char *begin, *end, *both = NULL;

	while (paths->at[first].parent && paths->at[first].parent != path)
		first = paths->at[first].parent;
	begin = paths_short(paths, first, 1);
	end = paths_short(paths, mostly, 1);
	if (begin && end && strcmp(begin, end) != 0)
		both = str_format("%s › %s", begin, end);
	else if (begin && end)
		both = strdup(end);
	free(begin);
	free(end);
	return both;
}

char *paths_short_mostly(const struct paths *paths, uint32_t path,
			 unsigned frames, uint32_t mostly)
{
	char *text = paths_short(paths, path, frames), *called, *both;

	if (!text || !mostly)
		return text;
	called = paths_mostly_text(paths, path, mostly);
	both = called ? str_format("%s, mostly %s", text, called) : NULL;
	free(called);
	free(text);
	return both;
}

char *paths_brief(const struct paths *paths, uint32_t path)
{
	struct wording how = { .frames = UINT_MAX,
			       .brief = true,
			       .readers = true };

	choose_launch(&how, paths, path);
	return path_in_words(paths, path, &how);
}

/*
 * How many frames two paths have in common from the innermost on; UINT_MAX:
 * all, and they differ in the lines of calls alone.
 */
static unsigned int common_frames(const struct paths *paths, uint32_t a,
				  uint32_t b)
{
	const struct run_node *nodes = paths->run->nodes;
	unsigned int common = 0;

	for (; a && b &&
	       nodes[paths->at[a].node].function ==
		       nodes[paths->at[b].node].function;
	     a = paths->at[a].parent, b = paths->at[b].parent)
		common++;
	return a || b ? common : UINT_MAX;
}

static uint32_t frame_number(const struct paths *paths, uint32_t path,
			     unsigned int number)
{
	while (number-- && path)
		path = paths->at[path].parent;
	return path;
}

/* How many of the frames that are said come before `end`, a caller. */
static unsigned int frames_within(const struct paths *paths, uint32_t path,
				  uint32_t end, const struct wording *how)
{
	unsigned int count = 0;

	for (; path > end && count < how->frames; count++)
		path = next_frame(paths, path, how);
	return count;
}

char *paths_apart(const struct paths *paths, uint32_t path, unsigned frames,
		  const uint32_t *others, size_t count)
{
	struct wording how = { frames, true, true, true, false };
	char *text, *more, *name;
	uint32_t further = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int common = common_frames(paths, path, others[i]);

		how.lines |= common == UINT_MAX && path != others[i];
		if (common != UINT_MAX && common >= frames)
			further = frame_number(paths, path, common);
	}
	if (further)
		how.frames = frames_within(paths, path, further, &how);
	text = path_in_words(paths, path, &how);
	if (!further || !text)
		return text;
	name = paths_short(paths, further, 1);
	more = name ? str_format("%s" PATHS_ARROW "…" PATHS_ARROW "%s", text,
				 name)
		    : NULL;
	free(name);
	free(text);
	return more;
}

char *paths_place(const struct run *run, uint32_t file, uint32_t line)
{
	const char *name = str_base(str_at(&run->strings, file));

	if (!*name)
		return NULL;
	return line ? str_format("%s:%u", name, line) : strdup(name);
}

void paths_cell(struct report *report, const struct paths *paths, uint32_t path)
{
	struct wording how = { .frames = UINT_MAX,
			       .readers = true,
			       .lines = true };
	char *text = paths_text(paths, path), *said, *apart;

	said = paths_brief(paths, path);
	apart = path_in_words(paths, path, &how);
	report_path(report, text, said, apart);
	report->failed |= !text || !said || !apart;
	free(text);
	free(said);
	free(apart);
}
