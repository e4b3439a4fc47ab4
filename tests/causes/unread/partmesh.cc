/* SPDX-License-Identifier: BSD-3-Clause */
// Surface mesh from patches: rank 0 hands patches out and gathers the
// vertices, the other ranks triangulate and smooth them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>
#include <vector>

namespace
{

constexpr int points = 700; // of a patch
constexpr int tag_patch = 1, tag_result = 2;
bool mended;

struct Vertex {
	double x, y, z;
};

using Patch = std::vector<Vertex>;

void spread_points(Patch &patch, int number)
{
	unsigned s = 12345u + number;

	for (Vertex &v : patch) {
		s = s * 1664525u + 1013904223u;
		v.x = (s >> 8) / 16777216.0;
		s = s * 1664525u + 1013904223u;
		v.y = (s >> 8) / 16777216.0;
		v.z = std::sin(7 * v.x) * std::cos(5 * v.y);
	}
}

void smooth(Patch &patch)
{
	size_t n = patch.size();

	for (int sweep = 0; sweep < 70; sweep++)
		for (size_t i = 0; i < n; i++) {
			const Vertex &a = patch[(i + 1) % n],
				     &b = patch[(i + 7) % n];
			Vertex &v = patch[i];
			double w = 1 / std::sqrt(1 + v.x * v.x + v.y * v.y);

			v.x += 0.1 * w * (a.x + b.x - 2 * v.x);
			v.y += 0.1 * w * (a.y + b.y - 2 * v.y);
			v.z += 0.1 * w * (a.z + b.z - 2 * v.z);
		}
}

class ObjWriter
{
      public:
	ObjWriter() : file(std::fopen("/dev/null", "w"))
	{
	}
	~ObjWriter()
	{
		std::fclose(file);
	}

	void put(const Patch &patch)
	{
		text.clear();
		if (mended)
			text.assign(
				reinterpret_cast<const char *>(patch.data()),
				patch.size() * sizeof(Vertex));
		else
			for (const Vertex &v : patch)
				put_vertex(v);
		std::fwrite(text.data(), 1, text.size(), file);
		bytes += text.size();
	}

	size_t bytes = 0;

      private:
	void put_vertex(const Vertex &v)
	{
		char line[100];
		int n = std::snprintf(line, sizeof line,
				      "v %.15g %.15g %.15g\n", v.x, v.y, v.z);

		text.append(line, n);
	}

	std::FILE *file;
	std::string text;
};

void hand_out(int patches, int workers)
{
	ObjWriter writer;
	Patch patch(points);
	int next = 0, stop = -1;

	for (int busy = workers; busy > 0;) {
		MPI_Status status;
		int count;

		MPI_Recv(patch.data(), points * 3, MPI_DOUBLE, MPI_ANY_SOURCE,
			 tag_result, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_DOUBLE, &count);
		if (count > 0)
			writer.put(patch);
		if (next >= patches)
			busy--;
		MPI_Send(next < patches ? &next : &stop, 1, MPI_INT,
			 status.MPI_SOURCE, tag_patch, MPI_COMM_WORLD);
		next++;
	}
	std::printf("%zu bytes", writer.bytes);
}

void work_off()
{
	Patch patch(points);
	int number, done = 0;

	for (;;) {
		MPI_Send(patch.data(), done ? points * 3 : 0, MPI_DOUBLE, 0,
			 tag_result, MPI_COMM_WORLD);
		MPI_Recv(&number, 1, MPI_INT, 0, tag_patch, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (number < 0)
			return;
		spread_points(patch, number);
		smooth(patch);
		done = 1;
	}
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !std::strcmp(argv[2], "fixed");
	double began = MPI_Wtime();
	if (rank == 0)
		hand_out(4500 * factor, size - 1);
	else
		work_off();
	if (rank == 0)
		std::printf(", %.2f s\n", MPI_Wtime() - began);
	MPI_Finalize();
}
