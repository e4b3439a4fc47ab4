/* SPDX-License-Identifier: BSD-3-Clause */
/* occupancy.c - the least of four limits. */
#include "analyse/gpu/occupancy.h"

enum {
	REGISTER_UNIT = 256 /* a warp's are a multiple of it */
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* A multiprocessor has so many equal parts, each with registers of its own. */
static uint32_t parts_of_multiprocessor(const struct run_model *m)
{
	return m->major == 6 && !m->minor ? 2 : 4;
}

static uint64_t by_registers(const struct run_model *m,
			     const struct run_shape *s, uint64_t warps)
{
	uint64_t of_warp =
		round_up((uint64_t)s->registers * m->warp, REGISTER_UNIT);
	uint32_t parts = parts_of_multiprocessor(m);

	if (!of_warp)
		return UINT32_MAX;
	if (of_warp * round_up(warps, parts) > m->block_registers)
		return 0;
	return m->registers / parts / of_warp * parts / warps;
}

static uint64_t by_shared(const struct run_model *m, const struct run_shape *s)
{
	uint64_t unit = m->major >= 8 ? 128 : 256;
	uint64_t of_block =
		round_up((uint64_t)s->static_shared + s->dynamic_shared +
				 m->reserved_shared,
			 unit);

	return of_block ? m->shared / of_block : UINT32_MAX;
}

struct occupancy occupancy_of(const struct run_model *model,
			      const struct run_shape *shape)
{
	uint64_t threads =
		(uint64_t)shape->block_x * shape->block_y * shape->block_z;
	uint64_t warp = model->warp ? model->warp : 32;
	uint64_t warps = threads ? (threads + warp - 1) / warp : 1;
	uint64_t most = model->threads / warp;
	const struct {
		const char *name;
		uint64_t blocks;
	} limits[] = {
		{ "block size", most / warps },
		{ "registers", by_registers(model, shape, warps) },
		{ "shared", by_shared(model, shape) },
		{ "blocks", model->blocks },
	};
	struct occupancy o = { .blocks = UINT32_MAX, .limit = "" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].blocks < o.blocks) {
			o.blocks = (uint32_t)limits[i].blocks;
			o.limit = limits[i].name;
		}
	o.share = most ? (double)(o.blocks * warps) / (double)most : 0;
	if (o.blocks * warps >= most)
		o.limit = "";
	return o;
}
