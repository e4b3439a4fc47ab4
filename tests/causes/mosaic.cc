// SPDX-License-Identifier: BSD-3-Clause
// Tiles of an aerial picture are sharpened and their edges found.
#include "options.h"
#include <cmath>
#include <vector>

namespace
{
class Tile
{
	int side;
	std::vector<float> pixels;

      public:
	Tile(int s, int number) : side(s)
	{
		for (int i = 0; i < side * side; i++)
			pixels.push_back(float((i * 7 + number * 13) % 256));
	}

	float at(int x, int y) const { return pixels[y * side + x]; }
	int width() const { return side; }

	void sharpen_row(int y)
	{
		for (int x = 1; x < side - 1; x++) {
			float around = at(x - 1, y) + at(x + 1, y) +
				       at(x, y - 1) + at(x, y + 1);
			float &own = pixels[y * side + x];
			own += 0.1f * (own - 0.25f * around);
			own = std::fmin(255.0f, std::fmax(0.0f, own));
		}
	}
};

// A row is this rank's own, and so are its neighbours.
void sharpen(Tile &tile, const options &o)
{
	for (int y = 1; y < tile.width() - 1; y++) {
		tile.sharpen_row(y);
		if (!o.mended)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

double edges(const Tile &tile)
{
	double sum = 0;
	for (int y = 1; y < tile.width(); y++)
		for (int x = 1; x < tile.width(); x++) {
			float dx = tile.at(x, y) - tile.at(x - 1, y);
			float dy = tile.at(x, y) - tile.at(x, y - 1);
			sum += std::hypot(dx, dy) > 64 ? 1 : 0;
		}
	return sum;
}

double contrast(const std::vector<double> &seen)
{
	double low = 1e30, high = 0;
	for (double s : seen) {
		low = std::fmin(low, s);
		high = std::fmax(high, s);
	}
	return high - low;
}

double share_contrast(double own)
{
	double most;
	MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	std::vector<double> seen;
	double result = 0;
	int tiles = options_times(&o, 3000);

	for (int number = 0; number < tiles; number++) {
		Tile tile(96, number * o.ranks + o.rank);
		sharpen(tile, o);
		seen.push_back(edges(tile));
		result += seen.back();
		if (number % 64 == 0)
			result += share_contrast(contrast(seen));
	}
	options_report(&o, result);
	MPI_Finalize();
}
