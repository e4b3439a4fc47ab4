/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dwarf.h - registers in call frame information, by their DWARF numbers.
 *
 * DWARF_FP, DWARF_SP, DWARF_PC
 * DWARF_RETURN       the column of the return address
 * DWARF_REGISTERS    numbers below it are of registers.h's contexts
 * DWARF_THROWN       numbers below it are of those which hand an exception over
 *                    to its handler
 * DWARF_RETURN_RULE  what is true for the return address where nothing is said,
 *                    as a struct cfi_saved
 *
 * Signals            All may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

/* Does a function leave it to its caller as it was?  Not of DWARF_FP, which the
 * rules tell of. */
SIGSAFE_INLINE bool dwarf_is_kept(unsigned int number);

/* How many operands, LEB128 numbers, an operation of this processor has that
 * says whether return addresses are signed; -1: it is another. */
SIGSAFE_INLINE int dwarf_signing_operands(uint8_t operation);

#include "dwarf-inline.h"
