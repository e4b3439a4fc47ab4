// SPDX-License-Identifier: BSD-3-Clause
// Local alignment of a read with a reference whose columns are distributed.
#include "options.h"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace
{
std::string make_bases(int length, unsigned seed)
{
	std::string bases;
	for (int i = 0; i < length; i++) {
		seed = seed * 1103515245u + 12345u;
		bases += "ACGT"[seed >> 30];
	}
	return bases;
}

class Table
{
	const std::string &reference;
	std::vector<int> above;
	int best = 0;

      public:
	explicit Table(const std::string &r)
		: reference(r), above(r.size() + 1)
	{
	}

	// One row from the score at its left; returns the one at its right.
	int fill_row(char base, int left, int corner)
	{
		for (size_t j = 0; j < reference.size(); j++) {
			int diagonal = j ? above[j] : corner;
			int match = diagonal + (reference[j] == base ? 5 : -4);
			int score = std::max({ 0, match, above[j + 1] - 7,
					       left - 7 });
			if (j)
				above[j] = left;
			left = score;
			best = std::max(best, score);
		}
		above[reference.size()] = left;
		return left;
	}

	int highest() const { return best; }
};

// Scores at the border, some rows at a time.
int align(const std::string &read, const std::string &reference,
	  const options &o)
{
	Table table(reference);
	int height = int(read.size());
	int step = o.mended ? height / 16 : height;
	std::vector<int> border(height + 1);

	for (int row = 0; row < height; row += step) {
		int rows = std::min(step, height - row);
		int *edge = &border[row + 1];
		if (o.rank > 0)
			MPI_Recv(edge, rows, MPI_INT, o.rank - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		std::vector<int> out(rows);
		for (int i = 0; i < rows; i++)
			out[i] = table.fill_row(read[row + i], edge[i],
						border[row + i]);
		if (o.rank < o.ranks - 1)
			MPI_Send(out.data(), rows, MPI_INT, o.rank + 1, 0,
				 MPI_COMM_WORLD);
	}
	return table.highest();
}

double quality(const std::string &read)
{
	double sum = 0;
	for (int cycle = 0; cycle < 60; cycle++)
		for (size_t i = 0; i < read.size(); i++)
			sum += std::log(1.0 + read[i] * 0.01 * (cycle + i % 7));
	return sum / read.size();
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	std::string reference = make_bases(1600, 7 + o.rank);
	double result = 0;

	for (int i = 0; i < options_times(&o, 300); i++) {
		std::string read = make_bases(800, 100 + i);
		result += quality(read) / o.ranks;
		int own = align(read, reference, o), best;
		MPI_Allreduce(&own, &best, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
		result += own + best;
	}
	options_report(&o, result);
	MPI_Finalize();
}
