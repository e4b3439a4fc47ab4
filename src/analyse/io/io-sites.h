/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-sites.h - calls for files: of each call path, of each rank, and in all.
 * Calls of MPI's functions for files are among them.
 */
#pragma once

#include "analyse/paths/paths.h"

struct io_sums {
	double calls, seconds, read, written; /* bytes */
	double others, other_seconds;         /* of calls that move no bytes */
	double longest;                       /* seconds of one call */
};

struct io_site {
	uint32_t path;
	uint32_t kind; /* enum live_io_kind; LIVE_IO_KINDS: of MPI */
	struct io_sums sums;
};

struct io_sites {
	const struct paths *paths;
	struct io_site *at; /* by time, the longest first */
	size_t count;
	struct io_sums total;
	struct io_sums *ranks; /* of each process; no longest */
};

/* 0, or -errno with a reason; without such calls there are no sites. */
int io_sites_init(struct io_sites *sites, const struct paths *paths);
void io_sites_fini(struct io_sites *sites);

/*
 * ", 12.0 GiB to /scratch/a.h5 and 1 other", for the files whose longest reads,
 * writes or syncs were below a path; "" if there are none; to be freed, NULL:
 * out of memory.
 */
char *io_files_below(const struct paths *paths, uint32_t path);

/* What a file's row says in sum; it is one unless it has a directory's calls,
   or those of all others. */
bool io_file_is_one(const struct run_file *f);
double io_file_reads(const struct run_file *f);
double io_file_writes(const struct run_file *f);
double io_file_seconds(const struct run_file *f);
