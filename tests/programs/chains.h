/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chains.h - a program that knows its own call paths.  Each function of a shape
 * to be tested tells its name on entry and return; work() notes the path that
 * there is now.
 *
 * A chain is a string; each letter stands for the function that is called
 * next.  Names of these functions begin with t_, no other's do.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void enter(const char *name);
void leave(void);
void work(void);
void go(const char *chain); /* call what the chain's first letter stands for */

/* chains-lib.c: the same code in a library, and in one without symbols. */
void t_library(void (*then)(const char *), const char *chain);
void t_stripped(void (*then)(const char *), const char *chain);

/* chains-cxx.cc */
void t_destroy(const char *chain);
void t_catch(const char *chain);

/* chains-fortran.f90 */
void t_fortran(const char *chain);

#ifdef __cplusplus
}
#endif
