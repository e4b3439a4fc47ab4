// SPDX-License-Identifier: BSD-3-Clause
// Tracks of particles through a detector; two threads of a rank share the
// tracks of an event evenly.
#include "options.h"
#include <cmath>
#include <thread>
#include <vector>

namespace
{
struct Track {
	double x, y, angle, curve;
	double quality = 0;
};

std::vector<Track> make_event(int number, int count)
{
	std::vector<Track> tracks;
	for (int i = 0; i < count; i++)
		tracks.push_back({ 0.01 * (i % 17), 0.01 * (i % 13),
				   0.001 * ((i * 7 + number) % 6283),
				   1e-3 * ((i + number) % 29 - 14) });
	return tracks;
}

// Through the layers, with the distance to the nearest wire of each.
void follow(Track &track, int layers)
{
	for (int layer = 1; layer <= layers; layer++) {
		track.angle += track.curve;
		track.x += std::cos(track.angle);
		track.y += std::sin(track.angle);
		double wire = std::round(track.x * 4) / 4;
		track.quality += (track.x - wire) * (track.x - wire) / layer;
	}
}

void follow_some(std::vector<Track> &tracks, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		follow(tracks[i], 120);
}

double vertex(const std::vector<Track> &tracks)
{
	double sum = 0;
	for (const auto &t : tracks)
		sum += std::sqrt(t.quality) * std::exp(-0.01 * std::fabs(t.y));
	return sum / double(tracks.size());
}

double reconstruct(int number)
{
	auto tracks = make_event(number, 6000);
	size_t half = tracks.size() / 2;
	std::thread other(follow_some, std::ref(tracks), 0, half);
	follow_some(tracks, half, tracks.size());
	other.join();
	return vertex(tracks);
}

double luminosity(double own)
{
	double all;
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}
} // namespace

int main(int argc, char **argv)
{
	int level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	options o = options_read(argc, argv);
	double seen = 0, result = 0;

	for (int event = 0; event < options_times(&o, 60); event++) {
		seen += reconstruct(event * o.ranks + o.rank);
		if (event % 20 == 0)
			result += luminosity(seen) / o.ranks;
	}
	options_report(&o, result + seen);
	MPI_Finalize();
}
