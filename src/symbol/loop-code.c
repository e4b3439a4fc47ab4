/* SPDX-License-Identifier: BSD-3-Clause */
/* loop-code.c - instructions, by capstone; blocks; edges; their loops. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/flow.h"
#include "base/err.h"
#include "symbol/loop-code.h"

/* Foreign input: longer functions have no loops for us. */
#define MOST_CODE (4u << 20)

struct code_reading {
	struct loop_code *code;
	const struct loop_calls *calls;
	uint8_t *flow;    /* enum flow of each instruction */
	uint32_t *target; /* an instruction; LOOP_NONE: outside */
	bool *leads;      /* a block begins here */
	uint32_t *at;     /* offset -> instruction, LOOP_NONE: within one */
	uint32_t *begin;  /* first instruction of each block, and the end */
	uint32_t *first, *to;
	bool *reached; /* block: something leads to it */
};

static int allocate_code(struct code_reading *r, size_t size)
{
	r->code->starts = calloc(size + 1, sizeof(uint32_t));
	r->flow = calloc(size + 1, sizeof(*r->flow));
	r->target = calloc(size + 1, sizeof(*r->target));
	r->leads = calloc(size + 1, sizeof(*r->leads));
	r->at = malloc((size + 1) * sizeof(*r->at));
	return r->code->starts && r->flow && r->target && r->leads && r->at
		       ? 0
		       : -ENOMEM;
}

static bool flow_stops(uint8_t flow)
{
	return flow >= JUMPS;
}

/* What the flow of an instruction is behind another. */
static enum flow flow_behind(const struct code_reading *r, enum flow flow,
			     uint64_t target)
{
	uint32_t n = r->code->count;

	if (flow == PADDING && !(n && flow_stops(r->flow[n - 1])))
		return GOES_ON;
	if (flow == CALLS)
		return !r->calls || r->calls->returns(r->calls->of, target)
			       ? GOES_ON
			       : ENDS;
	return flow;
}

/* All instructions; false where the disassembler lost its way. */
static bool decode_code(struct code_reading *r, csh handle, cs_insn *i,
			const unsigned char *bytes)
{
	struct loop_code *code = r->code;
	const uint8_t *at = bytes;
	size_t left = code->size;
	uint64_t address = code->address;

	memset(r->at, 0xff, (code->size + 1) * sizeof(*r->at));
	while (left) {
		uint32_t offset = (uint32_t)(address - code->address);
		uint32_t n = code->count;
		enum flow flow;
		uint64_t to;

		if (!cs_disasm_iter(handle, &at, &left, &address, i))
			return false;
		code->starts[n] = offset;
		r->at[offset] = n;
		flow = flow_of(i, &to);
		r->flow[n] = (uint8_t)flow_behind(r, flow, to);
		r->target[n] = LOOP_NONE;
		code->count++;
		if (r->flow[n] != BRANCHES && r->flow[n] != JUMPS)
			continue;
		to -= code->address;
		if (to < code->size)
			r->target[n] = (uint32_t)to; /* still an offset */
	}
	return true;
}

/* Offsets become instructions; what is a target is no padding. */
static void find_leaders(struct code_reading *r)
{
	uint32_t count = r->code->count;

	r->leads[0] = true;
	for (uint32_t n = 0; n < count; n++) {
		uint32_t to;

		if (r->target[n] == LOOP_NONE)
			continue;
		to = r->target[n] = r->at[r->target[n]];
		if (to == LOOP_NONE)
			continue;
		r->leads[to] = true;
		while (to < count && r->flow[to] == PADDING)
			r->flow[to++] = GOES_ON;
	}
	for (uint32_t n = 0; n < count; n++)
		if (r->flow[n] != GOES_ON)
			r->leads[n + 1] = true;
}

static int make_blocks(struct code_reading *r)
{
	struct loop_code *code = r->code;
	uint32_t b = 0;

	find_leaders(r);
	code->block_of = calloc(code->count, sizeof(*code->block_of));
	r->begin = calloc(code->count + 1, sizeof(*r->begin));
	if (!code->block_of || !r->begin)
		return -ENOMEM;
	for (uint32_t n = 0; n < code->count; n++) {
		if (r->leads[n])
			r->begin[b++] = n;
		code->block_of[n] = b - 1;
	}
	r->begin[b] = code->count;
	code->block_count = b;
	return 0;
}

/* Where the last instruction of a block leads: 0 to 2 blocks. */
static int block_successors(const struct code_reading *r, uint32_t b,
			    uint32_t to[2])
{
	uint32_t last = r->begin[b + 1] - 1;
	int count = 0;

	if ((r->flow[last] == GOES_ON || r->flow[last] == BRANCHES) &&
	    b + 1 < r->code->block_count)
		to[count++] = b + 1;
	if (r->target[last] != LOOP_NONE)
		to[count++] = r->code->block_of[r->target[last]];
	return count;
}

