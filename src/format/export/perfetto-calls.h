/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfetto-calls.h - what is known to the microsecond, as slices for Perfetto:
 * kept calls of MPI, with arrows from whom a call waited for, and iterations.
 */
#pragma once

#include "format/export/operation-index.h"
#include "format/export/perfetto-packet.h"

struct perfetto_calls {
	const struct run *run;
	const bool *chosen; /* by process */
	struct operation_index index;
	uint64_t flows; /* numbers of arrows begin behind it */
};

/* 0, or -ENOMEM with a reason; fini: of index alone. */
int perfetto_calls_init(struct perfetto_calls *calls, const struct run *run,
			const bool *chosen, uint64_t flows);

/* The calls of a thread, if it has any, on a track of that number. */
void perfetto_calls_put(const struct perfetto_calls *calls, struct perfetto *to,
			const struct run_time_row *thread, uint64_t track,
			uint64_t parent);

/* The iterations of a process, if it has any; `begin`: of the trace, of 1970.
 */
void perfetto_iterations(const struct run *run, struct perfetto *to,
			 uint32_t process, uint64_t begin, uint64_t track,
			 uint64_t parent);
