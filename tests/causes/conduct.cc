// SPDX-License-Identifier: BSD-3-Clause
// Heat in a rod of several materials whose properties come from tables.
#include "options.h"
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace
{
class PropertyTable
{
	std::string name;
	std::vector<double> temperature, conductivity;

      public:
	PropertyTable(const std::string &n, double base) : name(n)
	{
		for (int i = 0; i < 64; i++) {
			temperature.push_back(200 + 10 * i);
			conductivity.push_back(base / (1 + 0.01 * i));
		}
	}

	double at(double t) const
	{
		double place = (t - temperature[0]) / 10;
		size_t i = place < 0 ? 0 : size_t(place);
		if (i >= temperature.size() - 1)
			return conductivity.back();
		double part = place - double(i);
		return (1 - part) * conductivity[i] + part * conductivity[i + 1];
	}
};

using Tables = std::map<int, PropertyTable>;

PropertyTable table_of(const Tables &tables, int material)
{
	return tables.at(material);
}

double mean_of(const PropertyTable &left, const PropertyTable &right, double t)
{
	double a = left.at(t), b = right.at(t);
	return 2 * a * b / (a + b);
}

double cell_conductivity(const Tables &tables, int left, int right, double t,
			 const options &o)
{
	if (o.mended)
		return mean_of(tables.at(left), tables.at(right), t);
	PropertyTable one = table_of(tables, left);
	PropertyTable two = table_of(tables, right);
	return mean_of(one, two, t);
}

struct Rod {
	std::vector<double> heat, flux;
	std::vector<int> material;

	Rod(int rank, int cells) : flux(cells)
	{
		for (int i = 0; i < cells; i++) {
			heat.push_back(300 + (i * 7 + rank) % 200);
			material.push_back((i / 100 + rank) % 5);
		}
	}
};

void rod_step(Rod &rod, const Tables &tables, const options &o)
{
	const size_t n = rod.heat.size();
	for (size_t i = 0; i + 1 < n; i++) {
		double t = 0.5 * (rod.heat[i] + rod.heat[i + 1]);
		double k = cell_conductivity(tables, rod.material[i],
					     rod.material[i + 1], t, o);
		rod.flux[i] = k * (rod.heat[i + 1] - rod.heat[i]);
	}
	for (size_t i = 1; i + 1 < n; i++)
		rod.heat[i] += 0.1 * (rod.flux[i] - rod.flux[i - 1]);
}

double radiation(const Rod &rod)
{
	double sum = 0;
	for (double t : rod.heat)
		sum += std::pow(t / 300, 4) * std::exp(-t / 900);
	return sum;
}

void join_ends(Rod &rod, const options &o)
{
	double in;
	int to = (o.rank + 1) % o.ranks;
	int from = (o.rank + o.ranks - 1) % o.ranks;
	MPI_Sendrecv(&rod.heat.back(), 1, MPI_DOUBLE, to, 0, &in, 1, MPI_DOUBLE,
		     from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rod.heat.front() = 0.5 * (rod.heat.front() + in);
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Tables tables;
	const char *names[] = { "steel", "copper", "brass", "lead", "zinc" };
	for (int i = 0; i < 5; i++)
		tables.emplace(i, PropertyTable(names[i], 0.5 + 0.1 * i));
	Rod rod(o.rank, 8000);
	double result = 0;

	for (int step = 0; step < options_times(&o, 1300); step++) {
		rod_step(rod, tables, o);
		join_ends(rod, o);
		result += radiation(rod);
	}
	options_report(&o, result);
	MPI_Finalize();
}
