/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigsafe.h - mark code that runs inside a signal handler.
 *
 * SIGSAFE puts a function in its own text section.  tests/rules/sigsafe.sh then
 * reads the relocations of that section: a marked function may reach only
 * other marked functions and the names in tests/rules/sigsafe.allow.  So
 * malloc, stdio, locks and lazy TLS fail `make check`, not a run at 4096 ranks.
 */
#pragma once

#define SIGSAFE __attribute__((section(".text.sigsafe")))

/* A function in a header that is part of its callers, marked or not. */
#define SIGSAFE_INLINE static inline __attribute__((always_inline))
