/* SPDX-License-Identifier: BSD-3-Clause */
// Hill shading of elevation tiles: threads take windows of the map, the tiles
// beneath come from a cache, which unpacks those it has not.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

constexpr int side = 128, tiles = 400, kept = 48, crew = 4;
bool mended;

using Tile = std::array<float, side * side>;
using TilePtr = std::shared_ptr<const Tile>;

// The packed form: residuals of a predictor, bit by bit.
TilePtr unpack(int id)
{
	auto tile = std::make_shared<Tile>();
	uint32_t range = 0x80000000u, code = 77777u * (id + 1);
	float left = 0;

	for (float &height : *tile) {
		int residual = 0;

		for (int bit = 0; bit < 8; bit++) {
			uint32_t half = (range >> 1) | 1;
			int one = code >= half;

			code = (one ? code - half : code) * 1664525u +
			       1013904223u;
			range = half ^ (code >> 3);
			residual = residual << 1 | one;
		}
		left = 0.97f * left + 0.1f * residual;
		height = left;
	}
	return tile;
}

class TileCache
{
      public:
	TilePtr fetch(int id)
	{
		std::unique_lock<std::mutex> hold(mutex);
		auto found = map.find(id);

		if (found != map.end()) {
			order.splice(order.begin(), order, found->second.place);
			return found->second.tile;
		}
		if (mended)
			hold.unlock();
		TilePtr tile = unpack(id);
		if (mended)
			hold.lock();
		keep(id, tile);
		return tile;
	}

      private:
	struct Entry {
		TilePtr tile;
		std::list<int>::iterator place;
	};

	void keep(int id, const TilePtr &tile)
	{
		if (map.count(id))
			return;
		order.push_front(id);
		map[id] = { tile, order.begin() };
		if (order.size() > kept) {
			map.erase(order.back());
			order.pop_back();
		}
	}

	std::mutex mutex;
	std::list<int> order;
	std::unordered_map<int, Entry> map;
};

TileCache cache;
std::atomic<int> next_window;

double shade(const Tile &t)
{
	double light = 0;

	for (int y = 1; y < side - 1; y++)
		for (int x = 1; x < side - 1; x++) {
			float dx = t[y * side + x + 1] - t[y * side + x - 1];
			float dy =
				t[(y + 1) * side + x] - t[(y - 1) * side + x];

			light += (1 - 0.3f * dx + 0.2f * dy) /
				 std::sqrt(1 + dx * dx + dy * dy);
		}
	return light;
}

void draw_windows(int windows, double *light)
{
	for (int w; (w = next_window++) < windows;)
		for (int k = 0; k < 4; k++) {
			int id = (w * 37u + k * (1 + w % 5)) % tiles;

			*light += shade(*cache.fetch(id));
		}
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1, sum = 0;
	std::vector<std::thread> threads;
	std::vector<double> light(crew);

	mended = argc > 2 && !std::strcmp(argv[2], "fixed");
	for (int i = 0; i < crew; i++)
		threads.emplace_back(draw_windows, (int)(4000 * factor),
				     &light[i]);
	for (auto &t : threads)
		t.join();
	for (double l : light)
		sum += l;
	std::printf("light %.6e\n", sum);
}
