// SPDX-License-Identifier: BSD-3-Clause
// Parcels of a depot: one thread of a rank reads the labels, another one
// plans the tours.
#include "options.h"
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace
{
struct Parcel {
	int number;
	double weight, distance;
};

// Holds what was read until it is planned.
class Belt
{
	std::mutex lock;
	std::condition_variable changed;
	std::vector<Parcel> parcels;
	size_t room;

      public:
	explicit Belt(size_t r) : room(r) {}

	void put(const std::vector<Parcel> &some)
	{
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [this] { return parcels.empty(); });
		parcels = some;
		changed.notify_one();
	}

	std::vector<Parcel> take()
	{
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [this] { return !parcels.empty(); });
		std::vector<Parcel> some;
		some.swap(parcels);
		changed.notify_one();
		return some;
	}

	size_t size() const { return room; }
};

Parcel read_label(int number, int rank)
{
	unsigned x = unsigned(number) * 2654435761u + unsigned(rank);
	return { number, 0.1 * (x >> 25), std::sqrt(double(x >> 20)) };
}

void read_all(Belt &belt, int count, int rank)
{
	std::vector<Parcel> some;
	for (int i = 0; i < count; i++) {
		some.push_back(read_label(i, rank));
		if (some.size() == belt.size()) {
			belt.put(some);
			some.clear();
		}
	}
}

double plan_one(const Parcel &parcel)
{
	double cost = 0;
	for (int stop = 1; stop <= 500; stop++)
		cost += std::log1p(parcel.weight * stop) *
			std::exp(-parcel.distance / (10 * stop));
	return cost;
}

double plan_all(Belt &belt, int count)
{
	double cost = 0;
	for (int i = 0; i < count; i += int(belt.size()))
		for (const auto &parcel : belt.take())
			cost += plan_one(parcel);
	return cost;
}

double share_cost(double own, int ranks)
{
	double all;
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all / ranks;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	double result = 0;
	const int parcels = 4000;

	for (int day = 0; day < options_times(&o, 50); day++) {
		Belt belt(o.mended ? 500 : 1);
		std::thread reader(read_all, std::ref(belt), parcels,
				   o.rank + day);
		double cost = plan_all(belt, parcels);
		reader.join();
		result += cost + share_cost(cost, o.ranks);
	}
	options_report(&o, result);
	MPI_Finalize();
}
