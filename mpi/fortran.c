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

struct fortran_gate {
	struct region region;
	struct fortran_call outer;
};

/*
 * What the gates share is not inlined: there are 1,500 of them.  `frame` is
 * that of the gate.
 */
static __attribute__((noinline, unused)) void
fortran_enter(struct fortran_gate *gate, const uintptr_t *frame, enum row row,
	      bool polls)
{
	gate->outer = fortran_call;
	region_from(&gate->region, &gate_rows[row], frame);
	if (polls)
		polls_region_enter(&gate->region);
	else
		copse_region_enter(&gate->region);
	fortran_call.row = row + 1;
	fortran_call.region = &gate->region;
}

static __attribute__((noinline, unused)) void
fortran_leave(struct fortran_gate *gate)
{
	bool reached_c = fortran_call.row == FORTRAN_WAS_IN_C;

	fortran_call = gate->outer;
	if (!reached_c)
		copse_region_leave(&gate->region, &nothing);
}

/* A binding may call us again, from a callback of the program. */
#define FORTRAN_GATE(symbol, function, parameters, arguments)                  \
	__attribute__((                                                        \
		visibility("hidden"))) void copse_wrap_##symbol parameters;    \
	void copse_wrap_##symbol parameters                                    \
	{                                                                      \
		void(*next) parameters = gate_nexts[GATE_##symbol];            \
		struct fortran_gate gate;                                      \
                                                                               \
		fortran_enter(&gate, FRAME_HERE, ROW_##function,               \
			      POLLS_##function);                               \
		next arguments;                                                \
		fortran_leave(&gate);                                          \
	}
#define ROW(function, class, polls)                                            \
	enum {                                                                 \
		POLLS_##function = polls                                       \
	};
#define GATE(symbol, function)
#define FORTRAN_HAND(symbol, function)
#define FORTRAN_ALIAS(symbol, gate, function)
#include "mpi/gates.inc"
