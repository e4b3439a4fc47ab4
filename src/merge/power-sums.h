/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-sums.h - gather what all processes read of GPUs' power, and make the
 * run's of it.
 *
 * Failure   -ENOMEM with a reason.
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "run/run.h"
#include "profile/profile.h"

struct board_reader;
struct power_row;

struct power { /* all zero at first */
	struct run_energy sum;
	struct board_reader *readers; /* of each process and GPU */
	struct run_power_bin *bins;   /* of these, by reader */
	struct power_row *rows;       /* phases of readers */
	size_t reader_count, bin_count, row_count;
	size_t power_room, reader_room, bin_room, row_room;
	struct strings names;
	struct map found;
};

void power_fini(struct power *power);

/* What one process has; nodes: of the unified tree. */
int power_add(struct power *power, const struct profile *profile,
	      uint32_t process, const uint32_t *nodes);

/* The nodes of the unified tree that it refers to. */
void power_wanted(const struct power *power, bool *wanted);

/* run->energy; run->gpu is there already, and `power` is empty then. */
int power_finish(struct power *power, struct run *run, const uint32_t *order,
		 const uint32_t *became);
