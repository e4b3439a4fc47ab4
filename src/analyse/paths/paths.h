/* SPDX-License-Identifier: BSD-3-Clause */
/* paths.h - call paths as reports show them: their values, and their names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyse/base/report.h"
#include "run/call-paths.h"

/*
 * Exclusive and inclusive value of each path, over all ranks, in the unit of
 * reports.  Either may be NULL.
 */
void paths_values(const struct paths *paths, const struct run_metric *metric,
		  double *exclusive, double *inclusive);

/* A library's function without a name, which sentences leave out. */
bool paths_is_nameless(const struct run *run, uint32_t node);

/* In MPI or OpenMP's runtime: waiting is what follows, not what is mended. */
bool paths_is_waiting(const struct run_node *node);
bool paths_waits(const struct paths *paths, uint32_t path);

/*
 * A function that asks what time it is.  A program that waits by looking at a
 * clock is busy in what looks, and not in the clock.
 */
bool paths_is_clock(const struct run *run, uint32_t node);

/* The path that looks at the clock that this one is in, or else this one. */
uint32_t paths_looker(const struct paths *paths, uint32_t path);

/*
 * The path that a sentence names for this one: its looker, the program's own
 * function; consecutive frames of Python's interpreter are one.
 */
uint32_t paths_said(const struct paths *paths, uint32_t path);

/* The function's name; "(no call path)" for the root and the like. */
const char *paths_function(const struct run *run, uint32_t node);

#define PATHS_ARROW " ← " /* between a function and its caller */

/* "work ← solve ← main"; to be freed, NULL when out of memory. */
char *paths_text(const struct paths *paths, uint32_t path);

/*
 * The same as a cell of a report.  For readers, names are brief, a kernel's
 * caller follows the kernel, and full names and the line of an MPI call are
 * added where other rows read the same.
 */
void paths_cell(struct report *report, const struct paths *paths,
		uint32_t path);

/*
 * The same for a sentence: at most `frames` of it, by their brief names,
 * without a namespace that the frame before has named.  All frames of Python's
 * interpreter in a row are one, "[Python]", as are those without a name of a
 * module of Python's, "mpi4py.MPI", and a kernel's caller follows the kernel.
 * Callers are left out that are of libraries, within one for files of a format,
 * or were named already: the same function, or one without a name of the same
 * module.  To be freed, NULL when out of memory.
 */
char *paths_short(const struct paths *paths, uint32_t path, unsigned frames);

/* The next frame that it has; 0: none. */
uint32_t paths_caller(const struct paths *paths, uint32_t path);

/*
 * The same, and what it calls of libraries most: "solve ← main, mostly exp",
 * "identify, mostly match › compile".
 * mostly: that path, as of paths_mostly(); 0: none.
 */
char *paths_short_mostly(const struct paths *paths, uint32_t path,
			 unsigned frames, uint32_t mostly);

/* Of that the end alone: "match › compile". */
char *paths_mostly_text(const struct paths *paths, uint32_t path,
			uint32_t mostly);

/*
 * The same as paths_short(), with all frames, for a table that readers see:
 * frames of the interpreter stay apart.  Of a launch from Python these are the
 * kernel, PyTorch's innermost operator, and the program's functions of Python.
 */
char *paths_brief(const struct paths *paths, uint32_t path);

/*
 * The same, for a sentence beside others on other paths: where one of these
 * reads the same it goes on to the frame, or has the line, that differs.
 */
char *paths_apart(const struct paths *paths, uint32_t path, unsigned frames,
		  const uint32_t *others, size_t count);

/* "solve.c:42", the base name of a file and its line; NULL: not known. */
char *paths_place(const struct run *run, uint32_t file, uint32_t line);
