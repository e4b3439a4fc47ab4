/* SPDX-License-Identifier: BSD-3-Clause */
/* nvml.c - libnvidia-ml.so.1, as far as power goes. */
#include "launch/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
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

struct gpm_support { /* nvmlGpmSupport_t */
	unsigned int version, is;
};

enum {
	GPM_VERSION = 1,
	GPM_METRICS = 11,
};

struct gpm_metric { /* nvmlGpmMetric_t */
	unsigned int id;
	int error;
	double value;
	const char *words[3];
};

/* nvmlGpmMetricsGet_t, as long as it is used. */
struct gpm_request {
	unsigned int version, count;
	void *from, *to;
	struct gpm_metric metrics[GPM_METRICS];
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
	int (*nvmlGpmQueryDeviceSupport)(device, struct gpm_support *);
	int (*nvmlGpmSampleAlloc)(void **sample);
	int (*nvmlGpmSampleGet)(device, void *sample);
	int (*nvmlGpmMetricsGet)(struct gpm_request *);
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
	FUNCTION(nvmlGpmQueryDeviceSupport, false),
	FUNCTION(nvmlGpmSampleAlloc, false),
	FUNCTION(nvmlGpmSampleGet, false),
	FUNCTION(nvmlGpmMetricsGet, false),
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

/* GPM's numbers of its metrics, in per cent or MiB a second. */
static const struct {
	unsigned int id;
	bool is_rate;
	size_t at; /* in struct gpu_uses */
} gpm_metrics[GPM_METRICS] = {
#define SHARE(id, name)                                                        \
	{                                                                      \
		id, false, offsetof(struct gpu_uses, name)                     \
	}
#define RATE(id, name)                                                         \
	{                                                                      \
		id, true, offsetof(struct gpu_uses, name)                      \
	}
	SHARE(2, use_sm),        SHARE(3, use_warps),
	SHARE(5, use_tensor),    SHARE(10, use_memory),
	SHARE(11, use_fp64),     SHARE(12, use_fp32),
	SHARE(13, use_fp16),     RATE(20, pcie_sent),
	RATE(21, pcie_received), RATE(60, nvlink_received),
	RATE(61, nvlink_sent),
#undef SHARE
#undef RATE
};

bool nvml_tells_uses(struct nvml_device *d)
{
	struct gpm_support support = { .version = GPM_VERSION };

	return nvml.nvmlGpmQueryDeviceSupport && nvml.nvmlGpmSampleAlloc &&
	       nvml.nvmlGpmSampleGet && nvml.nvmlGpmMetricsGet &&
	       !nvml.nvmlGpmQueryDeviceSupport(d, &support) && support.is;
}

static bool open_gpm(device d, struct nvml_uses *uses)
{
	if (!uses->samples[0] && !uses->refused)
		uses->refused = !nvml_tells_uses(d) ||
				nvml.nvmlGpmSampleAlloc(&uses->samples[0]) ||
				nvml.nvmlGpmSampleAlloc(&uses->samples[1]);
	return !uses->refused;
}

/* A very short time has shares that are no numbers. */
static bool is_use_valid(const struct gpm_metric *m, bool is_rate)
{
	return m->error || (isfinite(m->value) && m->value >= 0 &&
			    (is_rate || m->value <= 101));
}

/* In nanoseconds of that time, or in bytes. */
static uint64_t use_of_metric(const struct gpm_metric *m, bool is_rate,
			      uint64_t ns)
{
	double scale = is_rate ? 1048576 / 1e9 : 0.01;

	return m->error ? GPU_USE_UNTOLD
			: (uint64_t)(m->value * scale * (double)ns);
}

bool nvml_read_uses(struct nvml_device *d, struct nvml_uses *uses, uint64_t now,
		    struct gpu_uses *to)
{
	struct gpm_request request = { .version = GPM_VERSION,
				       .count = GPM_METRICS };
	uint64_t ns = uses->last_ns ? now - uses->last_ns : 0;
	void *first = uses->samples[0];

	if (!open_gpm(d, uses) ||
	    nvml.nvmlGpmSampleGet(d, uses->samples[ns > 0]))
		return false;
	uses->last_ns = now;
	if (!ns)
		return false;
	request.from = first;
	request.to = uses->samples[1];
	for (size_t i = 0; i < GPM_METRICS; i++)
		request.metrics[i].id = gpm_metrics[i].id;
	uses->samples[0] = uses->samples[1];
	uses->samples[1] = first;
	if (nvml.nvmlGpmMetricsGet(&request))
		return false;
	for (size_t i = 0; i < GPM_METRICS; i++)
		if (!is_use_valid(&request.metrics[i], gpm_metrics[i].is_rate))
			return false;
	to->uses_ns = ns;
	for (size_t i = 0; i < GPM_METRICS; i++) {
		uint64_t use = use_of_metric(&request.metrics[i],
					     gpm_metrics[i].is_rate, ns);

		memcpy((char *)to + gpm_metrics[i].at, &use, sizeof(use));
	}
	return true;
}
