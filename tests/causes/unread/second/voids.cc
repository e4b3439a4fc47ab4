/* SPDX-License-Identifier: BSD-3-Clause */
// Void and grain statistics of a sintered powder from a sparse occupancy map.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <unordered_map>
#include <vector>

struct Voxel {
	int x, y, z;
	bool operator==(const Voxel &o) const
	{
		return x == o.x && y == o.y && z == o.z;
	}
};

struct VoxelHash {
	size_t operator()(const Voxel &v) const
	{
		return static_cast<size_t>((v.x << 4) ^ (v.y << 2) ^ v.z);
	}
};

struct Material {
	float density = 0;
	int grain = -1;
};

struct Sphere {
	double x, y, z, r;
};

using Occupancy = std::unordered_map<Voxel, Material, VoxelHash>;

class Powder
{
      public:
	Powder(int count, unsigned seed)
	{
		std::mt19937 rng(seed);
		std::uniform_real_distribution<double> pos(8, 88),
			rad(1.8, 3.4);
		for (int i = 0; i < count; ++i)
			spheres_.push_back(
				{ pos(rng), pos(rng), pos(rng), rad(rng) });
	}
	void settle(double strain)
	{
		for (auto &s : spheres_)
			s.z = 8 + (s.z - 8) * (1 - strain);
	}
	void rasterise(Occupancy &map) const
	{
		int id = 0;
		for (const auto &s : spheres_)
			mark(map, s, id++);
	}

      private:
	static void mark(Occupancy &map, const Sphere &s, int id)
	{
		const int lx = int(s.x - s.r), hx = int(s.x + s.r) + 1;
		const int ly = int(s.y - s.r), hy = int(s.y + s.r) + 1;
		const int lz = int(s.z - s.r), hz = int(s.z + s.r) + 1;
		for (int z = lz; z <= hz; ++z)
			for (int y = ly; y <= hy; ++y)
				for (int x = lx; x <= hx; ++x) {
					const double dx = x - s.x, dy = y - s.y,
						     dz = z - s.z;
					const double d = std::sqrt(
						dx * dx + dy * dy + dz * dz);
					if (d > s.r)
						continue;
					Material &m = map[Voxel{ x, y, z }];
					m.density += static_cast<float>(
						1.0 - d / (s.r + 1.0));
					if (m.grain < 0)
						m.grain = id;
				}
	}
	std::vector<Sphere> spheres_;
};

class Structure
{
      public:
	explicit Structure(const Occupancy &map) : map_(map)
	{
	}

	double surface() const
	{
		static const int step[6][3] = { { 1, 0, 0 }, { -1, 0, 0 },
						{ 0, 1, 0 }, { 0, -1, 0 },
						{ 0, 0, 1 }, { 0, 0, -1 } };
		size_t faces = 0;
		for (const auto &e : map_)
			for (const auto &s : step)
				faces += !solid(e.first.x + s[0],
						e.first.y + s[1],
						e.first.z + s[2]);
		return double(faces);
	}
	size_t boundary() const
	{
		size_t n = 0;
		for (const auto &e : map_) {
			const auto it = map_.find(
				Voxel{ e.first.x + 1, e.first.y, e.first.z });
			if (it != map_.end() &&
			    it->second.grain != e.second.grain)
				++n;
		}
		return n;
	}
	double chord(std::mt19937 &rng, int rays) const
	{
		std::uniform_real_distribution<double> pos(10, 86);
		double sum = 0;
		for (int k = 0; k < rays; ++k) {
			double x = pos(rng), y = pos(rng), z = pos(rng);
			double ux = pos(rng) - 48, uy = pos(rng) - 48,
			       uz = pos(rng) - 48;
			const double n =
				std::sqrt(ux * ux + uy * uy + uz * uz) + 1e-9;
			for (int s = 0; s < 60; ++s) {
				if (solid(int(x), int(y), int(z)))
					break;
				x += ux / n;
				y += uy / n;
				z += uz / n;
				sum += 1;
			}
		}
		return sum / rays;
	}

      private:
	bool solid(int x, int y, int z) const
	{
		const auto it = map_.find(Voxel{ x, y, z });
		return it != map_.end() && it->second.density > 0.1f;
	}
	const Occupancy &map_;
};

int main(int argc, char **argv)
{
	const int stages = argc > 1 ? std::atoi(argv[1]) : 24;
	Powder powder(900, 5);
	std::mt19937 rng(77);
	for (int k = 0; k < stages; ++k) {
		Occupancy map;
		powder.rasterise(map);
		Structure s(map);
		std::printf("stage %d voxels %zu surface %.0f boundary %zu "
			    "chord %.4f\n",
			    k, map.size(), s.surface(), s.boundary(),
			    s.chord(rng, 3000));
		powder.settle(0.05);
	}
	return 0;
}
