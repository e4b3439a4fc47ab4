/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran.c - the wrappers of Fortran functions. */
#include "mpi/fortran.h"

#include "collect/sampling/polls.h"
#include "mpi/libmpi.h"

/* The standard binary interface has no Fortran. */
__attribute__((unused)) static const struct region_values nothing = {
	.root = LIVE_NO_ROOT
};

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
		struct region region;                                          \
		bool reached_c;                                                \
                                                                               \
		if (POLLS_##function)                                          \
			region_enter_poll(&region,                             \
					  &gate_rows[ROW_##function]);         \
		else                                                           \
			region_enter(&region, &gate_rows[ROW_##function]);     \
		fortran_call.row = ROW_##function + 1;                         \
		fortran_call.region = &region;                                 \
		next arguments;                                                \
		reached_c = fortran_call.row == FORTRAN_WAS_IN_C;              \
		fortran_call = outer;                                          \
		if (!reached_c)                                                \
			copse_region_leave(&region, &nothing);                 \
	}
#define ROW(function, class, polls)                                            \
	enum {                                                                 \
		POLLS_##function = polls                                       \
	};
#define GATE(symbol, function)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
