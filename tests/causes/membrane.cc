// SPDX-License-Identifier: BSD-3-Clause
// A triangulated membrane: patches relax by themselves, and once a generation
// the neighbourhoods of one patch are made anew.
#include "options.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace
{
struct Vertex {
	double x, y, height;
};

struct Patch {
	std::vector<Vertex> vertices;
	std::vector<double> tension;
};

Patch make_patch(int rank, int count)
{
	Patch patch;
	for (int i = 0; i < count; i++)
		patch.vertices.push_back({ std::fmod(i * 0.618, 1.0),
					   std::fmod(i * 0.414, 1.0),
					   0.1 * std::sin(i + rank) });
	patch.tension.assign(count, 1.0);
	return patch;
}

void relax(Patch &patch)
{
	const size_t n = patch.vertices.size();
	for (size_t i = 0; i < n; i++) {
		auto &v = patch.vertices[i];
		const auto &next = patch.vertices[(i + 1) % n];
		double bend = std::tanh(next.height - v.height);
		v.height += 0.01 * patch.tension[i] * bend;
	}
}

// The mean distance of each vertex to those that are near.
double pair_spread(const std::vector<Vertex> &all, size_t from, size_t to)
{
	double spread = 0;
	for (size_t i = from; i < to; i++)
		for (const auto &other : all) {
			double dx = all[i].x - other.x;
			double dy = all[i].y - other.y;
			double d = std::sqrt(dx * dx + dy * dy);
			if (d < 0.2)
				spread += d * std::exp(-d);
		}
	return spread;
}

class Topology
{
	std::vector<Vertex> reference;
	double spread = 0;

      public:
	explicit Topology(std::vector<Vertex> r) : reference(std::move(r)) {}

	// Each rank has the same reference, so that any can do it.
	void rebuild(int generation, const options &o)
	{
		size_t n = reference.size();
		if (o.mended)
			spread += pair_spread(reference, n * o.rank / o.ranks,
					      n * (o.rank + 1) / o.ranks);
		else if (generation % o.ranks == o.rank)
			spread += pair_spread(reference, 0, n);
	}

	double total() const { return spread; }
};

void close_generation(const Patch &patch, std::vector<double> &profile)
{
	for (size_t i = 0; i < patch.vertices.size(); i++)
		profile[i % profile.size()] += patch.vertices[i].height;
	MPI_Barrier(MPI_COMM_WORLD);
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Patch patch = make_patch(o.rank, 4000);
	Topology topology(make_patch(0, 1200).vertices);
	std::vector<double> profile(64);

	int generations = options_times(&o, 110) * o.ranks;
	for (int g = 0; g < generations; g++) {
		for (int sweep = 0; sweep < 8; sweep++)
			relax(patch);
		topology.rebuild(g, o);
		close_generation(patch, profile);
	}
	double sum = topology.total();
	for (double p : profile)
		sum += p;
	options_report(&o, sum);
	MPI_Finalize();
}
