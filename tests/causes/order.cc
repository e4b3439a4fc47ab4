// SPDX-License-Identifier: BSD-3-Clause
// Readings of sensors are sorted over all ranks: each keeps a range of values.
#include "options.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace
{
std::vector<double> readings(int rank, int day, int count)
{
	std::vector<double> values;
	unsigned seed = 31u * unsigned(rank) + 1009u * unsigned(day) + 1;
	values.reserve(count);
	for (int i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		values.push_back((seed >> 2) / 1073741824.0);
	}
	return values;
}

std::vector<int> starts(const std::vector<int> &counts)
{
	std::vector<int> first(counts.size());
	for (size_t i = 1; i < counts.size(); i++)
		first[i] = first[i - 1] + counts[i - 1];
	return first;
}

// The values are spread evenly, and so are the ranges.
std::vector<double> redistribute(const std::vector<double> &sorted, int ranks)
{
	std::vector<int> out(ranks), in(ranks);
	for (double v : sorted)
		out[std::min(ranks - 1, int(v * ranks))]++;
	MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT,
		     MPI_COMM_WORLD);
	auto from = starts(out), to = starts(in);
	std::vector<double> range(to.back() + in.back());
	MPI_Alltoallv(sorted.data(), out.data(), from.data(), MPI_DOUBLE,
		      range.data(), in.data(), to.data(), MPI_DOUBLE,
		      MPI_COMM_WORLD);
	return range;
}

double quantiles(const std::vector<double> &range)
{
	double sum = 0;
	for (size_t i = 0; i < range.size(); i += 100)
		sum += range[i];
	return sum;
}

double calibrate(std::vector<double> &values)
{
	double drift = 0;
	for (auto &v : values) {
		double bent = std::log1p(v) / std::log(2.0);
		drift += bent - v;
		v = 0.99 * v + 0.01 * bent;
	}
	return drift;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	double result = 0;

	for (int day = 0; day < options_times(&o, 52); day++) {
		auto values = readings(o.rank, day, 100000);
		result += 1e-3 * calibrate(values);
		std::sort(values.begin(), values.end());
		auto range = redistribute(values, o.ranks);
		std::sort(range.begin(), range.end());
		result += quantiles(range);
	}
	options_report(&o, result);
	MPI_Finalize();
}
