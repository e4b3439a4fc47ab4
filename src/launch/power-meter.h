/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-meter.h - a process that reads the power of GPUs while a program runs.
 *
 * It is a process of its own because NVIDIA's library may crash, start threads,
 * or never return from the driver.  That must affect neither `copse run` nor
 * the program.  It keeps no descriptor but its pipe, ends with its parent, and
 * writes only to the power file (power-file.h), which keeps the readings
 * however the process ends.
 */
#pragma once

#include <sys/types.h>

#include "launch/power-loop.h"
#include "live/power.h"

struct live_power;

struct power_meter { /* all zero: none */
	pid_t pid;
	int pipe; /* closed to end it */
	struct live_power *power;
	char trouble[200];
};

/*
 * Start the process for the live profiles of that folder.  All signals must be
 * blocked.  -errno with a reason; the program can run without it.
 */
int power_meter_start(struct power_meter *meter, const char *folder,
		      enum power_pace pace);

/*
 * Let it read once more and end.  If it does not end within 0.6 s it is killed
 * and not waited for.  `trouble` says what went wrong, if anything.
 */
void power_meter_stop(struct power_meter *meter);
