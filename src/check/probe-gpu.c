/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-gpu.c - NVIDIA's driver and its tracing library, opened at run time. */
#include <dlfcn.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check/probe.h"
#include "launch/nvml.h"
#include "launch/preload.h"

static const char not_built[] =
	"this copse was built without CUDA (--with-cuda): GPU work is not "
	"measured, only the calls that wait for it";

static bool is_built(void)
{
	char path[PATH_MAX];

	return !preload_find("libcopse-cuda.so", path);
}

void probe_cuda(struct finding *to, const struct doctor *d)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*init)(unsigned int) = NULL;
	int (*count_devices)(int *) = NULL, (*get_version)(int *) = NULL;
	int count = 0, version = 0, err;

	(void)d;
	if (library) {
		init = (int (*)(unsigned int))(dlsym(library, "cuInit"));
		count_devices =
			(int (*)(int *))(dlsym(library, "cuDeviceGetCount"));
		get_version =
			(int (*)(int *))(dlsym(library, "cuDriverGetVersion"));
	}
	if (!init || !count_devices || !get_version) {
		probe_found(to, FINDING_ABSENT, "there is no libcuda.so.1");
		return;
	}
	err = init(0);
	if (!err)
		err = count_devices(&count);
	get_version(&version);
	if (err || !count)
		probe_found(
			to, FINDING_ABSENT,
			"the driver (CUDA %d.%d) finds no device (error %d)",
			version / 1000, version % 1000 / 10, err);
	else
		probe_found(to, is_built() ? FINDING_YES : FINDING_LIMITED,
			    "CUDA %d.%d, %d device%s", version / 1000,
			    version % 1000 / 10, count, count == 1 ? "" : "s");
	if (!is_built())
		probe_instead(to, not_built);
}

static void *open_cupti(char *path, size_t size)
{
	static const char *const homes[] = { "CUDA_HOME", "CUDA_PATH" };
	static const char *const names[] = {
		"libcupti.so", "libcupti.so.13", "libcupti.so.12",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
		"/usr/local/cuda/lib64/libcupti.so"
	};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(homes) / sizeof(*homes);
	     i++) {
		const char *home = getenv(homes[i]);

		snprintf(path, size, "%s/extras/CUPTI/lib64/libcupti.so",
			 home ? home : "");
		library = home ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	}
	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names);
	     i++) {
		snprintf(path, size, "%s", names[i]);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

void probe_cupti(struct finding *to, const struct doctor *d)
{
	int (*get_version)(unsigned int *);
	unsigned int version = 0;
	char path[512];
	void *library = open_cupti(path, sizeof(path));

	(void)d;
	if (!library) {
		probe_found(to, FINDING_ABSENT, "there is no libcupti.so");
		return;
	}
	get_version =
		(int (*)(unsigned int *))(dlsym(library, "cuptiGetVersion"));
	if (get_version)
		get_version(&version);
	probe_found(to, is_built() ? FINDING_YES : FINDING_LIMITED,
		    "%.200s, version %u", path, version);
	if (!is_built())
		probe_instead(to, not_built);
}

/* What copse run reads of GPUs by default, and --gpu-power=on. */
void probe_gpu_use(struct finding *to, const struct doctor *d)
{
	unsigned int count, telling = 0;

	(void)d;
	if (nvml_open()) {
		probe_found(to, FINDING_ABSENT, "%s", fail_reason());
		return;
	}
	count = nvml_count();
	for (unsigned int i = 0; i < count; i++) {
		struct nvml_device *device = nvml_at(i);

		telling += device && nvml_tells_uses(device);
	}
	if (!count) {
		probe_found(to, FINDING_ABSENT, "NVML shows this user no GPU");
		return;
	}
	probe_found(to, telling == count ? FINDING_YES : FINDING_LIMITED,
		    "NVML tells what parts of %u of %u GPUs are used for",
		    telling, count);
	if (telling < count)
		probe_instead(to, "of the others, clocks, power and whether "
				  "any kernel runs are read: GPUs before "
				  "Hopper, and instances of MIG, have no GPM");
}

/* The driver's parameter, 0 or 1; NUL: there is no driver, or it does not say.
 */
static char counters_for_administrators(void)
{
	FILE *params = fopen("/proc/driver/nvidia/params", "re");
	char line[256], is = 0;

	while (params && fgets(line, sizeof(line), params))
		if (sscanf(line, "RmProfilingAdminOnly: %c", &is) == 1)
			break;
	if (params)
		fclose(params);
	return is;
}

/* --gpu-counters and --gpu-sampling. */
void probe_gpu_counters(struct finding *to, const struct doctor *d)
{
	char path[512], only = counters_for_administrators();
	void *library = open_cupti(path, sizeof(path));

	(void)d;
	if (!only || !library) {
		probe_found(to, FINDING_ABSENT,
			    library ? "there is no driver of NVIDIA"
				    : "there is no libcupti.so");
	} else if (!dlsym(library, "cuptiPmSamplingEnable")) {
		probe_found(to, FINDING_LIMITED,
			    "%.200s has none: they came with CUDA 12.6", path);
		probe_instead(to, "--gpu-counters=on reads nothing");
	} else if (only != '0' && !probe_capable(CAP_SYS_ADMIN)) {
		probe_found(to, FINDING_LIMITED,
			    "the driver shows them to administrators only");
		probe_instead(to, "--gpu-counters=on reads nothing; what "
				  "parts of GPUs are used for is read all the "
				  "same");
		probe_mend(to, "the driver's module with the option "
			       "NVreg_RestrictProfilingToAdminUsers=0");
	} else {
		probe_found(to, FINDING_YES, "open to this user");
	}
}
