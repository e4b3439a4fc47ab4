/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbolize.c - the unified tree by address becomes the run's tree by name.
 *
 * An address becomes the functions that are inlined there; addresses of one
 * function become one node.  Children are sorted by what they are, never by
 * the order in which the files came, and nodes are in depth-first order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "run/run-build.h"
#include "merge/openmp.h"
#include "merge/unify-tree.h"

enum {
	SECTION = 256 /* bytes of a critical section's name */
};

/* What a context is, and where in its caller. */
struct what {
	uint32_t function, module; /* strings of the tree */
	uint16_t kind, flags;
	uint32_t detail;
};

struct source_place { /* number 0: not known */
	uint32_t file, line;
};

struct named {
	uint32_t parent, what, place;
};

/* Where an address led to. */
struct spot {
	uint32_t node;  /* innermost function */
	uint32_t place; /* in it */
};

struct naming {
	struct unify *u;
	struct symbol_module *modules; /* as in u */
	uint64_t *addresses;           /* of all modules */
	uint32_t **strings;            /* a module's strings in u's */
	struct what *whats;
	struct source_place *places;
	struct named *nodes;
	size_t what_count, what_room, place_count, place_room, node_count,
		node_room;
	struct map what_map, place_map, node_map;
	struct spot *spots;   /* of address nodes */
	uint32_t *leaves;     /* node that gets an address node's values */
	uint32_t *text_order; /* of u's strings */
	uint32_t *children, *first_child; /* sorted; node_count + 1 */
	uint32_t *number;                 /* of a node, in the run */
	uint32_t *became;                 /* that of an address node's leaf */
	uint32_t *openmp;        /* openmp_frame() of an address node */
	bool has_regions;        /* the runtimes' regions are told */
	enum openmp_code *codes; /* of modules */
};

static void naming_fini(struct naming *n)
{
	for (size_t i = 0; n->modules && i < n->u->module_count; i++)
		symbol_module_fini(&n->modules[i]);
	for (size_t i = 0; n->strings && i < n->u->module_count; i++)
		free(n->strings[i]);
	free(n->modules);
	free(n->addresses);
	free(n->strings);
	free(n->whats);
	free(n->places);
	free(n->nodes);
	free(n->spots);
	free(n->leaves);
	free(n->text_order);
	free(n->children);
	free(n->first_child);
	free(n->number);
	free(n->became);
	free(n->openmp);
	free(n->codes);
	map_fini(&n->what_map);
	map_fini(&n->place_map);
	map_fini(&n->node_map);
}

/*
 * Finding the names.
 */

/* A call returns behind itself, maybe to another line or function. */
static uint64_t code_address(const struct address_node *node)
{
	if (node->kind == NODE_LOCK)
		return LIVE_LOCK_OFFSET(node->offset);
	if (node->kind == NODE_REGION)
		return node->offset & ~(LIVE_REGION_TASK | LIVE_REGION_CALL);
	return node->kind == NODE_CALL ? node->offset - 1 : node->offset;
}

static bool has_code(const struct address_node *node)
{
	return node_infos[node->kind].owner == OWNER_MODULE;
}

static bool is_region(const struct naming *n, uint32_t index)
{
	return n->u->nodes[index].kind == NODE_REGION;
}

ORDER_BY(by_address_value, uint64_t, ORDER(*a, *b))

static size_t sort_distinct(uint64_t *at, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(at, count, sizeof(*at), by_address_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || at[kept - 1] != at[i])
			at[kept++] = at[i];
	return kept;
}

/* All distinct addresses, module by module. */
static int list_addresses(struct naming *n)
{
	const struct unify *u = n->u;
	uint64_t *next;

	n->modules = calloc(u->module_count + 1, sizeof(*n->modules));
	n->codes = calloc(u->module_count + 1, sizeof(*n->codes));
	n->addresses = calloc(u->node_count, sizeof(*n->addresses));
	if (!n->modules || !n->codes || !n->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < u->node_count; i++)
		if (has_code(&u->nodes[i]))
			n->modules[u->nodes[i].owner].count++;
	next = n->addresses;
	for (size_t i = 0; i < u->module_count; i++) {
		struct symbol_module *m = &n->modules[i];

		m->path = str_at(&u->strings, u->modules[i].path);
		n->codes[i] = openmp_code(m->path);
		m->build_id = str_at(&u->strings, u->modules[i].build_id);
		m->addresses = next;
		next += m->count;
		m->count = 0;
	}
	for (size_t i = 0; i < u->node_count; i++) {
		const struct address_node *node = &u->nodes[i];
		struct symbol_module *m;

		if (!has_code(node))
			continue;
		m = &n->modules[node->owner];
		n->addresses[m->addresses - n->addresses + m->count++] =
			code_address(node);
	}
	for (size_t i = 0; i < u->module_count; i++) {
		struct symbol_module *m = &n->modules[i];

		m->count = sort_distinct(
			&n->addresses[m->addresses - n->addresses], m->count);
	}
	return 0;
}

