/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-dwarf.c - functions, inlined functions and lines, from .debug_info.
 *
 * The address ranges of all units come from the units themselves, because clang
 * writes no .debug_aranges.  A unit's functions are listed when its first
 * address is looked up.
 *
 * Functions without a linkage name (templates of local types, members of
 * unnamed types) get the names of the scopes around them in the source.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/regular.h"
#include "symbol/ranges.h"
#include "symbol/symbol-file.h"

/* Foreign input: how deep functions, scopes and types may nest. */
#define DEEPEST 200

struct scope { /* number 0: the outermost, without a name */
	uint32_t outer;
	const char *name;
};

struct dwarf_unit {
	Dwarf_Die die;  /* has the lines */
	Dwarf_Die body; /* has the functions; another one with split DWARF */
	bool listed, incomplete, fortran;
	struct ranges ranges; /* index: of functions */
	Dwarf_Die *functions;
	size_t count, room;
	struct scope *scopes;
	size_t scope_count, scope_room;
	struct map scope_of; /* a function's offset -> its scope */
};

struct dwarf_names {
	Dwarf *dwarf;
	Dwarf_Addr bias;
	const char *file; /* that it is in */
	struct dwarf_unit *units;
	size_t count, room;
	struct ranges ranges; /* index: of units */
	struct map unit_of;   /* a unit's own offset -> its index */
	struct strings texts; /* names put together */
	const char *missing;  /* split debug information that is not here */
};

static int add_ranges(struct ranges *to, Dwarf_Die *die, uint32_t index)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		/* What the linker dropped begins at 0. */
		if (low && ranges_add(to, low, high, index))
			return -ENOMEM;
	}
	return 0;
}

static int add_unit(struct dwarf_names *names, const Dwarf_Die *die)
{
	struct dwarf_unit unit = { .die = *die, .body = *die };
	uint32_t index = (uint32_t)names->count;

	if (!array_append(&names->units, &names->count, &names->room,
			  sizeof(unit), &unit) ||
	    map_put(&names->unit_of, dwarf_dieoffset(&unit.die), 0, index) ==
		    MAP_NONE)
		return -ENOMEM;
	return add_ranges(&names->ranges, &unit.die, index);
}

/* dwz puts what files have in common into another one. */
static bool has_bad_supplement(struct dwarf_names *names, Dwfl_Module *file)
{
	const char *program, *debug = NULL, *name;
	const void *id;

	dwfl_module_info(file, NULL, NULL, NULL, NULL, NULL, &program, &debug);
	names->file = debug ? debug : program;
	if (dwelf_dwarf_gnu_debugaltlink(names->dwarf, &name, &id) <= 0 ||
	    regular_or_none(names->file, "", name))
		return false;
	names->missing = name;
	return true;
}

struct dwarf_names *dwarf_names_new(Dwfl_Module *file)
{
	struct dwarf_names *names = calloc(1, sizeof(*names));
	Dwarf_Die die;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	if (!names)
		return NULL;
	names->dwarf = dwfl_module_getdwarf(file, &names->bias);
	if (!names->dwarf) {
		dwarf_names_free(names);
		return NULL;
	}
	if (has_bad_supplement(names, file))
		return names;
	while (!dwarf_get_units(names->dwarf, cu, &cu, NULL, &type, &die,
				NULL)) {
		if (type != DW_UT_compile && type != DW_UT_partial &&
		    type != DW_UT_skeleton)
			continue;
		if (add_unit(names, &die)) {
			dwarf_names_free(names);
			return NULL;
		}
	}
	ranges_sort(&names->ranges);
	return names;
}

void dwarf_names_free(struct dwarf_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->count; i++) {
		free(names->units[i].functions);
		free(names->units[i].scopes);
		map_fini(&names->units[i].scope_of);
		ranges_fini(&names->units[i].ranges);
	}
	free(names->units);
	ranges_fini(&names->ranges);
	map_fini(&names->unit_of);
	strings_fini(&names->texts);
	free(names);
}

