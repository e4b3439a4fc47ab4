/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cubin-lines.h - the functions and the lines of code for GPUs, as a profile
 * keeps it: a cubin (ELF, of NVIDIA's machine) without the code.
 *
 * Method   Each function is a section that begins at 0, so that sequences of
 *          .debug_line overlap: its relocations say whose they are.  They are
 *          applied such that section n begins at n << 32; libdw does the rest.
 *          There need be no .debug_info: nvcc -lineinfo writes none.
 *
 * Foreign  A cubin is foreign input.
 * Threads  One user at a time.
 */
#ifndef SYMBOL_CUBIN_LINES_H
#define SYMBOL_CUBIN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_lines;

/* 0, or -errno with a reason: -EINVAL, it is no cubin, or is damaged. */
int cubin_lines_open(struct cubin_lines **to, const void *bytes, size_t size);
void cubin_lines_close(struct cubin_lines *lines); /* NULL is fine */

/* Texts are valid until the end of the lines. */
struct cubin_place {
	const char *kernel; /* that the function is part of */
	const char *file;   /* NULL: the line is not known */
	uint32_t line;
};

/*
 * Of the instruction `pc` behind the begin of a function, the symbol of that
 * index if it has that name, else the one that has.  False: there is none.
 */
bool cubin_lines_find(struct cubin_lines *lines, uint32_t symbol,
		      const char *function, uint64_t pc,
		      struct cubin_place *to);

#endif
