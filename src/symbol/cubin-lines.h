/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cubin-lines.h - functions and source lines of GPU code.  A profile keeps the
 * cubin (an ELF file for NVIDIA's GPUs) without the code.
 *
 * Method   Each function is a section that begins at address 0, so sequences of
 *          .debug_line overlap.  Relocations say which section each belongs to.
 *          We apply them as if section n began at n << 32; libdw does the rest.
 *          .debug_info is not needed: nvcc -lineinfo writes none.
 *
 * Foreign  A cubin is foreign input.
 * Threads  One user at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_lines;

/* 0, or -errno with a reason: -EINVAL, it is no cubin, or is damaged. */
int cubin_lines_open(struct cubin_lines **to, const void *bytes, size_t size);
void cubin_lines_close(struct cubin_lines *lines); /* NULL is fine */

/* Texts are valid until the end of the lines. */
struct cubin_place {
	const char *kernel; /* of which the function is a part */
	const char *file;   /* NULL: the line is not known */
	uint32_t line;
};

/*
 * Find the instruction `pc` bytes after the beginning of `function`.  `symbol`
 * is the function's index in the symbol table; if the names differ, the symbol
 * with that name is taken.  False: there is none.
 */
bool cubin_lines_find(struct cubin_lines *lines, uint32_t symbol,
		      const char *function, uint64_t pc,
		      struct cubin_place *to);
