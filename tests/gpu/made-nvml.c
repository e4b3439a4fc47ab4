/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-nvml.c - a libnvidia-ml.so.1 that has three GPUs: those of the made
 * CUDA, the second one first, and one that no program sees.
 *
 * The first of CUDA's takes what the file MADE_POWER says, 200 W without; the
 * other 50 W, the third 999 W.  MADE_NVML is a fault: mismatch, hang-start,
 * nocounter, nogpm, other (the third cannot be read); and once ten readings
 * were made: hang, lost, crash.  MADE_OLD builds one without the functions that
 * a driver may lack, MADE_BARE without one that is needed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made-power.h"

enum {
	GPUS = 3,
	NOT_SUPPORTED = 3,
	LOST = 15,
	MISMATCH = 18,
	ENOUGH = 10,
};

struct gpu {
	const char *uuid_end;
	double watts; /* constant; 0: of the file */
};
/* In NVML's order, which is another than CUDA's. */
static struct gpu gpus[GPUS] = {
	{ "000000000001", 50 },
	{ "000000000000", 0 },
	{ "0000000000ff", 999 },
};

static const char *fault(void)
{
	const char *word = getenv("MADE_NVML");

	return word ? word : "";
}

static const struct made_power *power(void)
{
	static const struct made_power *map;
	const char *path = getenv("MADE_POWER");
	int fd = path && !map ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		void *at =
			mmap(NULL, sizeof(*map), PROT_READ, MAP_SHARED, fd, 0);

		map = at == MAP_FAILED ? NULL : at;
		close(fd);
	}
	return map;
}

static void hang(void)
{
	for (;;)
		pause();
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	if (!strcmp(fault(), "hang-start"))
		hang();
	return strcmp(fault(), "mismatch") ? 0 : MISMATCH;
}

const char *nvmlErrorString(int error);
const char *nvmlErrorString(int error)
{
	return error == MISMATCH ? "Driver/library version mismatch"
				 : "GPU is lost";
}

int nvmlDeviceGetCount_v2(unsigned int *count);
int nvmlDeviceGetCount_v2(unsigned int *count)
{
	*count = GPUS;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int i, struct gpu **to);
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, struct gpu **to)
{
	*to = &gpus[i];
	return 0;
}

int nvmlDeviceGetUUID(struct gpu *g, char *to, unsigned int size);
int nvmlDeviceGetUUID(struct gpu *g, char *to, unsigned int size)
{
	snprintf(to, size, "GPU-01000000-0000-0000-0000-%s", g->uuid_end);
	return 0;
}

#ifndef MADE_BARE
int nvmlDeviceGetPowerUsage(struct gpu *g, unsigned int *mw);
int nvmlDeviceGetPowerUsage(struct gpu *g, unsigned int *mw)
{
	static int readings;
	double watts = g->watts;

	if (watts > 900 && !strcmp(fault(), "other"))
		return NOT_SUPPORTED;
	if (readings++ >= ENOUGH) {
		if (!strcmp(fault(), "hang"))
			hang();
		if (!strcmp(fault(), "crash"))
			abort();
		if (!strcmp(fault(), "lost"))
			return LOST;
	}
	if (watts <= 0)
		watts = power() && power()->since_ns ? power()->watts : 200;
	*mw = (unsigned int)(watts * 1000);
	return 0;
}
#endif

#ifndef MADE_OLD
int nvmlDeviceGetTotalEnergyConsumption(struct gpu *g, unsigned long long *mj);
int nvmlDeviceGetTotalEnergyConsumption(struct gpu *g, unsigned long long *mj)
{
	double joules = (double)made_power_clock() / 1e9 *
			(g->watts > 0 ? g->watts : 200);
	bool steps = g->watts <= 0 && getenv("MADE_POWER");

	if (!strcmp(fault(), "nocounter"))
		return NOT_SUPPORTED;
	if (steps)
		joules = power() ? made_power_joules(power()) : 0;
	*mj = (unsigned long long)(joules * 1000);
	return 0;
}

