/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-attr.c - whether the kernel's events are fit for use. */
#include <stdio.h>
#include <sys/utsname.h>

#include "base/perf-attr.h"

bool perf_sigtrap_is_safe(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	if (uname(&system) ||
	    sscanf(system.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major > 5 || (major == 5 && minor >= 18);
}
