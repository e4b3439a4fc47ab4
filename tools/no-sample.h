/* SPDX-License-Identifier: BSD-3-Clause */
/* no-sample.h - why a run took no sample, as far as its parent can see. */
#pragma once

#include <stdint.h>

#include "base/settings.h"
#include "launch/program.h"
#include "live/tally.h"

enum {
	NO_SAMPLE_SIZE = 256
};

struct no_sample {
	const struct settings *settings;
	const struct program *program;
	uint64_t run_ns, cpu_ns; /* of the program and what it started */
	struct live_tally tally; /* of all its processes */
};

/* The reason; in `to`, if there are numbers in it. */
const char *no_sample_why(const struct no_sample *n, char to[NO_SAMPLE_SIZE]);
