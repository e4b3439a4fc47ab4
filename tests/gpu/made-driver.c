/* SPDX-License-Identifier: BSD-3-Clause */
/* made-driver.c - a libcuda.so.1 that knows two devices by name; preloaded. */
#include <stdio.h>
#include <string.h>

struct uuid {
	unsigned char bytes[16];
};

int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetUuid_v2(struct uuid *uuid, int device);

/* 3: not initialised, the first time. */
int cuDeviceGetCount(int *count)
{
	static int asked;

	*count = 2;
	return asked++ ? 0 : 3;
}

int cuDeviceGetName(char *name, int size, int device)
{
	snprintf(name, (size_t)size, "Made %d", 200 + device);
	return 0;
}

int cuDeviceGetUuid_v2(struct uuid *uuid, int device)
{
	memset(uuid, 0xa0 + device, sizeof(*uuid));
	return 0;
}
