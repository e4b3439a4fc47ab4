/* SPDX-License-Identifier: BSD-3-Clause */
/* power-tables.c - what run.h5 has of GPUs' energy. */
#include <errno.h>

#include "run/power-tables.h"
#include "profile/store.h"

#define POWER(TYPE, member) STORE_FIELD(TYPE, struct run_power, member)
static const struct store_field power_fields[] = {
	POWER(U32, host),
	POWER(U32, uuid),
	POWER(U32, bus),
	POWER(U32, readers),
	POWER(U32, counts),
	POWER(U32, is_mig),
	POWER(U64, readings),
	POWER(U64, failures),
	POWER(U64, reasons),
	POWER(F64, seconds),
	POWER(F64, joules),
	POWER(F64, integral),
	POWER(F64, integral_seconds),
	POWER(F64, idle),
	POWER(F64, least_watts),
	POWER(F64, most_watts),
	POWER(F64, sm_mhz),
	POWER(F64, memory_mhz),
	POWER(F64, used),
	POWER(F64, slowed),
	POWER(F64, celsius),
	POWER(F64, reading_cpu),
	POWER(F64, slowest),
	{ 0 },
};

#define DEVICE(TYPE, member) STORE_FIELD(TYPE, struct run_power_device, member)
static const struct store_field device_fields[] = {
	DEVICE(U32, power),
	{ 0 },
};

#define PHASE(TYPE, member) STORE_FIELD(TYPE, struct run_power_phase, member)
static const struct store_field phase_fields[] = {
	PHASE(U32, power),  PHASE(U32, node),    PHASE(U64, readings),
	PHASE(F64, joules), PHASE(F64, seconds), { 0 },
};

#define PART(group, fields, array, number)                                     \
	STORE_PART(struct run_energy, group, fields, array, number)
static const struct store_part parts[] = {
	PART("gpu-power/gpus", power_fields, powers, power_count),
	PART("gpu-power/devices", device_fields, devices, device_count),
	PART("gpu-power/phases", phase_fields, phases, phase_count),
};
enum {
	PARTS = sizeof(parts) / sizeof(parts[0])
};

void power_tables_put(struct store *s, const struct run_energy *energy)
{
	store_put_parts(s, parts, PARTS, energy);
}

void power_tables_get(struct store *s, struct run_energy *energy)
{
	store_get_parts(s, parts, PARTS, energy);
}

void power_tables_check(struct store *s, const struct run *run)
{
	const struct run_energy *e = &run->energy;
	bool good =
		!e->device_count || e->device_count == run->gpu.device_count;

	for (size_t i = 0; i < e->power_count && good; i++)
		good = e->powers[i].host < run->strings.count &&
		       e->powers[i].uuid < run->strings.count &&
		       e->powers[i].bus < run->strings.count;
	for (size_t i = 0; i < e->device_count && good; i++)
		good = e->devices[i].power < e->power_count ||
		       e->devices[i].power == RUN_NO_POWER;
	for (size_t i = 0; i < e->phase_count && good; i++)
		good = e->phases[i].power < e->power_count &&
		       e->phases[i].node < run->node_count;
	if (!good)
		store_fail(s, -EINVAL, "damaged: the energy of GPUs");
}
