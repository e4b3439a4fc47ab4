/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runtime.h - which OpenMP runtime a call of the program is meant for.
 *
 * A process may have several copies of libgomp: Python's packages bring their
 * own.  If a region goes to another copy than the module's other calls, these
 * return wrong numbers of threads.  So a call goes on to where it would go
 * without us.
 *
 * Threads   Any.
 */
#pragma once

#include <stdbool.h>

#include "base/hidden.h"

enum runtime_row {
#define REGION(name, ...) ROW_##name,
#define REDUCTION         REGION
#define TASK              REGION
#define WAIT              REGION
#define WAIT_GIVES        REGION
#define LOCK              REGION
#define CRITICAL          REGION
#define UNLOCK            REGION
#define ASK               REGION
#include "openmp/functions.def"
	ROW_COUNT
};

/*
 * Functions of the libgomp that the program was started with, which modules
 * loaded later call as well; and functions that only LLVM's runtime has.  NULL:
 * there is none.
 */
extern HIDDEN void *runtime_nexts[ROW_COUNT];

/*
 * The function that the code at `caller` calls by this name; never NULL.
 * *known: it is libgomp's, whose regions are measured.
 */
void *runtime_function_of_caller(enum runtime_row row, const void *caller,
				 bool *known);

/* ompt_start_tool() of a tool behind us; NULL: there is none. */
void *runtime_other_tool(void);

static inline void *runtime_next(enum runtime_row row, const void *caller,
				 bool *known)
{
	void *next = runtime_nexts[row];

	*known = next;
	return next ? next : runtime_function_of_caller(row, caller, known);
}