static const char *text_of_die(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, name, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

static int add_function(struct dwarf_unit *unit, Dwarf_Die *die, uint32_t scope)
{
	uint32_t index = (uint32_t)unit->count;

	if (scope && map_put(&unit->scope_of, dwarf_dieoffset(die), 0, scope) ==
			     MAP_NONE)
		return -ENOMEM;
	if (!array_append(&unit->functions, &unit->count, &unit->room,
			  sizeof(*die), die))
		return -ENOMEM;
	return add_ranges(&unit->ranges, die, index);
}

static bool append_scope(struct dwarf_unit *unit, const struct scope *scope)
{
	return array_append(&unit->scopes, &unit->scope_count,
			    &unit->scope_room, sizeof(*scope), scope);
}

/* The scope that a namespace, type or function makes; 0 when out of memory,
   which only costs the longer name. */
static uint32_t add_scope(struct dwarf_unit *unit, Dwarf_Die *die,
			  uint32_t outer)
{
	static const struct scope none = { 0, NULL };
	struct scope scope = { outer, text_of_die(die, DW_AT_name) };

	if (!scope.name)
		scope.name =
			dwarf_tag(die) == DW_TAG_namespace
				? "(anonymous namespace)"
				: "{lambda}"; /* which has no linker's name */
	if ((!unit->scope_count && !append_scope(unit, &none)) ||
	    !append_scope(unit, &scope))
		return 0;
	return (uint32_t)unit->scope_count - 1;
}

/* Where in the source we are: what is around functions, and around types. */
struct around {
	uint32_t functions, types;
	int depth;
};

static int list_functions(struct dwarf_unit *unit, Dwarf_Die *parent,
			  struct around around);

static int list_one(struct dwarf_unit *unit, Dwarf_Die *die,
		    struct around around)
{
	around.depth++;
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (add_function(unit, die, around.functions))
			return -ENOMEM;
		around.types = dwarf_haschildren(die) > 0
				       ? add_scope(unit, die, around.functions)
				       : 0;
		around.functions = unit->fortran ? around.types : 0;
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		around.types = add_scope(unit, die, around.types);
		around.functions = around.types;
		break;
	case DW_TAG_lexical_block:
		break;
	default:
		return 0;
	}
	return list_functions(unit, die, around);
}

/* All functions with code below a unit, a scope, a type or a function. */
static int list_functions(struct dwarf_unit *unit, Dwarf_Die *parent,
			  struct around around)
{
	Dwarf_Die die;

	if (around.depth > DEEPEST || dwarf_child(parent, &die))
		return 0;
	do {
		if (list_one(unit, &die, around))
			return -ENOMEM;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

static bool is_inlined(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/* A block without ranges says nothing; what is in it may. */
static bool may_hold(Dwarf_Die *die, Dwarf_Addr address)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_lexical_block:
		if (!dwarf_hasattr(die, DW_AT_low_pc) &&
		    !dwarf_hasattr(die, DW_AT_ranges))
			return true;
		/* fallthrough */
	case DW_TAG_inlined_subroutine:
		return dwarf_haspc(die, address) == 1;
	default:
		return false;
	}
}

/* Append what is inlined at the address, outermost first; the new count. */
static size_t find_inlined(Dwarf_Die *parent, Dwarf_Addr address,
			   Dwarf_Die chain[DWARF_PLACES], size_t count,
			   int depth)
{
	Dwarf_Die die;

	if (depth > DEEPEST || dwarf_child(parent, &die))
		return count;
	do {
		size_t found = count;

		if (count == DWARF_PLACES || !may_hold(&die, address))
			continue;
		if (is_inlined(&die))
			chain[found++] = die;
		found = find_inlined(&die, address, chain, found, depth + 1);
		if (found > count)
			return found;
	} while (!dwarf_siblingof(&die, &die));
	return count;
}

/* Of the unit itself: text_of_die() would open what the name is asked for. */
static const char *text_of_unit(const struct dwarf_unit *unit,
				unsigned int name)
{
	Dwarf_Die die = unit->die;
	Dwarf_Attribute attribute;

	return dwarf_attr(&die, name, &attribute) ? dwarf_formstring(&attribute)
						  : NULL;
}

/* Beside the file, or in the compiler's working directory; or all in one. */
static bool may_open_split(const struct dwarf_names *names,
			   const struct dwarf_unit *unit, const char *name)
{
	const char *folder = text_of_unit(unit, DW_AT_comp_dir);
	char *below = str_format("%s/", folder ? folder : "");
	char *package = str_format("%s.dwp", names->file);
	bool may =
		below && package && regular_or_none("", "", package) &&
		regular_or_none(names->file, "", name) &&
		regular_or_none(*below == '/' ? "" : names->file, below, name);

	free(below);
	free(package);
	return may;
}

/*
 * Split DWARF: the unit's functions are in a file of their own, which is opened
 * when the first address asks for them, since there may be thousands.
 */
static void find_split(struct dwarf_names *names, struct dwarf_unit *unit)
{
	const char *name = text_of_unit(unit, DW_AT_dwo_name);
	Dwarf_Die split = { 0 };

	if (!name)
		name = text_of_unit(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return;
	if (may_open_split(names, unit, name) &&
	    !dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL,
			   NULL) &&
	    split.addr) {
		unit->body = split;
		return;
	}
	unit->incomplete = true;
	if (!names->missing)
		names->missing = name;
}

static bool is_fortran(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return true;
	default:
		return false;
	}
}

