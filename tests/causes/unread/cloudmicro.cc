/* SPDX-License-Identifier: BSD-3-Clause */
// Droplets of a cloud that collide: cells are shared among ranks, and the
// cells of a rank among its threads. Collisions are noted as events.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <omp.h>
#include <string>
#include <vector>

namespace
{

constexpr int cells = 6000, droplets = 32;
int rank, size;
bool mended;

struct Event {
	int cell, step;
	double mass;
	std::string label;
};

using Events = std::vector<std::unique_ptr<Event>>;

std::vector<double> mass(cells *droplets);
Events events;

void record(Events &list, int cell, int step, double m)
{
	auto e = std::make_unique<Event>();
	char text[64];

	std::snprintf(text, sizeof text, "coalescence r%d c%d s%d m%.6g", rank,
		      cell, step, m);
	e->cell = cell;
	e->step = step;
	e->mass = m;
	e->label = text;
	list.push_back(std::move(e));
}

double terminal_velocity(double m)
{
	double r = std::cbrt(m);

	return 9.65 - 10.3 * std::exp(-0.6 * r) + 0.01 * std::sqrt(r);
}

void collide_cell(int cell, int step, Events *own)
{
	double *m = &mass[cell * droplets];

	for (int a = 0; a < droplets; a++) {
		int b = (a + 1 + step % (droplets - 1)) % droplets;
		double dv = std::fabs(terminal_velocity(m[a]) -
				      terminal_velocity(m[b]));

		if (dv < 1.0)
			continue;
		double moved = 0.3 * (m[a] < m[b] ? m[a] : m[b]);
		m[a] += m[a] < m[b] ? -moved : moved;
		m[b] += m[a] < m[b] ? moved : -moved;
		if (own) {
			record(*own, cell, step, moved);
		} else {
#pragma omp critical(events)
			record(events, cell, step, moved);
		}
	}
}

void condense(int step)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < cells * droplets; i++)
		mass[i] += 0.02 * (1 + std::sin(i * 0.37 + step)) /
			   (0.5 + mass[i]);
}

void collide(int step)
{
#pragma omp parallel
	{
		Events own;

#pragma omp for schedule(static)
		for (int c = 0; c < cells; c++)
			collide_cell(c, step, mended ? &own : nullptr);
		if (mended) {
#pragma omp critical(merge)
			for (auto &e : own)
				events.push_back(std::move(e));
		}
	}
}

double rain_water()
{
	double own = 0, all;

	for (auto &e : events)
		own += e->mass;
	events.clear();
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1, rain = 0;
	int level, steps = 10 * factor;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!std::getenv("OMP_NUM_THREADS"))
		omp_set_num_threads(2);
	mended = argc > 2 && !std::strcmp(argv[2], "fixed");
	unsigned s = 5;
	for (double &m : mass) {
		s = s * 1664525u + 1013904223u;
		m = 0.2 + 3 * (s >> 8) / 16777216.0;
	}
	double began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		condense(step);
		collide(step);
		rain += rain_water();
	}
	if (rank == 0)
		std::printf("rain %.4f, %.2f s\n", rain, MPI_Wtime() - began);
	MPI_Finalize();
}