static int adopt_strings(struct naming *n)
{
	struct unify *u = n->u;

	n->strings = calloc(u->module_count + 1, sizeof(*n->strings));
	if (!n->strings)
		return -ENOMEM;
	for (size_t i = 0; i < u->module_count; i++) {
		const struct strings *from = &n->modules[i].strings;
		uint32_t *to = calloc(from->count + 1, sizeof(*to));

		n->strings[i] = to;
		if (!to)
			return -ENOMEM;
		for (uint32_t s = 0; s < from->count; s++) {
			to[s] = str_add(&u->strings, from->at[s]);
			if (to[s] == STR_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

static int find_names(struct naming *n, struct run *run,
		      const struct symbol_progress *progress)
{
	int err = list_addresses(n);

	if (!err)
		err = symbols_find(n->modules, n->u->module_count, progress);
	if (!err)
		err = adopt_strings(n);
	for (size_t i = 0; i < n->u->module_count && !err; i++)
		if (n->modules[i].problem && n->modules[i].count)
			err = run_problem(run, n->modules[i].path,
					  n->modules[i].problem);
	return err;
}

/*
 * The tree by name.
 */

static uint32_t find_what(struct naming *n, const struct what *what)
{
	uint32_t index;

	if (!ARRAY_GROW(n->whats, n->what_count, n->what_room))
		return MAP_NONE;
	index = map_put(&n->what_map,
			(uint64_t)what->function << 32 | what->module,
			(uint64_t)what->kind << 48 |
				(uint64_t)what->flags << 32 | what->detail,
			(uint32_t)n->what_count);
	if (index == n->what_count)
		n->whats[n->what_count++] = *what;
	return index;
}

static uint32_t find_source_place(struct naming *n, uint32_t file,
				  uint32_t line)
{
	uint32_t index;

	if (!ARRAY_GROW(n->places, n->place_count, n->place_room))
		return MAP_NONE;
	index = map_put(&n->place_map, file, line, (uint32_t)n->place_count);
	if (index == n->place_count)
		n->places[n->place_count++] =
			(struct source_place){ file, line };
	return index;
}

/* The child of `parent` that is `what`, called at `place`; or MAP_NONE. */
static uint32_t find_named(struct naming *n, uint32_t parent,
			   const struct what *what, uint32_t place)
{
	uint32_t index, kind = find_what(n, what);

	if (kind == MAP_NONE || place == MAP_NONE)
		return MAP_NONE;
	if (!ARRAY_GROW(n->nodes, n->node_count, n->node_room))
		return MAP_NONE;
	index = map_put(&n->node_map, (uint64_t)parent << 32 | kind, place,
			(uint32_t)n->node_count);
	if (index == n->node_count)
		n->nodes[n->node_count++] =
			(struct named){ parent, kind, place };
	return index;
}

static size_t address_index(const struct symbol_module *m, uint64_t address)
{
	const uint64_t *at = bsearch(&address, m->addresses, m->count,
				     sizeof(address), by_address_value);

	return (size_t)(at - m->addresses); /* every address was listed */
}

/* A function or a loop below the spot. */
static int name_frame(struct naming *n, const uint32_t *strings,
		      uint32_t module, const struct symbol_frame *frame,
		      struct spot *spot)
{
	struct what what = { .kind = RUN_FUNCTION,
			     .function = strings[frame->function],
			     .module = module };
	uint32_t place = frame->line
				 ? find_source_place(n, strings[frame->file],
						     frame->line)
				 : 0;

	if (frame->flags & SYMBOL_INLINED)
		what.flags |= RUN_INLINED;
	if (frame->flags & SYMBOL_UNNAMED)
		what.flags |= RUN_UNNAMED;
	if (frame->flags & SYMBOL_LOOP) { /* its function's place stays */
		what.kind = RUN_LOOP;
		what.detail = frame->last;
		spot->node = find_named(n, spot->node, &what, place);
	} else {
		spot->node = find_named(n, spot->node, &what, spot->place);
		spot->place = place;
	}
	return spot->node == MAP_NONE || place == MAP_NONE ? -ENOMEM : 0;
}

/* The functions at an address, outermost last; what they are called. */
struct frames_at {
	const struct symbol_frame *first, *last; /* last < first: none */
	const uint32_t *strings;
};

static struct frames_at frames_at(const struct naming *n,
				  const struct address_node *of)
{
	const struct symbol_module *m = &n->modules[of->owner];
	size_t at = address_index(m, code_address(of));

	return (struct frames_at){ &m->frames[m->first[at]],
				   &m->frames[m->first[at + 1]] - 1,
				   n->strings[of->owner] };
}

/* "WHAT NAME solver.c:120", without what is not known, as a string of ours. */
static uint32_t text_in_brackets(struct naming *n, const char *what,
				 const char *name, const char *file,
				 uint32_t line)
{
	const char *space = *name ? " " : "";
	char *text = line ? str_format("[%s%s%s %s:%u]", what, space, name,
				       str_base(file), line)
			  : str_format("[%s%s%s]", what, space, name);
	uint32_t found = text ? str_add(&n->u->strings, text) : STR_NONE;

	free(text);
	return found;
}

/* Did the compiler make it, of the code of a region? */
static bool is_outlined(const struct naming *n, uint32_t module,
			const struct symbol_frame *frame)
{
	const char *name =
		str_at(&n->u->strings, n->strings[module][frame->function]);

	return strstr(name, " [parallel") || strstr(name, "omp_outlined") ||
	       strstr(name, "omp_task_entry") || strstr(name, "omp_par");
}

/*
 * The function that its threads call, else the line of the call that began it;
 * NULL: not known, or the runtime's, which is called last in such a function.
 */
static const struct symbol_frame *frame_of_region(const struct naming *n,
						  const struct address_node *of)
{
	struct frames_at at = frames_at(n, of);

	if (at.last < at.first || n->codes[of->owner] == OPENMP_RUNTIME)
		return NULL;
	return is_outlined(n, of->owner, at.last) &&
			       !(of->offset & LIVE_REGION_CALL)
		       ? at.last
		       : at.first;
}

/*
 * Is it a function of the region that the address stands directly below?  clang
 * makes two, of which one only calls the other, which has the debugger's view.
 */
static bool is_of_region(const struct naming *n,
			 const struct address_node *node,
			 const struct symbol_frame *frame)
{
	return !(frame->flags & SYMBOL_LOOP) &&
	       is_outlined(n, node->owner, frame) &&
	       (is_region(n, n->openmp[node->parent]) ||
		strstr(str_at(&n->u->strings,
			      n->strings[node->owner][frame->function]),
		       "_debug__"));
}

/* The functions at an address, outermost first, below the caller's spot. */
static int name_code(struct naming *n, const struct address_node *node,
		     struct spot *spot)
{
	const struct symbol_module *m = &n->modules[node->owner];
	const uint32_t *strings = n->strings[node->owner];
	size_t at = address_index(m, code_address(node));
	uint32_t f = m->first[at + 1];
	int err = 0;

	/* A region has the name of its place, and needs no other. */
	while (f > m->first[at] && is_of_region(n, node, &m->frames[f - 1])) {
		f--;
		spot->place = find_source_place(n, strings[m->frames[f].file],
						m->frames[f].line);
		err = spot->place == MAP_NONE ? -ENOMEM : 0;
	}
	while (f-- > m->first[at] && !err)
		err = name_frame(n, strings, n->u->modules[node->owner].path,
				 &m->frames[f], spot);
	return err;
}

/* By enum live_name_class, the numbers in profiles. */
static const uint16_t kind_of_class[] = {
	RUN_MPI,        RUN_PHASE, RUN_KERNEL,   RUN_GPU_CALL, RUN_GPU_ERROR,
	RUN_GPU_MEMORY, RUN_LINE,  RUN_FUNCTION, RUN_IO
};

/* Kernels are called as the compiler calls them. */
static uint32_t readable_text(struct naming *n, uint32_t text)
{
	char *name = symbol_readable(str_at(&n->u->strings, text));
	uint32_t found = name ? str_add(&n->u->strings, name) : STR_NONE;

	free(name);
	return found;
}

/* The innermost phase's that is a kernel of a programming model; or NULL. */
static const struct address_name *label_of_kernel(const struct naming *n,
						  const struct address_node *of)
{
	const struct unify *u = n->u;

	for (uint32_t p = of->parent; p; p = u->nodes[p].parent) {
		const struct address_node *at = &u->nodes[p];

		if (at->kind == NODE_NAMED &&
		    u->names[at->owner].class == LIVE_NAME_PHASE)
			return u->names[at->owner].detail == LIVE_PHASE_KERNEL
				       ? &u->names[at->owner]
				       : NULL;
	}
	return NULL;
}

/* Of a copy that is left out: it is one, whoever called for it. */
static void describe_kernel(struct naming *n, const struct address_node *node,
			    struct what *what)
{
	const struct address_name *label = label_of_kernel(n, node);

	if (label && *str_at(&n->u->strings, what->function) != '[') {
		what->function = label->text;
		what->detail = RUN_PROGRAM_WORD;
	} else {
		what->function = readable_text(n, what->function);
	}
}

static void describe_address(struct naming *n, const struct address_node *node,
			     struct what *what)
{
	const struct address_name *name;

	switch (node->kind) {
	case NODE_NAMED:
		name = &n->u->names[node->owner];
		what->kind = RUN_PHASE;
		if (name->class <
		    sizeof(kind_of_class) / sizeof(*kind_of_class))
			what->kind = kind_of_class[name->class];
		what->function = name->text;
		what->detail = what->kind == RUN_PHASE ? 0 : name->detail;
		if (what->kind == RUN_KERNEL)
			describe_kernel(n, node, what);
		break;
	case NODE_PARTIAL:
		what->kind = RUN_PARTIAL;
		what->function = node->owner;
		break;
	default: /* its addresses differ in every process */
		what->kind = RUN_FUNCTION;
		what->flags = RUN_UNNAMED;
		what->function = str_add(&n->u->strings, "[no module]");
	}
}

static bool is_line(const struct naming *n, const struct address_node *node)
{
	return node->kind == NODE_NAMED &&
	       n->u->names[node->owner].class == LIVE_NAME_GPU_LINE;
}

/* A line of a kernel is a child of it, as those of functions are. */
static int name_line(struct naming *n, const struct address_node *node,
		     struct spot *spot)
{
	const struct address_name *name = &n->u->names[node->owner];
	struct what what = n->whats[n->nodes[spot->node].what];

	what.kind = RUN_LINE;
	what.detail = 0;
	spot->node = find_named(n, spot->node, &what,
				find_source_place(n, name->text, name->detail));
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

/*
 * What Python does to import a module, ten functions each time, is one frame:
 * as Python itself shows it.
 */
static bool is_import(const char *file)
{
	return !strncmp(file, "<frozen importlib.",
			strlen("<frozen importlib."));
}

static int name_import(struct naming *n, struct spot *spot)
{
	struct what what = { .kind = RUN_FUNCTION, .flags = RUN_PYTHON };
	const struct what *above = &n->whats[n->nodes[spot->node].what];

	what.function = str_add(&n->u->strings, "[import]");
	what.module = str_add(&n->u->strings, "<frozen importlib>");
	if (what.function == STR_NONE || what.module == STR_NONE)
		return -ENOMEM;
	if (above->function != what.function || above->module != what.module)
		spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

/* A function of Python: its module is its file. */
static int name_python(struct naming *n, const struct address_node *node,
		       struct spot *spot)
{
	const struct address_name *name = &n->u->names[node->owner];
	struct what what = { .kind = RUN_FUNCTION,
			     .flags = RUN_PYTHON,
			     .function = name->text,
			     .module = name->file };
	uint32_t line = (uint32_t)node->offset;

	if (is_import(str_at(&n->u->strings, name->file)))
		return name_import(n, spot);
	spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = line ? find_source_place(n, name->file, line) : 0;
	return spot->node == MAP_NONE || spot->place == MAP_NONE ? -ENOMEM : 0;
}

/* "[parallel solver.c:120]"; without a line the function's name. */
static uint32_t text_of_region(struct naming *n, const struct address_node *of)
{
	const struct symbol_frame *f = frame_of_region(n, of);
	const uint32_t *strings = n->strings[of->owner];
	const char *what = of->offset & LIVE_REGION_TASK ? "task" : "parallel";

	if (!f)
		return text_in_brackets(n, what, "", "", 0);
	if (!f->line)
		return text_in_brackets(
			n, what, str_at(&n->u->strings, strings[f->function]),
			"", 0);
	return text_in_brackets(
		n, what, "", str_at(&n->u->strings, strings[f->file]), f->line);
}

/* "smooth" of "smooth [parallel]": whose code it is; to be freed. */
static char *source_function(const struct naming *n, uint32_t module,
			     const struct symbol_frame *frame)
{
	const char *name =
		str_at(&n->u->strings, n->strings[module][frame->function]);
	const char *end = strstr(name, " [parallel");

	return end ? strndup(name, (size_t)(end - name)) : strdup(name);
}

/* Compilers differ in what stands around a name: "sim::", "<int>", ".0". */
static bool is_one_name(const char *a, const char *b)
{
	const char *x = strrchr(a, ':'), *y = strrchr(b, ':');
	size_t size;

	x = x ? x + 1 : a;
	y = y ? y + 1 : b;
	size = strcspn(x, "(<.");
	return size == strcspn(y, "(<.") && !strncmp(x, y, size);
}

/* Of a procedure in a procedure of Fortran's the symbol is "inner.0". */
static bool is_source_function(const char *name, const char *symbol)
{
	return !strcmp(name, symbol) ||
	       (strchr(symbol, '.') && is_one_name(name, symbol));
}

/*
 * Where the code that begins a region is, which is of `function`.  The compiler
 * may give the call to what was inlined beside that, or to what that was
 * inlined into, `caller`, which alone is sure.
 */
static int find_beginner(struct naming *n, const struct address_node *of,
			 const char *function, const char *caller,
			 struct spot *spot)
{
	struct what what = { .kind = RUN_FUNCTION,
			     .flags = RUN_INLINED,
			     .function = str_add(&n->u->strings, function),
			     .module = n->u->modules[of->owner].path };
	uint32_t at = spot->node, place = spot->place, outer = spot->node;

	for (;; at = n->nodes[at].parent) {
		const struct what *is = &n->whats[n->nodes[at].what];

		if (is->kind == RUN_FUNCTION &&
		    is_source_function(str_at(&n->u->strings, is->function),
				       function)) {
			*spot = (struct spot){ at, place };
			return 0;
		}
		if (is->kind == RUN_FUNCTION && is->flags & RUN_INLINED) {
			outer = n->nodes[at].parent;
			place = n->nodes[at].place;
		} else if (is->kind != RUN_LOOP) {
			break;
		}
	}
	if (!is_one_name(function, caller))
		outer = find_named(n, outer, &what, 0);
	else if (outer == spot->node)
		return 0;
	*spot = (struct spot){ outer, 0 };
	return what.function == STR_NONE || outer == MAP_NONE ? -ENOMEM : 0;
}

/* The symbol of a region's code is right; gfortran's main program has two. */
static int place_region(struct naming *n, const struct address_node *node,
			struct spot *spot)
{
	const struct address_node *above = &n->u->nodes[node->parent];
	const struct symbol_frame *f = frame_of_region(n, node);
	struct frames_at call;
	char *function, *caller;
	int err = 0;

	if (!f || !is_outlined(n, node->owner, f) || !has_code(above))
		return 0;
	call = frames_at(n, above);
	if (call.last < call.first)
		return 0;
	function = source_function(n, node->owner, f);
	caller = source_function(n, above->owner, call.last);
	if (!function || !caller)
		err = -ENOMEM;
	else if (strcmp(function, "MAIN__") != 0)
		err = find_beginner(n, node, function, caller, spot);
	free(function);
	free(caller);
	return err;
}

static int name_region(struct naming *n, const struct address_node *node,
		       struct spot *spot)
{
	struct what what = { .kind = RUN_PARALLEL,
			     .function = text_of_region(n, node),
			     .module = n->u->modules[node->owner].path };

	if (what.function == STR_NONE || place_region(n, node, spot))
		return -ENOMEM;
	spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

/* The word of a critical section: ".gomp_critical_user_NAME", clang's ".var".
 */
static void name_of_section(char to[SECTION], const char *name)
{
	static const char begins[] = "gomp_critical_user_";
	const char *is = strstr(name, begins);

	is = is ? is + sizeof(begins) - 1 : name;
	snprintf(to, SECTION, "%.*s",
		 (int)(is == name ? strlen(is) : strcspn(is, ".")), is);
}

/*
 * "[mutex queue_lock]", "[mutex of put queue.c:31]": the function itself, not
 * what was inlined into it, has the name that is known.
 */
static uint32_t text_of_lock(struct naming *n, const struct address_node *of)
{
	struct frames_at at = frames_at(n, of);
	const struct symbol_frame *f = at.last;
	const struct strings *texts = &n->u->strings;
	uint64_t kind = LIVE_LOCK_KIND(of->offset);
	const char *name = str_at(texts, at.strings[f->function]);
	const char *what = kind < LOCK_KINDS ? lock_names[kind] : "lock";
	char section[SECTION];

	if (!(of->offset & LIVE_LOCK_DYNAMIC)) {
		name_of_section(section, name);
		return text_in_brackets(n, what, section, "", 0);
	}
	snprintf(section, sizeof(section), "%s of", what);
	return text_in_brackets(n, section, name,
				str_at(texts, at.strings[f->file]), f->line);
}

static int name_lock(struct naming *n, const struct address_node *node,
		     struct spot *spot)
{
	struct what what = { .kind = RUN_LOCK,
			     .detail = (uint32_t)LIVE_LOCK_KIND(node->offset),
			     .function = text_of_lock(n, node),
			     .module = n->u->modules[node->owner].path };

	if (what.function == STR_NONE)
		return -ENOMEM;
	spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

/* Who calls that spins until others have done something. */
static bool is_yield(const struct naming *n, const struct address_node *node)
{
	static const char yield[] = "sched_yield"; /* and "__GI_sched_yield" */
	struct frames_at at = frames_at(n, node);
	const char *name, *is;

	if (n->codes[node->owner] != OPENMP_SYSTEM || at.last < at.first)
		return false;
	name = str_at(&n->u->strings, at.strings[at.last->function]);
	is = strstr(name, yield);
	return is && !is[sizeof(yield) - 1] && (is == name || is[-1] == '_');
}

static int name_yield(struct naming *n, const struct address_node *node,
		      struct spot *spot)
{
	struct what what = { .kind = RUN_LOCK,
			     .detail = RUN_LOCK_YIELDS,
			     .module = n->u->modules[node->owner].path };

	what.function = str_add(&n->u->strings, "[spinning, sched_yield]");
	if (what.function == STR_NONE)
		return -ENOMEM;
	spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

static int name_node(struct naming *n, uint32_t index)
{
	const struct address_node *node = &n->u->nodes[index];
	struct spot *spot = &n->spots[index];
	struct what what = { 0 };

	*spot = n->spots[node->parent];
	if (node->kind == NODE_REGION) {
		n->openmp[index] = index;
		n->has_regions = true;
		return name_region(n, node, spot);
	}
	if (node->kind == NODE_LOCK)
		return name_lock(n, node, spot);
	if (has_code(node)) {
		n->openmp[index] = openmp_frame(n->codes[node->owner], index,
						n->openmp[node->parent]);
		/* Members of a region come into it by other ways than the
		   master: what the runtime does there is the region's. */
		if (is_region(n, n->openmp[index]))
			return 0;
		if (!n->openmp[index] && is_yield(n, node))
			return name_yield(n, node, spot);
		return name_code(n, node, spot);
	}
	if (is_line(n, node))
		return name_line(n, node, spot);
	if (node->kind == NODE_PYTHON)
		return name_python(n, node, spot);
	describe_address(n, node, &what);
	if (what.function == STR_NONE)
		return -ENOMEM;
	spot->node = find_named(n, spot->node, &what, spot->place);
	spot->place = 0;
	return spot->node == MAP_NONE ? -ENOMEM : 0;
}

static int name_nodes(struct naming *n)
{
	static const struct what root = { .kind = RUN_ROOT };

	n->spots = calloc(n->u->node_count, sizeof(*n->spots));
	n->openmp = calloc(n->u->node_count, sizeof(*n->openmp));
	if (!n->spots || !n->openmp || find_source_place(n, 0, 0) != 0 ||
	    find_named(n, 0, &root, 0) != 0)
		return -ENOMEM;
	for (uint32_t i = 1; i < n->u->node_count; i++) {
		int err = name_node(n, i);

		if (err)
			return err;
	}
	return 0;
}

/* Between regions, which are told: in a thread that the runtime began. */
static bool is_between_regions(const struct naming *n, uint32_t frame)
{
	uint32_t up = n->u->nodes[frame].parent;

	if (!n->has_regions || is_region(n, frame))
		return false;
	while (up && has_code(&n->u->nodes[up]) &&
	       n->codes[n->u->nodes[up].owner] == OPENMP_SYSTEM)
		up = n->u->nodes[up].parent;
	return !up;
}

/* The file of the runtime, by its outermost frame above the node. */
static uint32_t module_of_runtime(const struct naming *n, uint32_t index)
{
	const struct address_node *nodes = n->u->nodes;
	uint32_t owner = nodes[index].owner;

	for (; !is_region(n, index); index = nodes[index].parent)
		if (n->codes[nodes[index].owner] == OPENMP_RUNTIME)
			owner = nodes[index].owner;
	return n->u->modules[owner].path;
}

/*
 * Wherever in itself the runtime was, below the function of it that was called,
 * or below the region.
 */
static uint32_t leaf_of_openmp(struct naming *n, uint32_t index)
{
	uint32_t frame = n->openmp[index];
	struct what what = n->whats[n->nodes[n->spots[frame].node].what];

	if (is_region(n, frame))
		what.module = module_of_runtime(n, index);
	what.kind = RUN_OPENMP;
	what.flags = 0;
	what.function = str_add(&n->u->strings, is_between_regions(n, frame)
							? OPENMP_IDLE
							: OPENMP_WAITING);
	return what.function == STR_NONE
		       ? MAP_NONE
		       : find_named(n, n->spots[frame].node, &what, 0);
}

/* Values of a known line stand in a child of the function. */
static uint32_t leaf_of(struct naming *n, uint32_t index)
{
	const struct spot *spot = &n->spots[index];
	struct what what;

	if (n->leaves[index])
		return n->leaves[index];
	if (n->openmp[index] && !is_region(n, index))
		return n->leaves[index] = leaf_of_openmp(n, index);
	if (!spot->place)
		return n->leaves[index] = spot->node;
	what = n->whats[n->nodes[spot->node].what];
	what.kind = RUN_LINE;
	what.detail = 0;
	return n->leaves[index] = find_named(n, spot->node, &what, spot->place);
}

/* Before the nodes get their order: a reference may need a leaf of its own. */
static int name_references(struct naming *n,
			   const struct unify_references *references)
{
	for (uint32_t i = 0; i < n->u->node_count; i++)
		if (references->wanted[i] && leaf_of(n, i) == MAP_NONE)
			return -ENOMEM;
	return 0;
}

static void put_references(const struct naming *n,
			   const struct unify_references *references)
{
	for (size_t i = 0; i < n->u->node_count; i++)
		if (references->wanted[i])
			references->became[i] = n->became[i];
}

static int name_values(struct naming *n)
{
	n->leaves = calloc(n->u->node_count, sizeof(*n->leaves));
	if (!n->leaves)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->u->node_count; i++)
		if (n->u->nodes[i].valued && leaf_of(n, i) == MAP_NONE)
			return -ENOMEM;
	return 0;
}

/*
 * The order of the run's nodes.
 */

static int by_string(const void *x, const void *y, void *strings)
{
	const uint32_t *a = x, *b = y;

	return strcmp(str_at(strings, *a), str_at(strings, *b));
}

static int order_texts(struct naming *n)
{
	struct strings *pool = &n->u->strings;
	uint32_t *sorted = calloc(pool->count, sizeof(*sorted));

	n->text_order = calloc(pool->count, sizeof(*n->text_order));
	if (!sorted || !n->text_order) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < pool->count; i++)
		sorted[i] = i;
	qsort_r(sorted, pool->count, sizeof(*sorted), by_string, pool);
	for (uint32_t i = 0; i < pool->count; i++)
		n->text_order[sorted[i]] = i;
	free(sorted);
	return 0;
}

static int by_meaning(const void *x, const void *y, void *naming)
{
	const struct naming *n = naming;
	const struct named *a = &n->nodes[*(const uint32_t *)x];
	const struct named *b = &n->nodes[*(const uint32_t *)y];
	const struct what *aw = &n->whats[a->what], *bw = &n->whats[b->what];
	const struct source_place *ap = &n->places[a->place];
	const struct source_place *bp = &n->places[b->place];
	int order = ORDER(a->parent, b->parent);

	if (!order)
		order = ORDER(aw->kind, bw->kind);
	if (!order)
		order = ORDER(n->text_order[aw->function],
			      n->text_order[bw->function]);
	if (!order)
		order = ORDER(n->text_order[aw->module],
			      n->text_order[bw->module]);
	if (!order)
		order = ORDER(n->text_order[ap->file], n->text_order[bp->file]);
	if (!order)
		order = ORDER(ap->line, bp->line);
	if (!order)
		order = ORDER(aw->flags, bw->flags);
	return order ? order : ORDER(aw->detail, bw->detail);
}

static int sort_children(struct naming *n)
{
	n->children = calloc(n->node_count, sizeof(*n->children));
	n->first_child = calloc(n->node_count + 1, sizeof(*n->first_child));
	if (!n->children || !n->first_child)
		return -ENOMEM;
	for (uint32_t i = 1; i < n->node_count; i++) {
		n->children[i - 1] = i;
		n->first_child[n->nodes[i].parent + 1]++;
	}
	for (size_t i = 0; i < n->node_count; i++)
		n->first_child[i + 1] += n->first_child[i];
	qsort_r(n->children, n->node_count - 1, sizeof(*n->children),
		by_meaning, n);
	return 0;
}

static int put_node(struct naming *n, struct run *run, uint32_t index)
{
	const struct named *from = &n->nodes[index];
	const struct what *what = &n->whats[from->what];
	const struct source_place *place = &n->places[from->place];
	const struct strings *texts = &n->u->strings;
	struct run_node *to = &run->nodes[run->node_count];

	n->number[index] = (uint32_t)run->node_count++;
	*to = (struct run_node){
		.parent = n->number[from->parent],
		.kind = what->kind,
		.flags = what->flags,
		.function =
			str_add(&run->strings, str_at(texts, what->function)),
		.module = str_add(&run->strings, str_at(texts, what->module)),
		.file = str_add(&run->strings, str_at(texts, place->file)),
		.line = place->line,
		.detail = what->detail,
	};
	return to->function == STR_NONE || to->module == STR_NONE ||
			       to->file == STR_NONE
		       ? -ENOMEM
		       : 0;
}

/* Depth first, by a stack of our own: paths may be deep. */
static int put_nodes(struct naming *n, struct run *run)
{
	uint32_t *stack = calloc(n->node_count, sizeof(*stack));
	size_t depth = 0;
	int err = 0;

	n->number = calloc(n->node_count, sizeof(*n->number));
	run->nodes = calloc(n->node_count, sizeof(*run->nodes));
	if (!stack || !n->number || !run->nodes) {
		free(stack);
		return -ENOMEM;
	}
	stack[depth++] = 0;
	while (depth && !err) {
		uint32_t node = stack[--depth];

		err = put_node(n, run, node);
		for (uint32_t c = n->first_child[node + 1];
		     c-- > n->first_child[node];)
			stack[depth++] = n->children[c];
	}
	free(stack);
	return err;
}

/*
 * The values stay where they are: the run learns what they are of.
 */

static void put_metric(struct run *run, const struct address_metric *from)
{
	struct run_metric *to = &run->metrics[run->metric_count++];

	memcpy(to->name, from->name, sizeof(to->name));
	to->unit = from->unit;
	to->merge = from->merge;
	to->counting = from->counting;
}

ORDER_BY(by_metric_name, struct address_metric, strcmp(a->name, b->name))

/* What an address node's values became part of. */
static int find_leaves(struct naming *n)
{
	n->became = calloc(n->u->node_count, sizeof(*n->became));
	if (!n->became)
		return -ENOMEM;
	for (size_t i = 0; i < n->u->node_count; i++)
		n->became[i] = n->number[n->leaves[i]];
	return 0;
}

static int put_metrics(struct naming *n, struct run *run, const uint32_t *order)
{
	size_t count = n->u->metric_count;
	int err = find_leaves(n);

	run->metrics = calloc(count + 1, sizeof(*run->metrics));
	if (err || !run->metrics)
		return -ENOMEM;
	if (count)
		qsort(n->u->metrics, count, sizeof(*n->u->metrics),
		      by_metric_name);
	for (size_t i = 0; i < count; i++)
		put_metric(run, &n->u->metrics[i]);
	return unify_give_records(n->u, run, n->became, order);
}

int unify_finish(struct unify *u, struct run *run, const uint32_t *order,
		 const struct unify_references *references,
		 const struct symbol_progress *progress)
{
	struct naming n = { .u = u };
	int err = find_names(&n, run, progress);

	if (!err)
		err = name_nodes(&n);
	if (!err)
		err = name_values(&n);
	if (!err)
		err = name_references(&n, references);
	if (!err)
		err = order_texts(&n);
	if (!err)
		err = sort_children(&n);
	if (!err)
		err = put_nodes(&n, run);
	if (!err)
		err = put_metrics(&n, run, order);
	if (!err)
		put_references(&n, references);
	naming_fini(&n);
	return err ? no_memory() : 0;
}
