/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * templates.cc [SECONDS] - C++: two instances of one template, a virtual
 * method and a lambda, a quarter of the time each; their names are what is
 * looked at.
 */
#include <functional>

#include "known.h"

#define ROUND_S 0.010

namespace wood
{

template <typename Number, int Kind> struct kernel {
	static KEPT double run(double seconds)
	{
		double start = cpu_seconds(), now = start;

		while (now - start < seconds) {
			known_work();
			now = cpu_seconds();
		}
		return now - start;
	}
};

struct shape {
	virtual ~shape() = default;
	virtual double area(double seconds) const = 0;
};

struct circle : shape {
	KEPT double area(double seconds) const override
	{
		double start = cpu_seconds(), now = start;

		while (now - start < seconds) {
			known_work();
			now = cpu_seconds();
		}
		return now - start;
	}
};

} // namespace wood

static KEPT double call(const std::function<double(double)> &f, double s)
{
	double used = f(s);

	__asm__ volatile("");
	return used;
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);
	double a = 0, b = 0, c = 0, d = 0;
	wood::shape *volatile shape = new wood::circle;
	auto lambda = [](double seconds) {
		double start = cpu_seconds(), now = start;

		while (now - start < seconds) {
			known_work();
			now = cpu_seconds();
		}
		return now - start;
	};

	while (cpu_seconds() < end) {
		a += wood::kernel<double, 1>::run(ROUND_S / 4);
		b += wood::kernel<float, 2>::run(ROUND_S / 4);
		c += shape->area(ROUND_S / 4);
		d += call(lambda, ROUND_S / 4);
	}
	delete shape;
	truth("wood::kernel<double,1>::run", a);
	truth("wood::kernel<float,2>::run", b);
	truth("wood::circle::area", c);
	truth("lambda", d);
	return 0;
}
