/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-size.h - the sizes of pages and of cache lines.
 *
 * PAGE_SMALLEST  bytes of the smallest page that a kernel may have here: it is
 *                mapped as a whole, or not.
 *
 * CACHE_LINE     bytes; what several threads write is on lines of its own.
 *
 * Signals     All may run in a handler.
 */
#pragma once

#include <stdint.h>

#include "base/sigsafe.h"

/* Bytes of a page of this kernel: what is mapped, and what is locked. */
SIGSAFE_INLINE uint64_t page_size(void);

#include "page-size-inline.h"
