/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-meter.h - a process that reads the power of GPUs while a program runs.
 *
 * It is one of its own, because NVIDIA's library may crash, start threads, or
 * never return from the driver: none of that may reach `copse run`, and still
 * less the program, of whose processes it is none.  It keeps no descriptor but
 * its pipe, ends with its parent, and writes only to the file of
 * launch/power-file.h, where what it has read stays, however it ends.
 */
#ifndef LAUNCH_POWER_METER_H
#define LAUNCH_POWER_METER_H

#include <sys/types.h>

struct live_power;

struct power_meter { /* all zero: none */
	pid_t pid;
	int pipe; /* closed to end it */
	struct live_power *power;
	char trouble[200];
};

/*
 * Start one for the live profiles of that folder.  All signals must be blocked.
 * Without one (-errno with a reason) the program runs as it would with it.
 */
int power_meter_start(struct power_meter *meter, const char *folder);

/*
 * One more reading, and its end; one that does not end within 0.6 s is killed
 * and left behind.  What went wrong, if anything: `trouble`, for people.
 */
void power_meter_stop(struct power_meter *meter);

#endif
