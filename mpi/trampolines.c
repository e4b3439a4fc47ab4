/* SPDX-License-Identifier: BSD-3-Clause */
/* trampolines.c - the exported symbols, and what opens them. */
#include "mpi/trampolines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/thunks.h"
#include "mpi/libmpi.h"
#include "mpi/lifecycle.h"

/*
 * Filled as gates are opened, for the life of the process; whoever does it
 * twice does the same.  The targets are read by the gates themselves.
 */
void *gate_nexts[GATE_COUNT];
struct region_name gate_rows[ROW_COUNT];
__attribute__((visibility("hidden"))) void *gate_targets[GATE_COUNT];

/* No pointers: nothing has to be relocated when the library is loaded. */
static const struct {
	char name[40];
	uint16_t class;
	bool polls;
} rows[] = {
#define ROW(function, class_, polls) { #function, LIVE_MPI_##class_, polls },
#define GATE(symbol, function)
#define FORTRAN_GATE(symbol, function, parameters, arguments)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
#undef ROW
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS
};

static const struct {
	char symbol[46];
	uint16_t main, row;
} gates[] = {
#define ROW(function, class, polls)
#define GATE(symbol, function) { #symbol, GATE_##symbol, ROW_##function },
#define FORTRAN_GATE(symbol, function, parameters, arguments)                  \
	GATE(symbol, function)
#define FORTRAN_HAND GATE
#define FORTRAN_ALIAS(symbol, gate, function)                                  \
	{ #symbol, GATE_##gate, ROW_##function },
#include "mpi/gates.inc"
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS
};

THUNK_GATES;
#define GATE(symbol, function) THUNK_GATE(symbol, symbol)
#define FORTRAN_GATE(symbol, function, parameters, arguments)                  \
	THUNK_GATE(symbol, symbol)
#define FORTRAN_HAND                          GATE
#define FORTRAN_ALIAS(symbol, gate, function) THUNK_GATE(symbol, gate)
#include "mpi/gates.inc"
#undef ROW
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS

/* Distances from each element to the wrapper. */
extern const int32_t gate_wrappers[] __attribute__((visibility("hidden")));

THUNK_GATE_CLOSED;

/*
 * Without an MPI library nobody gets here but those who asked whether the
 * symbol exists, by a weak reference or dlsym(): ours answers that it does.
 * They learn that MPI is not running, and that nothing else works.
 */
static int no_flag(int *flag)
{
	*flag = 0;
	return MPI_SUCCESS;
}

static int no_function(void)
{
	return MPI_ERR_OTHER;
}

static void *stub_without_mpi(const char *symbol)
{
	if (!strcmp(symbol, "MPI_Initialized") ||
	    !strcmp(symbol, "MPI_Finalized"))
		return no_flag;
	return no_function;
}

static void *wrapper_of(uint32_t gate)
{
	return (char *)&gate_wrappers[gate] + gate_wrappers[gate];
}

/* The program's own function, for C or Fortran, comes before ours. */
static bool is_preceded(const char *function)
{
	char fortran[sizeof(gates->symbol) + 1];
	size_t i;

	for (i = 0; function[i]; i++)
		fortran[i] = (char)tolower(function[i]);
	memcpy(&fortran[i], "_", 2);
	return libmpi_is_preceded(function) || libmpi_is_preceded(fortran);
}

/*
 * A program that has an MPI_Send of its own calls PMPI_Send there: that stands
 * for MPI's then.  In gates.inc it follows MPI_Send.
 */
static uint32_t measured_gate(uint32_t gate)
{
	const char *symbol = gates[gate].symbol;

	return *symbol == 'P' && is_preceded(symbol + 1) ? gate - 1 : gate;
}

static void *decide_gate(uint32_t gate)
{
	const char *main = gates[gates[gate].main].symbol;
	struct region_name *name = &gate_rows[gates[gate].row];
	void *next = libmpi_look_up(main);
	uint32_t measured = measured_gate(gate);

	gate_nexts[gates[measured].main] =
		next ? next : libmpi_look_up(gates[gate].symbol);
	name->class = LIVE_NAME_MPI;
	name->detail = rows[gates[gate].row].class;
	name->polls = rows[gates[gate].row].polls;
	name->text = rows[gates[gate].row].name;
	return wrapper_of(measured);
}

/*
 * What gates lead to that lead to no MPI: such libraries come and go, so it is
 * true until one did.
 */
static void *_Atomic others[GATE_COUNT];
static unsigned long long _Atomic others_of; /* libmpi_changes() */

static void *other_target(uint32_t gate)
{
	unsigned long long now = libmpi_changes();
	void *target;

	if (others_of != now) {
		for (size_t i = 0; i < GATE_COUNT; i++)
			others[i] = NULL;
		others_of = now;
	}
	target = others[gate];
	if (!target)
		others[gate] = target =
			libmpi_look_up_beyond(gates[gate].symbol);
	return target;
}

/*
 * One of the manglings that few compilers use is also how people call functions
 * of their own (mpi_comm_rank in R's Rmpi).  MPI's stands beside the usual one.
 */
static void *programs_own(uint32_t gate)
{
	uint32_t main = gates[gate].main;
	void *target = gate != main ? other_target(gate) : NULL;

	if (!target || libmpi_is_beside(target, gates[main].symbol))
		return NULL;
	return target;
}

/* It is nowhere: the loader would end the program. */
static _Noreturn void end_as_loader_does(const char *symbol)
{
	fprintf(stderr, "symbol lookup error: undefined symbol: %s\n", symbol);
	_exit(127);
}

/* What the gate leads to; told once more until that is MPI's. */
__attribute__((used, visibility("hidden"))) void *
trampoline_open(uint32_t gate);
void *trampoline_open(uint32_t gate)
{
	const char *symbol = gates[gate].symbol;
	enum library library = libmpi_library();
	void *target, *other = NULL;

	if (library == LIBRARY_NONE) {
		other = other_target(gate);
		return other ? other : stub_without_mpi(symbol);
	}
	other = programs_own(gate);
	target = other ? NULL : libmpi_look_up(symbol);
	if (!target && !other)
		other = other_target(gate);
	if (other)
		return other;
	if (!target)
		end_as_loader_does(symbol);
	if (library == LIBRARY_OURS) {
		lifecycle_watch_forks();
		target = decide_gate(gate);
	}
	__atomic_store_n(&gate_targets[gate], target, __ATOMIC_RELEASE);
	return target;
}
