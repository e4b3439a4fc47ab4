// SPDX-License-Identifier: BSD-3-Clause
// kokkos.cc - a program of Kokkos whose labels, and their times, are known.
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>

enum {
	STEPS = 10,
	SIZE = 1 << 16
};

static double since(std::chrono::steady_clock::time_point then)
{
	return std::chrono::duration<double>(std::chrono::steady_clock::now() -
					     then)
		.count();
}

// So long, whatever else runs.
static void spin(double seconds)
{
	auto then = std::chrono::steady_clock::now();

	while (since(then) < seconds)
		;
}

static double work(const Kokkos::View<double *> &x)
{
	double sum = 0;

	Kokkos::parallel_for(
		"Atoms::force", x.extent(0), KOKKOS_LAMBDA(int i) {
			if (!i)
				spin(0.04);
			x(i) += i;
		});
	Kokkos::parallel_for(
		x.extent(0), KOKKOS_LAMBDA(int i) {
			if (!i)
				spin(0.01);
		});
	Kokkos::parallel_reduce(
		"Atoms::energy", x.extent(0),
		KOKKOS_LAMBDA(int i, double &to) { to += x(i); }, sum);
	return sum;
}

int main(int argc, char **argv)
{
	Kokkos::initialize(argc, argv);
	{
		Kokkos::View<double *> x("positions", SIZE);
		auto mirror = Kokkos::create_mirror(x);
		double sum = 0;

		for (int i = 0; i < STEPS; i++) {
			Kokkos::Profiling::pushRegion("timestep");
			sum = work(x);
			Kokkos::deep_copy(mirror, x);
			Kokkos::Profiling::popRegion();
		}
		printf("%.17g\n", sum);
	}
	Kokkos::finalize();
}
