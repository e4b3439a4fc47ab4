/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arrays.h - those words of the bytes columns that take an array of counts,
 * for one type of count: COUNT; ARRAY(name) makes the function's name.  Read
 * by bytes.h only, once for each.
 */

static inline uint64_t ARRAY(bytes_sum)(int n, const COUNT counts[],
					MPI_Datatype type)
{
	MPI_Aint sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i];
	return bytes(sum, type);
}

static inline uint64_t ARRAY(bytes_sum_w)(int n, const COUNT counts[],
					  const MPI_Datatype types[])
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += bytes(counts[i], types[i]);
	return sum;
}

/* The own block of an array of blocks. */
static inline uint64_t ARRAY(bytes_own)(const COUNT counts[], MPI_Datatype type,
					MPI_Comm comm)
{
	return bytes(counts[comm_of(comm)->rank], type);
}

/* Blocks of different counts; the own one stays when `buffer` is in place. */
static inline uint64_t ARRAY(bytes_v)(const void *buffer, const COUNT counts[],
				      MPI_Datatype type, MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);
	uint64_t sum = ARRAY(bytes_sum)(c->peers, counts, type);

	if (buffer == MPI_IN_PLACE && !c->inter)
		sum -= bytes(counts[c->rank], type);
	return sum;
}

/* Blocks of different counts and types. */
static inline uint64_t ARRAY(bytes_w)(const void *buffer, const COUNT counts[],
				      const MPI_Datatype types[], MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);
	uint64_t sum = ARRAY(bytes_sum_w)(c->peers, counts, types);

	if (buffer == MPI_IN_PLACE && !c->inter)
		sum -= bytes(counts[c->rank], types[c->rank]);
	return sum;
}
