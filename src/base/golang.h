/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golang.h - recognises a program or library in Go.  Go's runtime installs
 * signal handlers by raw system calls, which cannot be interposed.
 */
#pragma once

#include <stdbool.h>

/* Looks at the sections of the file; false also when it cannot be read. */
bool golang_wrote(const char *path);
