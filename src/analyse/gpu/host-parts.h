/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-parts.h - what hosts did while their GPUs had no work (gpu.idle), in
 * parts that exclude each other, and how much of it a CUDA graph would take
 * away: what is done to launch, and not what the program does for itself.
 */
#pragma once

#include "analyse/paths/paths.h"

enum host_part {
#define HOST_PART(id, ...) HOST_PART_##id,
#include "analyse/gpu/host-parts.def"
#undef HOST_PART
	HOST_PARTS
};

extern const struct host_part_info {
	const char *name, *title;
} host_part_infos[HOST_PARTS];

/* Seconds, of all processes. */
struct host_share {
	enum host_part part;
	double seconds;
	double launching; /* the part of it that a graph takes away */
	uint32_t path;    /* what it is most in; 0: not known */
	double at_path;
	uint32_t node; /* a node of the run with the line of that */
};

struct host_parts {
	struct host_share at[HOST_PARTS]; /* the largest first */
	double seconds;                   /* all of them */
};

/* 0, or -ENOMEM with a reason. */
int host_parts_of(struct host_parts *to, const struct paths *paths);

/*
 * For a sentence: "forward (train.py:31)", "libtorch_cpu.so", "cudaMemcpy in
 * step (train.c:22)"; "": not known.  To be freed, NULL: no memory.
 */
char *host_share_place(const struct paths *paths,
		       const struct host_share *share);

/*
 * Where the program called what a node is: the function of the program that is
 * nearest above, or 0, and in *at the node whose line is that of its call, or
 * of what was sampled; 0: it is that function itself, its line is not known.
 */
uint32_t host_program_frame(const struct run *run, uint32_t main_module,
			    uint32_t node, uint32_t *at);

/* The module that main() is in: a string; 0: none is known. */
uint32_t host_main_module(const struct run *run);
