/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlsym.h - what a program looks up in the handle of a library by dlsym():
 * the library's own, past all that stands in front of it.  Python's ctypes and
 * Julia call MPI so, Triton's and XLA's profilers CUPTI.  And what it looks up
 * to learn whether it is there: it shall not find us where nothing is.
 *
 * Threads   Any, but for copse_dlsym_front(): as libraries are loaded.
 */
#pragma once

#include <stdbool.h>

/*
 * A function of ours that stands in front of the one that was found by this
 * name, for this caller (an address in his code); or NULL.  What it calls on
 * must be what was found, and nothing else: the caller may himself be what
 * stands between us and the library.
 */
typedef void *look_up_front(const char *name, void *found, const void *caller);

/*
 * Whether there would be nothing of this name without us, in any library (nor,
 * but for RTLD_NEXT, in the program): then it is not found.  What is looked up
 * for the answer itself is found.
 */
typedef bool look_up_hidden(void *handle, const char *name);

/* To be asked from now on, for the life of the process; hidden may be NULL. */
void copse_dlsym_front(look_up_front *front, look_up_hidden *hidden);

/* What dlsym() finds without us in a library's handle. */
void *copse_dlsym_find(void *handle, const char *name);

/*
 * Before glibc 2.36 dlsym(RTLD_NEXT) finds the oldest version of a name, which
 * is not the one that programs are linked with.  That one, `newer`, when the
 * same library has it; else `found`.  NULL is fine.
 */
void *copse_dlsym_newer(void *found, void *newer);
