/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran.c - the wrappers of Fortran functions. */
#include "mpi/fortran.h"

#include "mpi/next.h"

__thread struct fortran_call fortran_call
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A binding may call us again, from a callback of the program. */
#define FORTRAN_GATE(symbol, function, parameters, arguments)                  \
	__attribute__((                                                        \
		visibility("hidden"))) void copse_wrap_##symbol parameters;    \
	void copse_wrap_##symbol parameters                                    \
	{                                                                      \
		void(*next) parameters = gate_nexts[GATE_##symbol];            \
		struct fortran_call outer = fortran_call;                      \
		struct region_values values;                                   \
		struct region region;                                          \
                                                                               \
		region_enter(&region, &gate_rows[ROW_##function]);             \
		fortran_call = (struct fortran_call){                          \
			.row = ROW_##function + 1,                             \
			.nested = region_is_nested(&region),                   \
			.frame = (uintptr_t)__builtin_frame_address(0),        \
		};                                                             \
		next arguments;                                                \
		values = fortran_call.values;                                  \
		fortran_call = outer;                                          \
		copse_region_leave(&region, &values);                          \
	}
#define ROW(function, class)
#define GATE(symbol, function)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
