/* SPDX-License-Identifier: BSD-3-Clause */
// Gravity by direct sums: bodies are shared evenly among ranks and threads.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <omp.h>
#include <vector>

namespace
{

constexpr int per_rank = 1500;
int rank, size;

struct Body {
	double x, y, z, m;
};

std::vector<Body> all;
std::vector<Body> velocity(per_rank);

void share_bodies()
{
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(),
		      4 * per_rank, MPI_DOUBLE, MPI_COMM_WORLD);
}

void accelerate(double dt)
{
	const Body *b = all.data();
	int n = all.size();

#pragma omp parallel for schedule(static)
	for (int i = 0; i < per_rank; i++) {
		const Body &me = b[rank * per_rank + i];
		double fx = 0, fy = 0, fz = 0;

		for (int j = 0; j < n; j++) {
			double dx = b[j].x - me.x, dy = b[j].y - me.y;
			double dz = b[j].z - me.z;
			double r2 = dx * dx + dy * dy + dz * dz + 1e-4;
			double w = b[j].m / (r2 * std::sqrt(r2));

			fx += w * dx;
			fy += w * dy;
			fz += w * dz;
		}
		velocity[i].x += dt * fx;
		velocity[i].y += dt * fy;
		velocity[i].z += dt * fz;
	}
}

void drift(double dt)
{
	for (int i = 0; i < per_rank; i++) {
		Body &b = all[rank * per_rank + i];

		b.x += dt * velocity[i].x;
		b.y += dt * velocity[i].y;
		b.z += dt * velocity[i].z;
	}
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1;
	int level, steps = 20 * factor;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!std::getenv("OMP_NUM_THREADS"))
		omp_set_num_threads(2);
	all.resize(per_rank * size);
	for (size_t i = 0; i < all.size(); i++) {
		unsigned s = i * 2654435761u;

		all[i] = { (s & 1023) / 1024.0, (s >> 10 & 1023) / 1024.0,
			   (s >> 20 & 1023) / 1024.0, 1.0 / all.size() };
	}
	double began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		share_bodies();
		accelerate(1e-3);
		drift(1e-3);
	}
	if (rank == 0)
		std::printf("first at %.6f, %.2f s\n", all[0].x,
			    MPI_Wtime() - began);
	MPI_Finalize();
}
