/* SPDX-License-Identifier: BSD-3-Clause */
/* ticks.c - setting a thread's clock by the kernel's. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "arch/timestamp.h"
#include "base/sys.h"
#include "collect/sampling/ticks.h"
#include "collect/time.h"

enum {
	SHORTEST_NS = 1000000, /* over which a rate is measured */
};

/* Mutable: set once, when MPI starts. */
static bool allowed;

void ticks_init(void)
{
	static const char path[] = "/sys/devices/system/clocksource/"
				   "clocksource0/current_clocksource";
	static const char wanted[] = TIMESTAMP_CLOCKSOURCE "\n";
	const long size = sizeof(wanted) - 1;
	char name[sizeof(wanted)] = "";
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	allowed = sys3(SYS_read, fd, name, sizeof(name)) == size &&
		  !memcmp(name, wanted, sizeof(wanted) - 1);
	sys1(SYS_close, fd);
}

void ticks_set(struct ticks *ticks)
{
	uint64_t ns = time_now(CLOCK_MONOTONIC), counter = timestamp_read();
	uint64_t passed = ns - ticks->ns;

	if (ticks->counter && passed < SHORTEST_NS)
		return;
	/* One that is no clock may stand still, or differ from core to core. */
	if (ticks->counter && counter > ticks->counter) {
		ticks->scale =
			(uint64_t)(((unsigned __int128)passed << TICKS_SHIFT) /
				   (counter - ticks->counter));
		ticks->is_clock = allowed;
	}
	ticks->counter = counter;
	ticks->ns = ns;
}
