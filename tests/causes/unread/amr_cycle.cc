/* SPDX-License-Identifier: BSD-3-Clause */
// Blocks of a refined grid: in each cycle the blocks are ordered anew along a
// space-filling curve, by one rank after the other, and then advanced.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <vector>

namespace
{

constexpr int total_blocks = 1 << 16;
constexpr int cells = 64; // of a block, in each rank's part
int rank, size;
bool mended;

struct Key {
	uint64_t code;
	int64_t block;
};

uint64_t spread_bits(uint64_t x)
{
	uint64_t r = 0;

	for (int b = 0; b < 20; b++)
		r |= (x >> b & 1) << (3 * b);
	return r;
}

Key key_of(int block, int cycle)
{
	uint64_t x = (block * 2654435761u + cycle * 40503u) & 0xfffff;
	uint64_t y = (block * 2246822519u ^ cycle) & 0xfffff;
	uint64_t z = (block * 3266489917u) >> 12 & 0xfffff;

	return { spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2,
		 block };
}

bool before(const Key &a, const Key &b)
{
	return a.code != b.code ? a.code < b.code : a.block < b.block;
}

void order_range(std::vector<Key> &keys, int from, int to, int cycle)
{
	for (int i = from; i < to; i++)
		keys[i] = key_of(i, cycle);
	std::sort(keys.begin() + from, keys.begin() + to, before);
}

void regrid(std::vector<Key> &keys, int cycle)
{
	int owner = cycle % size;

	if (rank == owner)
		order_range(keys, 0, total_blocks, cycle);
	MPI_Bcast(keys.data(), total_blocks * 2, MPI_INT64_T, owner,
		  MPI_COMM_WORLD);
}

void regrid_together(std::vector<Key> &keys, int cycle)
{
	std::vector<int> counts(size), starts(size + 1);

	for (int r = 0; r <= size; r++)
		starts[r] = (int64_t)total_blocks * r / size;
	for (int r = 0; r < size; r++)
		counts[r] = 2 * (starts[r + 1] - starts[r]);
	order_range(keys, starts[rank], starts[rank + 1], cycle);
	std::vector<int> shifts(size);
	for (int r = 0; r < size; r++)
		shifts[r] = 2 * starts[r];
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, keys.data(),
		       counts.data(), shifts.data(), MPI_INT64_T,
		       MPI_COMM_WORLD);
	for (int r = 1; r < size; r++)
		std::inplace_merge(keys.begin(), keys.begin() + starts[r],
				   keys.begin() + starts[r + 1], before);
}

void advance(std::vector<double> &field, const std::vector<Key> &keys)
{
	int from = (int64_t)total_blocks * rank / size;

	for (size_t b = 0; b < field.size() / cells; b++) {
		double *f = &field[b * cells];
		double flux = 1e-3 * (keys[from + b].block % 7);

		for (int i = 1; i < cells - 1; i++)
			f[i] += 0.1 * (f[i - 1] - 2 * f[i] + f[i + 1]) +
				flux / (1 + f[i] * f[i]);
	}
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !std::strcmp(argv[2], "fixed");
	std::vector<Key> keys(total_blocks);
	int own = (int64_t)total_blocks * (rank + 1) / size -
		  (int64_t)total_blocks * rank / size;
	std::vector<double> field((size_t)own * cells, 1.0);
	double began = MPI_Wtime();
	int cycles = 160 * factor;
	for (int cycle = 0; cycle < cycles; cycle++) {
		if (mended)
			regrid_together(keys, cycle);
		else
			regrid(keys, cycle);
		advance(field, keys);
	}
	double sum = 0, all;
	for (double f : field)
		sum += f;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		std::printf("mass %.8e, %.2f s\n", all, MPI_Wtime() - began);
	MPI_Finalize();
}