int nvmlDeviceGetPciInfo_v3(struct gpu *g, void *to);
int nvmlDeviceGetPciInfo_v3(struct gpu *g, void *to)
{
	snprintf((char *)to + 36, 32, "00000000:%02X:00.0",
		 0x1b + (int)(g - gpus));
	return 0;
}

int nvmlDeviceGetClockInfo(struct gpu *g, int type, unsigned int *mhz);
int nvmlDeviceGetClockInfo(struct gpu *g, int type, unsigned int *mhz)
{
	(void)g;
	*mhz = type == 1 ? 1500 : 2600;
	return 0;
}

int nvmlDeviceGetUtilizationRates(struct gpu *g, unsigned int to[2]);
int nvmlDeviceGetUtilizationRates(struct gpu *g, unsigned int to[2])
{
	(void)g;
	to[0] = 80;
	to[1] = 20;
	return 0;
}

int nvmlDeviceGetTemperature(struct gpu *g, int sensor, unsigned int *to);
int nvmlDeviceGetTemperature(struct gpu *g, int sensor, unsigned int *to)
{
	(void)g;
	*to = sensor == 0 ? 61 : 0;
	return 0;
}

/*
 * GPM: of what a GPU takes, a tenth as per cent of tensor cores and a fifth as
 * per cent of memory; 90 % of multiprocessors with 25 % of their warps; 1,000
 * MiB/s received.  Of NVLink and FP64 it tells nothing.
 */
struct gpm_sample {
	double joules, seconds;
};

struct gpm_support {
	unsigned int version, is;
};

struct gpm_request {
	unsigned int version, count;
	struct gpm_sample *from, *to;
	struct {
		unsigned int id;
		int error;
		double value;
		const char *words[3];
	} metrics[];
};

int nvmlGpmQueryDeviceSupport(struct gpu *g, struct gpm_support *to);
int nvmlGpmQueryDeviceSupport(struct gpu *g, struct gpm_support *to)
{
	(void)g;
	to->is = to->version == 1 && strcmp(fault(), "nogpm");
	return 0;
}

int nvmlGpmSampleAlloc(struct gpm_sample **to);
int nvmlGpmSampleAlloc(struct gpm_sample **to)
{
	*to = calloc(1, sizeof(**to));
	return 0;
}

int nvmlGpmSampleGet(struct gpu *g, struct gpm_sample *to);
int nvmlGpmSampleGet(struct gpu *g, struct gpm_sample *to)
{
	to->seconds = (double)made_power_clock() / 1e9;
	to->joules = g->watts > 0                   ? g->watts * to->seconds
		     : power() && power()->since_ns ? made_power_joules(power())
						    : 200 * to->seconds;
	return 0;
}

int nvmlGpmMetricsGet(struct gpm_request *r);
int nvmlGpmMetricsGet(struct gpm_request *r)
{
	double watts = (r->to->joules - r->from->joules) /
		       (r->to->seconds - r->from->seconds);

	for (unsigned int i = 0; i < r->count; i++) {
		unsigned int id = r->metrics[i].id;

		r->metrics[i].error = id == 11 || id >= 60 ? NOT_SUPPORTED : 0;
		r->metrics[i].value = id == 2    ? 90
				      : id == 3  ? 25
				      : id == 5  ? watts / 10
				      : id == 10 ? watts / 5
				      : id == 21 ? 1000
						 : 0;
	}
	return 0;
}

/* Held down by the power cap while it takes more than 350 W. */
int nvmlDeviceGetCurrentClocksThrottleReasons(struct gpu *g,
					      unsigned long long *to);
int nvmlDeviceGetCurrentClocksThrottleReasons(struct gpu *g,
					      unsigned long long *to)
{
	*to = g->watts <= 0 && power() && power()->watts > 350 ? 4 : 0;
	return 0;
}
#endif
