/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copse.h - what a program may tell the profiler about itself.
 *
 * The functions do nothing when the program was not started by `copse run`.
 * Link with -lcopse, or look them up with dlsym(RTLD_DEFAULT, …), so that the
 * program runs without copse too.
 *
 * Threads   Each call concerns the calling thread, pause and resume the
 *           whole process.
 * Signals   Not to be called from handlers.
 */
#ifndef COPSE_H
#define COPSE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What follows, up to the matching end, runs in the phase `name`. */
void copse_begin(const char *name);
void copse_end(const char *name);

/* Stop and continue measuring; calls nest, and one resume too many is none. */
void copse_pause(void);
void copse_resume(void);

#ifdef __cplusplus
}
#endif
#endif
