/* SPDX-License-Identifier: BSD-3-Clause */
/* family.h - what the system counted for a process and all that it started. */
#pragma once

#include <stdint.h>

/*
 * As `copse run` saw it when the program had ended; cpu_ns 0: not known.  The
 * four from user_ns on are of the program and all that were waited for, from
 * the start on and in pauses, too; without CPU time they are not known.
 */
struct family {
	uint64_t cpu_ns;    /* of it and all that were waited for, but pauses */
	uint64_t start_ns;  /* of that, before they could be measured */
	uint64_t unsampled; /* processes that ended before a sample */
	uint64_t failed;    /* processes that could make no profile */
	uint64_t user_ns;   /* CPU time outside the kernel */
	uint64_t system_ns; /* CPU time in the kernel */
	uint64_t faults;    /* pages that were mapped when first touched */
	uint64_t switches;  /* times that a thread blocked (voluntary switch) */
	uint64_t own_ns;    /* of start_ns, what the collector took */
	/* Bytes that those read and wrote that were waited for: by system
	 * calls, whatever for, and from and to storage. */
	uint64_t io_read, io_written, stored_read, stored_written;
};
