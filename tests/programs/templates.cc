/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * templates.cc [SECONDS] - C++: two instances of one template, a virtual
 * method and a lambda, a quarter of the time each; their names are what is
 * looked at.
 */
#include <functional>

#include "known.h"

namespace wood
{

template <typename Number, int Kind> struct kernel {
	static KEPT double run(double seconds)
	{
		return work_for(seconds);
	}
};

struct shape {
	virtual ~shape() = default;
	virtual double area(double seconds) const = 0;
};

struct circle : shape {
	KEPT double area(double seconds) const override
	{
		return work_for(seconds);
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
	auto lambda = [](double seconds) { return work_for(seconds); };

	while (cpu_seconds() < end) {
		double part = next_round() / 4;

		a += wood::kernel<double, 1>::run(part);
		b += wood::kernel<float, 2>::run(part);
		c += shape->area(part);
		d += call(lambda, part);
	}
	delete shape;
	truth("wood::kernel<double,1>::run", a);
	truth("wood::kernel<float,2>::run", b);
	truth("wood::circle::area", c);
	truth("lambda", d);
	return 0;
}
