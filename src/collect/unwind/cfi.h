/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cfi.h - call frame information: how to get from a frame to its caller, read
 * straight from a module's .eh_frame, in the handler, without locks.
 *
 * Only what stepping through call paths needs is kept: where the
 * canonical frame address (CFA) is, and where the return address, the
 * caller's frame pointer and a third register were saved.  Source: System V ABI
 * AMD64 supplement, 3.7; DWARF 5, 6.4; Linux Standard Base Core 5.0, 10.6.
 */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/unwind/safe-read.h"
#include "collect/unwind/loaded-object.h"

enum cfi_cfa {        /* the CFA is … */
	CFI_NONE,     /* no rule: code without information */
	CFI_BAD,      /* a rule that is not understood */
	CFI_END,      /* no caller: the outermost frame */
	CFI_SIGNAL,   /* a signal frame: the context lies on the stack */
	CFI_SP,       /* sp + cfa_offset */
	CFI_FP,       /* fp + cfa_offset */
	CFI_REGISTER, /* cfa_register + cfa_offset */
	CFI_EXPRESSION,
};

enum cfi_where {         /* the caller's value of a register is … */
	CFI_SAME,        /* still in it */
	CFI_AT_CFA,      /* at CFA + offset */
	CFI_AT_FP,       /* at fp + offset */
	CFI_IN_REGISTER, /* in the register `offset` */
	CFI_LOST,
};

struct cfi_saved {
	uint8_t where; /* enum cfi_where */
	int32_t offset;
};

enum {
	CFI_NO_REGISTER = 255,
	CFI_EXPRESSION_MOST = 24
};

struct cfi_rule {             /* what every step reads comes first */
	uint8_t cfa;          /* enum cfi_cfa */
	uint8_t cfa_register; /* its DWARF number */
	bool rewrites; /* throws: it may have replaced its return address */
	uint8_t expression_size;
	int32_t cfa_offset;
	struct cfi_saved pc, fp, other;
	uintptr_t function;  /* where its code begins */
	uintptr_t low, high; /* it is that of [low, high), the pc among them */
	uint8_t expression[CFI_EXPRESSION_MOST];
};

/*
 * The rule at pc, which lies in the object that loaded_object_look() found.
 * With `peek` all is read through it, since the object may be unmapped at any
 * moment; NULL: it stays.  `other` is a third register to tell of, by its
 * DWARF number, or CFI_NO_REGISTER.
 */
SIGSAFE void cfi_find(struct cfi_rule *rule, uintptr_t pc,
		      const struct loaded_object *object,
		      struct safe_read *reader, unsigned int other);

/*
 * The CFA by the rule's expression.  Memory is read by `read`, which returns
 * false for what is not the thread's stack; `slot` gets the last address read
 * (0: none).  False: the expression is not understood.
 */
struct cfi_frame {
	uintptr_t pc, sp, fp;
};
SIGSAFE bool cfi_evaluate(const struct cfi_rule *rule,
			  const struct cfi_frame *frame,
			  bool (*read)(void *from, uintptr_t at, uintptr_t *to),
			  void *from, uintptr_t *cfa, uintptr_t *slot);
