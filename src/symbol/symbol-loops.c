/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-loops.c - the loops around an address, with their lines.
 *
 * A loop belongs to the function that all its instructions have in common, of
 * those that are inlined into each other: its control is there, and what its
 * body calls is deeper.  Its lines are the instructions' lines in that
 * function, where what is inlined counts as the line of its call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "symbol/loop-code.h"
#include "symbol/symbol-file.h"

/* Of larger loops, this many instructions are looked at. */
#define MOST_SAMPLES 1024

struct described {
	uint32_t header;
	struct loop_place place;
};

/* What DWARF says about an instruction, asked once. */
struct known {
	const void *row;       /* of the line table */
	uint32_t first, count; /* of places */
	bool asked;
};

struct loop_names {
	struct loop_code code; /* of the last function that was asked for */
	struct known *known;   /* of each instruction */
	struct dwarf_place *places;
	size_t place_count, place_room;
	struct described *loops;
	size_t count, room;
	struct map ends; /* of functions: 1 where it does not return */
};

struct loop_names *loop_names_new(void)
{
	return calloc(1, sizeof(struct loop_names));
}

void loop_names_free(struct loop_names *names)
{
	if (!names)
		return;
	loop_code_fini(&names->code);
	free(names->known);
	free(names->places);
	free(names->loops);
	map_fini(&names->ends);
	free(names);
}

/* True when the block is in the loop of that header, at any depth. */
static bool is_inside(const struct loop_code *code, uint32_t block,
		      uint32_t header)
{
	if (code->is_header[block] && block == header)
		return true;
	for (block = code->inside[block]; block != LOOP_NONE;
	     block = code->inside[block])
		if (block == header)
			return true;
	return false;
}

/* How many functions, from the outermost on, two places have in common. */
static size_t count_common_functions(const struct dwarf_place *a,
				     size_t a_count,
				     const struct dwarf_place *b,
				     size_t b_count)
{
	size_t n = 0;

	while (n < a_count && n < b_count &&
	       !strcmp(a[a_count - 1 - n].name, b[b_count - 1 - n].name) &&
	       (!n || a[a_count - n].line == b[b_count - n].line))
		n++;
	return n;
}

/* The instructions of a loop, not too many of them. */
static uint32_t *list_samples(const struct loop_code *code, uint32_t header,
			      size_t *count)
{
	uint32_t *at = calloc(code->count + 1, sizeof(*at));
	size_t all = 0, step;

	*count = 0;
	for (uint32_t i = 0; at && i < code->count; i++)
		if (is_inside(code, code->block_of[i], header))
			at[all++] = i;
	step = all / MOST_SAMPLES + 1;
	for (size_t i = 0; at && i < all; i += step)
		at[(*count)++] = at[i];
	return at;
}

/* A row of the line table is in one function, so its instructions are. */
static void look_up_code_row(struct loop_names *names, struct symbol_file *file,
			     uint32_t i)
{
	struct known *k = &names->known[i];

	k->row = dwarf_names_row(file->dwarf,
				 names->code.address + names->code.starts[i]);
	if (i && k->row && k[-1].asked && k[-1].row == k->row)
		*k = k[-1];
}

/* The functions at an instruction, until the next call; the number of them. */
static size_t places_at(struct loop_names *names, struct symbol_file *file,
			uint32_t i, const struct dwarf_place **to)
{
	struct known *k = &names->known[i];
	bool settled;

	if (!k->asked)
		look_up_code_row(names, file, i);
	if (!k->asked) {
		if (!ARRAY_GROW(names->places,
				names->place_count + DWARF_PLACES - 1,
				names->place_room))
			return 0;
		k->asked = true;
		k->first = (uint32_t)names->place_count;
		k->count = (uint32_t)dwarf_names_find(
			file->dwarf,
			names->code.address + names->code.starts[i],
			names->places + k->first, &settled);
		names->place_count += k->count;
	}
	*to = names->places + k->first;
	return k->count;
}

static void widen_loop(struct loop_place *to, const struct dwarf_place *p)
{
	if (!p->line || !*p->file || (*to->file && strcmp(to->file, p->file)))
		return;
	to->file = p->file;
	if (!to->first || p->line < to->first)
		to->first = p->line;
	if (p->line > to->last)
		to->last = p->line;
}

static struct loop_place describe_loop(struct loop_names *names,
				       struct symbol_file *file,
				       const uint32_t *at, size_t count)
{
	struct dwarf_place first[DWARF_PLACES];
	struct loop_place to = { .file = "" };
	const struct dwarf_place *p;
	size_t first_count = 0, n;

	for (size_t i = 0; i < count; i++) {
		n = places_at(names, file, at[i], &p);
		if (n && !first_count) {
			memcpy(first, p, n * sizeof(*p));
			first_count = to.depth = n;
		}
		n = n ? count_common_functions(first, first_count, p, n)
		      : to.depth;
		if (n < to.depth)
			to.depth = n;
	}
	for (size_t i = 0; i < count && to.depth; i++) {
		n = places_at(names, file, at[i], &p);
		if (n >= to.depth)
			widen_loop(&to, &p[n - to.depth]);
	}
	return to;
}

