/* SPDX-License-Identifier: BSD-3-Clause */
// Ray shooting through a field of stars: magnification map of a microlens.
#include <omp.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

struct Star {
	double x, y, mass;
};

class Field
{
      public:
	Field(int count, unsigned seed)
	{
		std::mt19937 rng(seed);
		std::uniform_real_distribution<double> pos(-12, 12),
			mass(0.1, 1.2);
		for (int i = 0; i < count; ++i)
			stars_.push_back({ pos(rng), pos(rng), mass(rng) });
	}
	void bend(double x, double y, double &ax, double &ay) const
	{
		ax = ay = 0;
		for (const auto &s : stars_) {
			const double dx = x - s.x, dy = y - s.y,
				     w = s.mass / (dx * dx + dy * dy + 1e-6);
			ax += dx * w;
			ay += dy * w;
		}
	}

      private:
	std::vector<Star> stars_;
};

class Map
{
      public:
	explicit Map(int side) : side_(side), hits_(size_t(side) * side)
	{
	}
	void add(double x, double y)
	{
		const int i = int((x + 6) / 12 * side_),
			  j = int((y + 6) / 12 * side_);
		if (i >= 0 && i < side_ && j >= 0 && j < side_)
			++hits_[size_t(j) * side_ + i];
	}
	void merge(const Map &o)
	{
		for (size_t k = 0; k < hits_.size(); ++k)
			hits_[k] += o.hits_[k];
	}
	double mean() const
	{
		double s = 0;
		for (unsigned h : hits_)
			s += h;
		return s / hits_.size();
	}
	double contrast() const
	{
		const double m = mean();
		double s = 0;
		for (unsigned h : hits_)
			s += (h - m) * (h - m);
		return std::sqrt(s / hits_.size()) / m;
	}

      private:
	int side_;
	std::vector<unsigned> hits_;
};

int refinement(const Field &f, double x, double y)
{
	double ax, ay;
	f.bend(x, y, ax, ay);
	const double a = std::sqrt(ax * ax + ay * ay);
	return a > 9 ? 5 : a > 5 ? 3 : 2;
}

void shoot_row(const Field &f, Map &map, int row, int rows, int cols)
{
	const double h = 24.0 / rows, y0 = -12 + h * row;
	for (int c = 0; c < cols; ++c) {
		const double x0 = -12 + 24.0 / cols * c;
		const int n = refinement(f, x0, y0);
		for (int j = 0; j < n; ++j)
			for (int i = 0; i < n; ++i) {
				const double x = x0 +
						 24.0 / cols * (i + 0.5) / n,
					     y = y0 + h * (j + 0.5) / n;
				double ax, ay;
				f.bend(x, y, ax, ay);
				map.add(x * 0.6 - ax, y * 0.6 - ay);
			}
	}
}

int main(int argc, char **argv)
{
	const int rows =
		argc > 1 ? std::atoi(argv[1]) : 2600 * omp_get_max_threads();
	const int cols = 300, side = 200;
	Field field(220, 3);
	Map total(side);
#pragma omp parallel
	{
		Map mine(side);
#pragma omp for schedule(dynamic, 4)
		for (int r = 0; r < rows; ++r)
			shoot_row(field, mine, r, rows, cols);
#pragma omp critical
		total.merge(mine);
	}
	std::printf("mean rays %.4f contrast %.5f\n", total.mean(),
		    total.contrast());
	return 0;
}
