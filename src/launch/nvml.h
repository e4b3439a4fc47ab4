/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml.h - reads GPUs by NVIDIA's management library (NVML).
 *
 * The library is opened at run time.  nvml.c declares its functions, because no
 * Debian package has the header.  NVML may crash, hang, or start threads, so
 * only a process that may be killed calls this.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/gpu-uses.h"

struct nvml_device; /* NVML's own */

/* Open and initialise the library: 0, or -ENODEV with a reason. */
int nvml_open(void);

/* The number of GPUs that this user may see; 0: none, or NVML failed. */
unsigned int nvml_count(void);

/* GPU i of these; NULL: it may not be used. */
struct nvml_device *nvml_at(unsigned int i);

/* The GPU of the MIG instance with that UUID; NULL: there is none. */
struct nvml_device *nvml_of_instance(const char *uuid);

/* "GPU-…" and "00000000:1B:00.0", each "" when it is not known. */
void nvml_names(struct nvml_device *device, char *uuid, size_t uuid_size,
		char *bus, size_t bus_size);

/*
 * What to read in addition to power.  On an H200, one read of the energy
 * counter takes 4 ms of a core; all others together take 0.1 ms.
 */
enum nvml_asked {
	NVML_ENERGY = 1,
	NVML_STATE = 2, /* clocks, use, temperature */
};

/* One reading; `knows_…`: this GPU and this driver report it. */
struct nvml_reading {
	unsigned int mw;
	bool asks_energy; /* false: it was not asked for */
	bool knows_energy, knows_clocks, knows_use, knows_reasons;
	uint64_t energy_mj; /* since the driver was loaded */
	unsigned int sm_mhz, memory_mhz;
	unsigned int used; /* per cent of a short time in which kernels ran */
	unsigned int celsius; /* 0: not known */
	uint64_t reasons;     /* NVML's bits: why the clocks are lowered */
};

/* `asked`: bits of enum nvml_asked.  -EIO with a reason: power is unreadable.
 */
int nvml_read(struct nvml_device *device, unsigned int asked,
	      struct nvml_reading *to);

/*
 * What parts of a GPU were used for (GPM: Hopper and later, for any user).
 * Counters run all the time: a reading is of the time since the one before, of
 * whatever process.  It takes 1.8 ms of a core on an H200.
 */
struct nvml_uses { /* all zero at first */
	void *samples[2];
	uint64_t last_ns; /* of samples[0]; 0: there is none */
	bool refused;
};

/* Whether this GPU and driver have that. */
bool nvml_tells_uses(struct nvml_device *device);

/* At this time.  False: nothing is known, or this is the first reading. */
bool nvml_read_uses(struct nvml_device *device, struct nvml_uses *uses,
		    uint64_t now, struct gpu_uses *to);

/* The reasons that mean slower clocks than the GPU could have. */
#define NVML_SLOWED 0xec