static void list_unit(struct dwarf_names *names, struct dwarf_unit *unit)
{
	if (unit->listed)
		return;
	unit->listed = true;
	find_split(names, unit);
	unit->fortran = !unit->incomplete && is_fortran(&unit->body);
	list_functions(unit, &unit->body, (struct around){ 0 });
	ranges_sort(&unit->ranges);
}

/* The unit that a function is described in, when it is not `unit`. */
static struct dwarf_unit *home_unit(struct dwarf_names *names,
				    struct dwarf_unit *unit, Dwarf_Die *die)
{
	Dwarf_Die home;
	uint32_t index;

	if (die->cu == unit->body.cu)
		return unit;
	if (dwarf_cu_getdwarf(die->cu) != names->dwarf ||
	    !dwarf_diecu(die, &home, NULL, NULL))
		return NULL;
	index = map_get(&names->unit_of, dwarf_dieoffset(&home), 0);
	if (index == MAP_NONE)
		return NULL;
	list_unit(names, &names->units[index]);
	return &names->units[index];
}

/*
 * The scope of a function, which its declaration or abstract copy may know.
 * *home becomes the unit of the scope's number.
 */
static uint32_t scope_of(struct dwarf_names *names, struct dwarf_unit **home,
			 const Dwarf_Die *function)
{
	Dwarf_Die die = *function;

	for (int hops = 0; hops < 4 && *home; hops++) {
		uint32_t scope =
			map_get(&(*home)->scope_of, dwarf_dieoffset(&die), 0);
		Dwarf_Attribute a;

		if (scope != MAP_NONE)
			return scope;
		if (!dwarf_attr(&die, DW_AT_abstract_origin, &a) &&
		    !dwarf_attr(&die, DW_AT_specification, &a))
			return 0;
		if (!dwarf_formref_die(&a, &die))
			return 0;
		*home = home_unit(names, *home, &die);
	}
	return 0;
}

/* "sim::(anonymous namespace)::helper" */
static const char *full_name(struct dwarf_names *names, struct dwarf_unit *unit,
			     const Dwarf_Die *die, const char *name)
{
	uint32_t scope = scope_of(names, &unit, die), index;
	char *text = strdup(name);

	while (scope && text) {
		const struct scope *s = &unit->scopes[scope];
		char *longer = str_format("%s::%s", s->name, text);

		free(text);
		text = longer;
		scope = s->outer;
	}
	index = text ? str_add(&names->texts, text) : STR_NONE;
	free(text);
	return index == STR_NONE ? name : str_at(&names->texts, index);
}

/* Fortran's external procedures: "bare_" is what the linker makes of "bare". */
static bool is_external(Dwarf_Die *die, const char *linkage)
{
	const char *name = text_of_die(die, DW_AT_name);
	size_t length = name ? strlen(name) : 0;

	return length && !strncmp(linkage, name, length) &&
	       !linkage[length + strspn(linkage + length, "_")];
}

static void set_name(struct dwarf_names *names, struct dwarf_unit *unit,
		     struct dwarf_place *place, Dwarf_Die *die)
{
	const char *name = text_of_die(die, DW_AT_name);

