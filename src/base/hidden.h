/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hidden.h - mark what another file of the same library defines.
 *
 * -fvisibility is for definitions only: of what is declared, the compiler must
 * think that it may be another library's, and has its address looked up first.
 * That is to be seen where all that is done takes some nanoseconds.
 */
#ifndef BASE_HIDDEN_H
#define BASE_HIDDEN_H

#define HIDDEN __attribute__((visibility("hidden")))

#endif
