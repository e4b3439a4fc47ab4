/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml.h - what NVIDIA's management library says of GPUs.
 *
 * The library is opened at run time and its functions are declared here: its
 * header is in none of Debian's packages.  It may crash, hang, or start
 * threads: whoever calls this is a process that may be killed.
 */
#ifndef LAUNCH_NVML_H
#define LAUNCH_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvml_device; /* NVML's own */

/* Opens the library and asks it to begin: 0, or -ENODEV with a reason. */
int nvml_open(void);

/* GPUs that this user may see; 0: there is none, or NVML does not say. */
unsigned int nvml_count(void);

/* GPU i of these, NULL: it may not be used. */
struct nvml_device *nvml_at(unsigned int i);

/* The GPU of which this is the UUID of a MIG instance; NULL: it is none. */
struct nvml_device *nvml_of_instance(const char *uuid);

/* "GPU-…" and "00000000:1B:00.0", each "" when it is not known. */
void nvml_names(struct nvml_device *device, char *uuid, size_t uuid_size,
		char *bus, size_t bus_size);

/*
 * What is asked for beside power.  Of an H200 the energy counter takes 4 ms of
 * a core each time, all of the rest 0.1 ms.
 */
enum nvml_asked {
	NVML_ENERGY = 1,
	NVML_STATE = 2, /* clocks, use, temperature */
};

/* What one reading found; `knows_…`: this GPU, and this driver, say it. */
struct nvml_reading {
	unsigned int mw;
	bool asks_energy; /* false: that it is not known means nothing */
	bool knows_energy, knows_clocks, knows_use, knows_reasons;
	uint64_t energy_mj; /* since the driver was loaded */
	unsigned int sm_mhz, memory_mhz;
	unsigned int used;    /* per cent of a short while, a kernel ran */
	unsigned int celsius; /* 0: not known */
	uint64_t reasons;     /* why clocks are as they are: NVML's bits */
};

/* Of enum nvml_asked.  0; -EIO with a reason when power cannot be read. */
int nvml_read(struct nvml_device *device, unsigned int asked,
	      struct nvml_reading *to);

/* Of the reasons those for which clocks are lower than they could be. */
#define NVML_SLOWED 0xec

#endif