	place->inlined = is_inlined(die);
	place->linkage = true;
	place->name = text_of_die(die, DW_AT_linkage_name);
	if (!place->name)
		place->name = text_of_die(die, DW_AT_MIPS_linkage_name);
	if (place->name && !(unit->fortran && is_external(die, place->name)))
		return;
	place->name = name; /* of an object file, though it is not said */
	if (symbol_is_parallel(name))
		return;
	place->linkage = false;
	place->name = name ? full_name(names, unit, die, name) : "";
}

static Dwarf_Word number_of_die(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
	    dwarf_formudata(&attribute, &value))
		return 0;
	return value;
}

/* Where an inlined function was called: a place in the one around it. */
static void set_call(struct dwarf_place *place, struct dwarf_unit *unit,
		     Dwarf_Die *inlined)
{
	Dwarf_Word file = number_of_die(inlined, DW_AT_call_file);
	const char *name = NULL;
	Dwarf_Files *files;
	size_t count;

	place->line = (uint32_t)number_of_die(inlined, DW_AT_call_line);
	if (!dwarf_getsrcfiles(&unit->body, &files, &count) && file < count)
		name = dwarf_filesrc(files, file, NULL, NULL);
	place->file = name && strcmp(name, "???") != 0 ? name : "";
}

static void set_line(struct dwarf_place *place, struct dwarf_unit *unit,
		     Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	const char *name = NULL;
	int number;

	place->file = "";
	place->line = 0;
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	name = dwarf_linesrc(line, NULL, NULL);
	if (!name)
		return;
	place->file = name;
	place->line = (uint32_t)number;
}

static struct dwarf_unit *unit_at(struct dwarf_names *names, Dwarf_Addr address)
{
	const struct range *range = ranges_find(&names->ranges, address);
	struct dwarf_unit *unit;

	if (!range)
		return NULL;
	unit = &names->units[range->index];
	list_unit(names, unit);
	return unit;
}

size_t dwarf_names_find(struct dwarf_names *names, uint64_t address,
			struct dwarf_place places[DWARF_PLACES], bool *settled)
{
	Dwarf_Addr at = address - names->bias;
	struct dwarf_unit *unit = unit_at(names, at);
	Dwarf_Die chain[DWARF_PLACES];
	const struct range *range;
	size_t count = 1;

	*settled = !unit || !unit->incomplete;
	if (!unit)
		return 0;
	set_line(&places[0], unit, at);
	range = ranges_find(&unit->ranges, at);
	if (!range) { /* assembly: a unit with lines and without functions */
		places[0].name = "";
		places[0].linkage = places[0].inlined = false;
		return places[0].line ? 1 : 0;
	}
	chain[0] = unit->functions[range->index];
	count = find_inlined(&chain[0], at, chain, count, 0);
	for (size_t i = 0; i < count; i++) {
		set_name(names, unit, &places[i], &chain[count - 1 - i]);
		if (i)
			set_call(&places[i], unit, &chain[count - i]);
		if (!*places[i].name) /* in another file, with dwz */
			*settled = false;
	}
	return count;
}

const void *dwarf_names_row(struct dwarf_names *names, uint64_t address)
{
	struct dwarf_unit *unit = unit_at(names, address - names->bias);

	return unit ? dwarf_getsrc_die(&unit->die, address - names->bias)
		    : NULL;
}

bool dwarf_names_ends(struct dwarf_names *names, uint64_t from, uint64_t target)
{
	const struct range *a = ranges_find(&names->ranges, from - names->bias);
	const struct range *b =
		ranges_find(&names->ranges, target - names->bias);
	Dwarf_Attribute attribute;
	struct dwarf_unit *unit;
	bool ends = false;

	if (!a || !b || a->index != b->index)
		return false;
	unit = unit_at(names, target - names->bias);
	b = ranges_find(&unit->ranges, target - names->bias);
	if (b && dwarf_attr_integrate(&unit->functions[b->index],
				      DW_AT_noreturn, &attribute))
		dwarf_formflag(&attribute, &ends);
	return ends;
}

const char *dwarf_names_missing(const struct dwarf_names *names)
{
	return names->missing;
}
