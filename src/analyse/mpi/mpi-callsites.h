/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-callsites.h - MPI calls: for each call site or each function the calls,
 * the time inside and the bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"

struct call_site {
	uint32_t path;     /* by function: the first of its paths */
	uint32_t function; /* string of the run */
	double calls, seconds, sent, received;
	double moved;    /* sum of calls' sizes: callsite_mean_size() */
	double min, max; /* seconds of one call; 0: not known */
	double requests, open, overlap; /* that were begun here */
	uint32_t comm;                  /* as in struct run_site */
	int32_t root;
	uint32_t class; /* enum live_mpi_class */
	double key;     /* the value of the metric that they are sorted by */
};

struct call_sites {
	struct call_site *at; /* by key, the largest first */
	size_t count;
	struct call_site total;
};

/* 0, or -ENOMEM with a reason. */
int callsites_init(struct call_sites *sites, const struct paths *paths,
		   const struct run_metric *by, bool by_function);
void callsites_fini(struct call_sites *sites);

/*
 * Bytes per call: the larger of sent and received, of MPI_Sendrecv and its kind
 * in each call.  Of a broadcast, in which a process does one of both, their
 * sum.
 */
double callsite_mean_size(const struct call_site *site);

/*
 * What a communicator is called, by its index: "cart", "4 from rank 2" (its
 * first), "several"; to be freed.  NULL: there is none, or no memory.
 */
char *callsite_comm_text(const struct run *run, uint32_t comm);
