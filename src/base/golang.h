/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golang.h - telling a program written in Go, whose runtime puts its own
 * signal handlers in by system calls that nobody can stand in front of.
 */
#ifndef BASE_GOLANG_H
#define BASE_GOLANG_H

#include <stdbool.h>

/* By the sections of its file; false also when that cannot be read. */
bool golang_wrote(const char *path);

#endif
