/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hidden.h - marks a declaration of something that another file of the same
 * library defines, and where a library keeps it.
 *
 * -fvisibility applies to definitions only.  The compiler has to assume that a
 * declared symbol belongs to another library, and reads its address from a
 * table first.  That costs too much on paths that take a few nanoseconds.
 */
#pragma once

#define HIDDEN __attribute__((visibility("hidden")))

/* A symbol of the library that others see: all else is hidden. */
#define PUBLIC __attribute__((visibility("default")))

/*
 * What a forked child resets: small things, side by side in all files, since
 * each page of them costs the child a fault.
 */
#define RESET_AT_FORK __attribute__((section(".data")))

/*
 * What a forked child runs of files that do more: side by side as well, and
 * right before start.c's, since each 64 KiB of code cost it a fault.
 */
#define AT_FORK __attribute__((section(".text.hot.fork")))
