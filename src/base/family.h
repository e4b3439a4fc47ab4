/* SPDX-License-Identifier: BSD-3-Clause */
/* family.h - what the system counted for a process and all that it started. */
#ifndef BASE_FAMILY_H
#define BASE_FAMILY_H

#include <stdint.h>

/* As `copse run` saw it when the program had ended; cpu_ns 0: not known. */
struct family {
	uint64_t cpu_ns;    /* of it and all that were waited for, but pauses */
	uint64_t start_ns;  /* of that, before they could be measured */
	uint64_t unsampled; /* processes that ended before a sample */
	uint64_t failed;    /* processes that could make no profile */
};

#endif
