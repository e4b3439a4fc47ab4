/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trampolines.h - what stands at the symbols that an adapter exports: a jump,
 * to the wrapper when the process's MPI is the one that this adapter is for,
 * else on to the next definition, as if the adapter were not there.
 *
 * So the adapters of several MPIs can be loaded into one program, before it is
 * known which MPI it will open.  A gate decides when it is first used after an
 * MPI was loaded.  In C it is invisible: the functions called MPI_Send here
 * are the wrappers, which have another name for the linker.
 *
 * Threads   Any.
 */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "base/hidden.h"
#include "collect/regions/region.h"

/* To stand in front of a deprecated function is not to use it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Every function of functions.tbl that this MPI has. */
#define GATE(symbol, function)
#define FORTRAN_GATE(symbol, function, parameters, arguments)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#define ROW(function, class, polls) ROW_##function,
enum row {
#include "mpi/gates.inc"
	ROW_COUNT
};
#undef ROW
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS

/* Every exported symbol. */
#define ROW(function, class, polls)
#define GATE(symbol, function)                                GATE_##symbol,
#define FORTRAN_GATE(symbol, function, parameters, arguments) GATE_##symbol,
#define FORTRAN_HAND(symbol, function)                        GATE_##symbol,
#define FORTRAN_ALIAS(symbol, gate, function)                 GATE_##symbol,
enum gate {
#include "mpi/gates.inc"
	GATE_COUNT
};
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS

#define GATE(symbol, function)                                                 \
	extern __typeof__(symbol) symbol __asm__("copse_wrap_" #symbol);
#define FORTRAN_GATE(symbol, function, parameters, arguments)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
#undef ROW
#undef GATE
#undef FORTRAN_GATE
#undef FORTRAN_HAND
#undef FORTRAN_ALIAS

/*
 * The definition behind a gate.  Valid in its wrapper, which nobody reaches
 * but through the gate.
 */
extern HIDDEN void *gate_nexts[GATE_COUNT];

/* Likewise, the name in reports, which all languages share. */
extern HIDDEN struct region_name gate_rows[ROW_COUNT];
