/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-truth.h - what a program that calls MPI knows of its calls: how many of
 * each function, and the bytes that they move by construction.
 */
#pragma once

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static struct {
	const char *name;
	uint64_t calls, sent, received;
} truths[100];
static int truth_count;

static inline void did(const char *name, uint64_t sent, uint64_t received)
{
	int i = 0;

	while (i < truth_count && strcmp(truths[i].name, name) != 0)
		i++;
	if (i == truth_count)
		truths[truth_count++].name = name;
	truths[i].calls++;
	truths[i].sent += sent;
	truths[i].received += received;
}

/* CALL(Send, (buf, …), bytes sent, bytes received) */
#define CALL(name, arguments, sent, received)                                  \
	do {                                                                   \
		MPI_##name arguments;                                          \
		did("MPI_" #name, (uint64_t)(sent), (uint64_t)(received));     \
	} while (0)

#define INTS(n)    ((n) * sizeof(int))
#define DOUBLES(n) ((n) * sizeof(double))

static inline void print_truths(int rank)
{
	for (int i = 0; i < truth_count; i++)
		printf("truth %d %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       rank, truths[i].name, truths[i].calls, truths[i].sent,
		       truths[i].received);
}
