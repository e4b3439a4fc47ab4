/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * disambiguate.h - texts of a column that look alike once they are cut: cut
 * again, so that the reader sees where they differ.
 */
#ifndef FORMAT_DISAMBIGUATE_H
#define FORMAT_DISAMBIGUATE_H

#include <stdbool.h>
#include <stddef.h>

struct alike_text {
	char **cut;       /* as it will be shown; to be freed, replaced here */
	const char *full; /* before */
};

/*
 * "sum ← … ← solve_left ← …" for "sum ← …", where another is of solve_right:
 * the innermost frame, and the one in which they differ.  Where `width` has no
 * room for that they stay.  Sorts the texts.  0, or -ENOMEM with a reason.
 */
int alike_tell_apart(struct alike_text *texts, size_t count, size_t width,
		     bool utf8);

#endif