static const struct loop_place *
place_of(struct loop_names *names, struct symbol_file *file, uint32_t header)
{
	struct described *to;
	uint32_t *samples;
	size_t count;

	for (size_t i = 0; i < names->count; i++)
		if (names->loops[i].header == header)
			return &names->loops[i].place;
	if (!ARRAY_GROW(names->loops, names->count, names->room))
		return NULL;
	samples = list_samples(&names->code, header, &count);
	if (!samples)
		return NULL;
	to = &names->loops[names->count++];
	*to = (struct described){ header,
				  describe_loop(names, file, samples, count) };
	free(samples);
	return &to->place;
}

/* Functions that do not return, as object files call them. */
static bool ends_by_name(const char *name)
{
	static const char *const names[] = {
		"abort",
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"__libc_start_call_main",
		"__assert",
		"__assert_fail",
		"__assert_perror_fail",
		"__stack_chk_fail",
		"__chk_fail",
		"__fortify_fail",
		"pthread_exit",
		"longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"err",
		"errx",
		"verr",
		"verrx",
		"_Unwind_Resume",
		"__cxa_throw",
		"__cxa_rethrow",
		"__cxa_bad_cast",
		"__cxa_bad_typeid",
		"__cxa_pure_virtual",
		"__cxa_throw_bad_array_new_length",
		"_gfortran_stop_string",
		"_gfortran_stop_numeric",
		"_gfortran_error_stop_string",
		"_gfortran_error_stop_numeric",
		"_gfortran_runtime_error",
		"_gfortran_runtime_error_at",
		"_gfortran_os_error",
		"_gfortran_os_error_at",
	};
	size_t length = strcspn(name, "@");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length &&
		    !strncmp(names[i], name, length))
			return true;
	return !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_");
}

struct caller {
	struct loop_names *names;
	struct symbol_file *file;
	uint64_t address;
};

static bool function_returns(void *of, uint64_t target)
{
	const struct caller *c = of;
	uint32_t ends = map_get(&c->names->ends, target, 0);
	uint64_t start;
	char *name;

	if (ends == MAP_NONE) {
		name = elf_names_find(c->file->elf, target, &start);
		ends = name && ends_by_name(name);
		free(name);
		map_put(&c->names->ends, target, 0, ends);
	}
	return !ends && !dwarf_names_ends(c->file->dwarf, c->address, target);
}

/* The function's code, unless it is that of the last call. */
static int read_function(struct loop_names *names, struct symbol_file *file,
			 uint64_t address)
{
	const struct loop_code *code = &names->code;
	const unsigned char *bytes;
	uint64_t low, high;
	struct caller caller = { names, file, address };
	int err;

	if (code->size && address >= code->address &&
	    address - code->address < code->size)
		return 0;
	bytes = elf_names_code(file->elf, address, &low, &high);
	if (!bytes)
		return -ENOENT;
	loop_code_fini(&names->code);
	free(names->known);
	names->known = NULL;
	names->count = names->place_count = 0;
	err = loop_code_read(&names->code, bytes, high - low, low,
			     &(struct loop_calls){ function_returns, &caller });
	if (!err)
		names->known = calloc(code->count + 1, sizeof(*names->known));
	return names->known ? 0 : -1;
}

/*
 * A header of the innermost loop comes first: from the outermost on, each is
 * in the same function as the one around it or deeper, as far as the address
 * is in that function as well.
 */
size_t loop_names_find(struct loop_names *names, struct symbol_file *file,
		       uint64_t address, const struct dwarf_place *places,
		       size_t count, struct loop_place to[LOOP_PLACES])
{
	uint32_t nest[LOOP_PLACES], header;
	size_t depth = 1, kept = 0, n = 0;

	if (!file->elf || !file->dwarf || !count || !places[count - 1].line ||
	    read_function(names, file, address))
		return 0;
	for (header = loop_code_at(&names->code, address);
	     header != LOOP_NONE && n < LOOP_PLACES;
	     header = names->code.inside[header])
		nest[n++] = header;
	while (n) {
		const struct loop_place *p = place_of(names, file, nest[--n]);

		if (!p || !p->first || p->depth > count)
			continue;
		to[kept] = *p;
		if (to[kept].depth < depth)
			to[kept].depth = depth;
		depth = to[kept].depth;
		kept++;
	}
	return kept;
}
