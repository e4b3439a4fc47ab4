// SPDX-License-Identifier: BSD-3-Clause
// Brightness of galaxies in fields of the sky, and the median of each epoch.
#include "options.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace
{
constexpr int objects = 60000;
constexpr int bins = 4096;

class Field
{
	std::vector<double> flux;

      public:
	explicit Field(int rank)
	{
		unsigned seed = 4321u + 99u * unsigned(rank);
		for (int i = 0; i < objects; i++) {
			seed = seed * 1664525u + 1013904223u;
			flux.push_back((seed >> 4) / 268435456.0);
		}
	}

	void expose(int epoch)
	{
		for (size_t i = 0; i < flux.size(); i++) {
			double seen = flux[i] + 1e-3 * std::sin(epoch + 0.1 * i);
			flux[i] = std::fabs(seen) > 1 ? 1 / seen : std::fabs(seen);
		}
	}

	const std::vector<double> &brightness() const { return flux; }
};

// Which bin has the middle object; every object of all fields is sorted.
int median_of_sky(const Field &field, const options &o)
{
	const auto &own = field.brightness();
	std::vector<double> all(o.rank ? 0 : own.size() * o.ranks);
	MPI_Gather(own.data(), objects, MPI_DOUBLE, all.data(), objects,
		   MPI_DOUBLE, 0, MPI_COMM_WORLD);
	int bin = 0;
	if (o.rank == 0) {
		std::sort(all.begin(), all.end());
		bin = int(all[all.size() / 2] * bins);
	}
	MPI_Bcast(&bin, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return bin;
}

// Each field sorts its objects and counts, and the counts are added.
int median_of_counts(const Field &field, const options &o)
{
	auto own = field.brightness();
	std::vector<int> counts(bins + 1), all(bins + 1);
	std::sort(own.begin(), own.end());
	for (double f : own)
		counts[int(f * bins)]++;
	MPI_Allreduce(counts.data(), all.data(), bins + 1, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
	long half = long(objects) * o.ranks / 2, sum = 0;
	for (int bin = 0; bin <= bins; bin++) {
		sum += all[bin];
		if (sum > half)
			return bin;
	}
	return bins;
}

double magnitudes(const Field &field)
{
	double sum = 0;
	for (double f : field.brightness())
		sum += -2.5 * std::log10(f + 1e-9);
	return sum / objects;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Field field(o.rank);
	double result = 0;

	for (int epoch = 0; epoch < options_times(&o, 180); epoch++) {
		field.expose(epoch);
		result += o.mended ? median_of_counts(field, o) :
				     median_of_sky(field, o);
		result += magnitudes(field);
	}
	options_report(&o, result);
	MPI_Finalize();
}
