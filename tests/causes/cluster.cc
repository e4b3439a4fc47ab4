// SPDX-License-Identifier: BSD-3-Clause
// Stars of a cluster in slabs of space, pulled by the cells of a coarse mesh.
#include "options.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace
{
struct Star {
	double x, y, z;
	double vx = 0, vy = 0, vz = 0;
};

struct Cell {
	double x, y, z, mass;
};

// The same for every machine, unlike rand().
class Sequence
{
	unsigned long state = 88172645463325252UL;

      public:
	double next()
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return (state >> 11) / 9007199254740992.0;
	}
};

std::vector<Star> read_catalogue(int count)
{
	Sequence s;
	std::vector<Star> stars(count);

	for (auto &star : stars) {
		double x = s.next();
		star.x = s.next() < 0.75 ? 0.30 + 0.15 * x : x;
		star.y = s.next();
		star.z = s.next();
	}
	std::sort(stars.begin(), stars.end(),
		  [](const Star &a, const Star &b) { return a.x < b.x; });
	return stars;
}

std::vector<Star> own_slab(const std::vector<Star> &all, const options &o)
{
	std::vector<Star> own;
	for (size_t i = 0; i < all.size(); i++) {
		int slab = int(all[i].x * o.ranks);
		if (o.mended)
			slab = int(i * o.ranks / all.size());
		if (slab == o.rank)
			own.push_back(all[i]);
	}
	return own;
}

std::vector<Cell> coarse_mesh(int side)
{
	std::vector<Cell> cells;
	for (int i = 0; i < side * side * side; i++)
		cells.push_back({ (i % side + 0.5) / side,
				  (i / side % side + 0.5) / side,
				  (i / side / side + 0.5) / side, 0.0 });
	return cells;
}

void deposit(std::vector<Cell> &cells, int side, const std::vector<Star> &own)
{
	std::vector<double> local(cells.size()), all(cells.size());
	auto at = [side](double x) {
		return std::min(side - 1, std::max(0, int(x * side)));
	};
	for (const auto &s : own)
		local[at(s.x) + side * (at(s.y) + side * at(s.z))] += 1e-4;
	MPI_Allreduce(local.data(), all.data(), int(all.size()), MPI_DOUBLE,
		      MPI_SUM, MPI_COMM_WORLD);
	for (size_t i = 0; i < all.size(); i++)
		cells[i].mass = all[i];
}

void pull(Star &s, const std::vector<Cell> &cells)
{
	double ax = 0, ay = 0, az = 0;
	for (const auto &c : cells) {
		double dx = c.x - s.x, dy = c.y - s.y, dz = c.z - s.z;
		double r2 = dx * dx + dy * dy + dz * dz + 0.01;
		double w = c.mass / (r2 * std::sqrt(r2));
		ax += w * dx;
		ay += w * dy;
		az += w * dz;
	}
	s.vx += 1e-3 * ax;
	s.vy += 1e-3 * ay;
	s.vz += 1e-3 * az;
}

void drift(std::vector<Star> &own)
{
	for (auto &s : own) {
		s.x += 1e-3 * s.vx;
		s.y += 1e-3 * s.vy;
		s.z += 1e-3 * s.vz;
	}
}

double light_curve(int step, int channels)
{
	double sum = 0;
	for (int i = 0; i < channels; i++)
		sum += std::exp(-0.001 * i) * std::cos(0.1 * step * i);
	return sum;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	const int side = 6;
	auto own = own_slab(read_catalogue(16000), o);
	auto cells = coarse_mesh(side);
	double light = 0;

	for (int step = 0; step < options_times(&o, 440); step++) {
		deposit(cells, side, own);
		for (auto &s : own)
			pull(s, cells);
		drift(own);
		light += light_curve(step, 20000);
	}
	double energy = 0;
	for (const auto &s : own)
		energy += s.vx * s.vx + s.vy * s.vy + s.vz * s.vz;
	options_report(&o, 1e3 * energy + light / o.ranks);
	MPI_Finalize();
}
