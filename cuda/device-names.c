/* SPDX-License-Identifier: BSD-3-Clause */
/* device-names.c - asks the driver that is loaded. */
#include "cuda/device.h"

#include <dlfcn.h>

#include "collect/gpu/gpu-time.h"
#include "collect/gpu/gpu.h"
#include "cuda/cupti.h"

enum {
	DEVICES_MOST = 64,
	NAME_MOST = 64,
};

struct driver {
	int (*get_count)(int *count);
	int (*get_name)(char *name, int size, int device);
	int (*get_uuid)(CUuuid *uuid, int device);
};

/* Version 2 tells a MIG instance's. */
static bool look_up_driver(struct driver *d)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (library) {
		d->get_count =
			(int (*)(int *))dlsym(library, "cuDeviceGetCount");
		d->get_name = (int (*)(char *, int, int))dlsym(
			library, "cuDeviceGetName");
		d->get_uuid = (int (*)(CUuuid *, int))dlsym(
			library, "cuDeviceGetUuid_v2");
		if (!d->get_uuid)
			d->get_uuid = (int (*)(CUuuid *, int))dlsym(
				library, "cuDeviceGetUuid");
		dlclose(library);
	}
	dlerror(); /* the program shall not see our failures */
	return library && d->get_count && d->get_name && d->get_uuid;
}

static void tell_device_name(const struct driver *d, int i)
{
	char name[NAME_MOST] = "";
	CUuuid uuid;
	const struct gpu_device device = { .id = (uint32_t)i,
					   .name = name,
					   .uuid = (const uint8_t *)&uuid,
					   .instance = -1 };

	if (!d->get_name(name, sizeof(name), i) && !d->get_uuid(&uuid, i))
		copse_gpu_device(&device);
}

bool device_uuid(int device, CUuuid *uuid)
{
	struct driver d = { 0 };

	return look_up_driver(&d) && !d.get_uuid(uuid, device);
}

/* A driver that lacks one of them is not asked again. */
bool device_names_report(void)
{
	struct driver d = { 0 };
	int count = 0;

	if (!look_up_driver(&d))
		return true;
	if (d.get_count(&count))
		return false;
	for (int i = 0; i < count && i < DEVICES_MOST; i++)
		tell_device_name(&d, i);
	return true;
}
