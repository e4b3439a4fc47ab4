/* SPDX-License-Identifier: BSD-3-Clause */
/* cores.h - the cores that a process could use, and its wait for them. */
#pragma once

#include <stdint.h>

/* The cores that a process might run on when it ended; count 0: not known. */
struct cores {
	uint64_t count;
	uint64_t key;       /* the same for the same cores of a host */
	uint64_t waited_ns; /* how long its first thread waited for one */
};