static uint32_t list_unreached(struct code_reading *r, uint32_t *unreached)
{
	uint32_t count = 0, to[2];

	for (uint32_t b = 0; b < r->code->block_count; b++)
		for (int i = block_successors(r, b, to); i--;)
			if (to[i] != b)
				r->reached[to[i]] = true;
	for (uint32_t b = 1; b < r->code->block_count; b++)
		if (!r->reached[b] && r->flow[r->begin[b]] != PADDING)
			unreached[count++] = b;
	return count;
}

static bool jumps_anywhere(const struct code_reading *r, uint32_t b)
{
	return r->flow[r->begin[b + 1] - 1] == JUMPS_ANYWHERE;
}

static int make_edges(struct code_reading *r)
{
	uint32_t blocks = r->code->block_count, edges = 0, anywhere = 0, to[2];
	uint32_t *unreached = calloc(blocks + 1, sizeof(*unreached)), count;
	uint64_t room;

	r->reached = calloc(blocks + 1, sizeof(*r->reached));
	r->first = calloc(blocks + 1, sizeof(*r->first));
	if (!unreached || !r->reached || !r->first) {
		free(unreached);
		return -ENOMEM;
	}
	count = list_unreached(r, unreached);
	for (uint32_t b = 0; b < blocks; b++)
		anywhere += jumps_anywhere(r, b);
	room = 2 * (uint64_t)blocks + (uint64_t)anywhere * count;
	if (room > MOST_CODE) { /* an interpreter: leave these edges out */
		room = 2 * (uint64_t)blocks;
		count = 0;
	}
	r->to = calloc(room + 1, sizeof(*r->to));
	for (uint32_t b = 0; b < blocks && r->to; b++) {
		r->first[b] = edges;
		for (int i = 0, n = block_successors(r, b, to); i < n; i++)
			r->to[edges++] = to[i];
		for (uint32_t i = 0; jumps_anywhere(r, b) && i < count; i++)
			r->to[edges++] = unreached[i];
	}
	r->first[blocks] = edges;
	free(unreached);
	return r->to ? 0 : -ENOMEM;
}

static int find_loops(struct code_reading *r)
{
	struct loop_code *code = r->code;
	struct loop_graph graph;
	int err = make_blocks(r);

	if (!err)
		err = make_edges(r);
	if (err)
		return err;
	code->inside = calloc(code->block_count, sizeof(*code->inside));
	code->is_header = calloc(code->block_count, sizeof(*code->is_header));
	if (!code->inside || !code->is_header)
		return -ENOMEM;
	graph = (struct loop_graph){ code->block_count, r->first, r->to };
	return loop_nest_find(&graph, code->inside, code->is_header);
}

static int read_with(struct code_reading *r, csh handle,
		     const unsigned char *bytes)
{
	cs_insn *i = cs_malloc(handle);
	int err = i ? allocate_code(r, r->code->size) : -ENOMEM;

	if (!err && decode_code(r, handle, i, bytes))
		err = find_loops(r);
	else
		r->code->count = 0;
	if (i)
		cs_free(i, 1);
	return err;
}

int loop_code_read(struct loop_code *to, const unsigned char *code, size_t size,
		   uint64_t address, const struct loop_calls *calls)
{
	struct code_reading r = { .code = to, .calls = calls };
	csh handle;
	int err;

	*to = (struct loop_code){ .address = address, .size = size };
	if (!size || size > MOST_CODE ||
	    cs_open(FLOW_ARCH, FLOW_MODE, &handle) != CS_ERR_OK)
		return 0;
	err = read_with(&r, handle, code);
	cs_close(&handle);
	free(r.flow);
	free(r.target);
	free(r.leads);
	free(r.at);
	free(r.begin);
	free(r.first);
	free(r.to);
	free(r.reached);
	return err ? no_memory() : 0;
}

void loop_code_fini(struct loop_code *code)
{
	free(code->starts);
	free(code->block_of);
	free(code->inside);
	free(code->is_header);
	*code = (struct loop_code){ 0 };
}

uint32_t loop_code_at(const struct loop_code *code, uint64_t address)
{
	uint32_t from = 0, to = code->count, block;

	if (address < code->address || address - code->address >= code->size ||
	    !code->count)
		return LOOP_NONE;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (code->starts[middle] <= address - code->address)
			from = middle + 1;
		else
			to = middle;
	}
	block = code->block_of[from - 1];
	return code->is_header[block] ? block : code->inside[block];
}
