/* SPDX-License-Identifier: BSD-3-Clause */
/* broken.c - stands in front of unwind_path(), which the handler calls. */
#include "broken.h"
#include "collect/unwind.h"

__typeof__(unwind_path) __real_unwind_path, __wrap_unwind_path;

live_ref __wrap_unwind_path(struct unwinder *u, struct tree *tree,
			    const struct cfi_frame *top, bool exact,
			    const greg_t *registers, int *why)
{
	do_wrong();
	return __real_unwind_path(u, tree, top, exact, registers, why);
}
