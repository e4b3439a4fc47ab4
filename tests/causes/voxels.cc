// SPDX-License-Identifier: BSD-3-Clause
// A tomogram: projections along the beams, and the density of the tissues.
#include "options.h"
#include <cmath>
#include <vector>

namespace
{
constexpr int side = 160;

class Volume
{
	std::vector<int> density;

      public:
	explicit Volume(int rank)
	{
		for (int i = 0; i < side * side * side; i++)
			density.push_back((i * 7 + i / side * 3 + rank) % 97);
	}

	int at(int x, int y, int z) const
	{
		return density[(size_t(z) * side + y) * side + x];
	}

	void mark(int x, int y, int z) { density[(z * side + y) * side + x]++; }
};

using Plane = std::vector<long>;

// Along z, and by which index first.
void project(const Volume &volume, Plane &plane, const options &o)
{
	plane.assign(side * side, 0);
	if (o.mended) {
		for (int z = 0; z < side; z++)
			for (int y = 0; y < side; y++)
				for (int x = 0; x < side; x++)
					plane[y * side + x] +=
						volume.at(x, y, z);
		return;
	}
	for (int x = 0; x < side; x++)
		for (int y = 0; y < side; y++)
			for (int z = 0; z < side; z++)
				plane[y * side + x] += volume.at(x, y, z);
}

double attenuate(const Plane &plane)
{
	double sum = 0;
	for (long p : plane)
		sum += std::exp(-1e-4 * double(p)) * std::sqrt(double(p));
	return sum / (side * side);
}

double tissues(const Volume &volume, int z)
{
	double sum = 0;
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x += 2)
			sum += std::log1p(volume.at(x, y, z));
	return sum / side;
}

double brightest(const Plane &plane)
{
	long own = 0, most;
	for (long p : plane)
		own = p > own ? p : own;
	MPI_Allreduce(&own, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	return double(most);
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Volume volume(o.rank);
	Plane plane;
	double result = 0;

	for (int turn = 0; turn < options_times(&o, 100); turn++) {
		project(volume, plane, o);
		result += attenuate(plane) + tissues(volume, turn % side);
		result += brightest(plane) / o.ranks;
		volume.mark(turn % side, turn % 7, turn % 11);
	}
	options_report(&o, result);
	MPI_Finalize();
}
