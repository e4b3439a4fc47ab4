/* SPDX-License-Identifier: BSD-3-Clause */
/* nvml.c - libnvidia-ml.so.1, as far as power goes. */
#include "launch/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

enum { /* nvmlClockType_t, nvmlTemperatureSensors_t */
	CLOCK_OF_SM = 1,
	CLOCK_OF_MEMORY = 2,
	SENSOR_GPU = 0,
};

struct use { /* nvmlUtilization_t */
	unsigned int gpu, memory;
};

struct pci { /* nvmlPciInfo_t */
	char legacy[16];
	unsigned int domain, bus, device, id, subsystem;
	char bus_id[32];
};

typedef struct nvml_device *device;

/* Mutable: the functions of the library, once it is open; NULL: it has not. */
static struct {
	int (*nvmlInit_v2)(void);
	const char *(*nvmlErrorString)(int);
	int (*nvmlDeviceGetCount_v2)(unsigned int *);
	int (*nvmlDeviceGetHandleByIndex_v2)(unsigned int, device *);
	int (*nvmlDeviceGetUUID)(device, char *, unsigned int);
	int (*nvmlDeviceGetPowerUsage)(device, unsigned int *mw);
	int (*nvmlDeviceGetHandleByUUID)(const char *, device *);
	int (*nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(device, device *);
	int (*nvmlDeviceGetPciInfo_v3)(device, struct pci *);
	int (*nvmlDeviceGetTotalEnergyConsumption)(device,
						   unsigned long long *mj);
	int (*nvmlDeviceGetClockInfo)(device, int type, unsigned int *mhz);
	int (*nvmlDeviceGetUtilizationRates)(device, struct use *);
	int (*nvmlDeviceGetTemperature)(device, int sensor, unsigned int *);
	int (*nvmlDeviceGetCurrentClocksThrottleReasons)(device,
							 unsigned long long *);
} nvml;

#define FUNCTION(name, needed)                                                 \
	{                                                                      \
#name, (void *)&nvml.name, needed                              \
	}
static const struct {
	const char *name;
	void *to;
	bool needed;
} functions[] = {
	FUNCTION(nvmlInit_v2, true),
	FUNCTION(nvmlErrorString, false),
	FUNCTION(nvmlDeviceGetCount_v2, true),
	FUNCTION(nvmlDeviceGetHandleByIndex_v2, true),
	FUNCTION(nvmlDeviceGetUUID, true),
	FUNCTION(nvmlDeviceGetPowerUsage, true),
	FUNCTION(nvmlDeviceGetHandleByUUID, false),
	FUNCTION(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, false),
	FUNCTION(nvmlDeviceGetPciInfo_v3, false),
	FUNCTION(nvmlDeviceGetTotalEnergyConsumption, false),
	FUNCTION(nvmlDeviceGetClockInfo, false),
	FUNCTION(nvmlDeviceGetUtilizationRates, false),
	FUNCTION(nvmlDeviceGetTemperature, false),
	FUNCTION(nvmlDeviceGetCurrentClocksThrottleReasons, false),
};

static const char *error_text(int error)
{
	const char *text =
		nvml.nvmlErrorString ? nvml.nvmlErrorString(error) : NULL;

	return text ? text : "an error";
}

int nvml_open(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	int error;

	if (!library)
		return fail(-ENODEV, "there is no libnvidia-ml.so.1 of "
				     "NVIDIA's driver here");
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(library, functions[i].name);

		memcpy(functions[i].to, &function, sizeof(function));
		if (!function && functions[i].needed)
			return fail(-ENODEV,
				    "libnvidia-ml.so.1 is too old: it has no "
				    "%s",
				    functions[i].name);
	}
	error = nvml.nvmlInit_v2();
	return error ? fail(-ENODEV, "NVML does not start: %s (error %d)",
			    error_text(error), error)
		     : 0;
}

unsigned int nvml_count(void)
{
	unsigned int count = 0;

	return nvml.nvmlDeviceGetCount_v2(&count) ? 0 : count;
}

struct nvml_device *nvml_at(unsigned int i)
{
	device found = NULL;

	return nvml.nvmlDeviceGetHandleByIndex_v2(i, &found) ? NULL : found;
}

struct nvml_device *nvml_of_instance(const char *uuid)
{
	device instance = NULL, whole = NULL;

	if (!nvml.nvmlDeviceGetHandleByUUID ||
	    !nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle ||
	    nvml.nvmlDeviceGetHandleByUUID(uuid, &instance) ||
	    nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(instance, &whole))
		return NULL;
	return whole;
}

void nvml_names(struct nvml_device *d, char *uuid, size_t uuid_size, char *bus,
		size_t bus_size)
{
	struct pci pci = { 0 };

	if (nvml.nvmlDeviceGetUUID(d, uuid, (unsigned int)uuid_size))
		*uuid = 0;
	if (nvml.nvmlDeviceGetPciInfo_v3 &&
	    nvml.nvmlDeviceGetPciInfo_v3(d, &pci))
		pci.bus_id[0] = 0;
	snprintf(bus, bus_size, "%.*s", (int)sizeof(pci.bus_id) - 1,
		 pci.bus_id);
}

static void read_energy(struct nvml_device *d, struct nvml_reading *to)
{
	unsigned long long mj = 0;

	to->asks_energy = true;
	to->knows_energy = nvml.nvmlDeviceGetTotalEnergyConsumption &&
			   !nvml.nvmlDeviceGetTotalEnergyConsumption(d, &mj);
	to->energy_mj = mj;
}

static void read_state(struct nvml_device *d, struct nvml_reading *to)
{
	unsigned long long reasons = 0;
	struct use use = { 0 };

	to->knows_clocks =
		nvml.nvmlDeviceGetClockInfo &&
		!nvml.nvmlDeviceGetClockInfo(d, CLOCK_OF_SM, &to->sm_mhz) &&
		!nvml.nvmlDeviceGetClockInfo(d, CLOCK_OF_MEMORY,
					     &to->memory_mhz);
	to->knows_use = nvml.nvmlDeviceGetUtilizationRates &&
			!nvml.nvmlDeviceGetUtilizationRates(d, &use);
	to->used = use.gpu;
	to->knows_reasons =
		nvml.nvmlDeviceGetCurrentClocksThrottleReasons &&
		!nvml.nvmlDeviceGetCurrentClocksThrottleReasons(d, &reasons);
	to->reasons = reasons;
	if (!nvml.nvmlDeviceGetTemperature ||
	    nvml.nvmlDeviceGetTemperature(d, SENSOR_GPU, &to->celsius))
		to->celsius = 0;
}

int nvml_read(struct nvml_device *d, unsigned int asked,
	      struct nvml_reading *to)
{
	int error;

	*to = (struct nvml_reading){ 0 };
	error = nvml.nvmlDeviceGetPowerUsage(d, &to->mw);
	if (error)
		return fail(-EIO,
			    "a GPU does not tell its power: %s (error "
			    "%d)",
			    error_text(error), error);
	if (asked & NVML_ENERGY)
		read_energy(d, to);
	if (asked & NVML_STATE)
		read_state(d, to);
	return 0;
}
