// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients for a potential in a square, rows of it on each rank.
#include "options.h"
#include <cmath>
#include <vector>

namespace
{
using Vector = std::vector<double>;

class Domain
{
	int rows, width, up, down;

      public:
	Domain(const options &o, int r, int w) : rows(r), width(w)
	{
		up = o.rank ? o.rank - 1 : MPI_PROC_NULL;
		down = o.rank < o.ranks - 1 ? o.rank + 1 : MPI_PROC_NULL;
	}

	// With a row of the neighbours on both sides.
	Vector zero() const { return Vector(size_t(rows + 2) * width); }

	void exchange(Vector &v) const
	{
		double *first = v.data() + width;
		double *last = v.data() + size_t(rows) * width;
		MPI_Sendrecv(first, width, MPI_DOUBLE, up, 0, last + width,
			     width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Sendrecv(last, width, MPI_DOUBLE, down, 1, v.data(), width,
			     MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	}

	void apply(Vector &x, Vector &y) const
	{
		exchange(x);
		for (int i = 1; i <= rows; i++)
			for (int j = 0; j < width; j++) {
				size_t at = size_t(i) * width + j;
				double sum = 4.01 * x[at] - x[at - width] -
					     x[at + width];
				if (j)
					sum -= x[at - 1];
				if (j < width - 1)
					sum -= x[at + 1];
				y[at] = sum;
			}
	}

	double dot(const Vector &a, const Vector &b) const
	{
		double own = 0, all;
		for (size_t i = width; i < size_t(rows + 1) * width; i++)
			own += a[i] * b[i];
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		return all;
	}

	void add(Vector &a, double factor, const Vector &b) const
	{
		for (size_t i = width; i < size_t(rows + 1) * width; i++)
			a[i] += factor * b[i];
	}

	void turn(Vector &p, double factor, const Vector &r) const
	{
		for (size_t i = width; i < size_t(rows + 1) * width; i++)
			p[i] = r[i] + factor * p[i];
	}

	void charge(Vector &b, int rank) const
	{
		for (size_t i = width; i < size_t(rows + 1) * width; i++)
			b[i] = std::sin(0.001 * double(i) + rank);
	}
};

double solve(const Domain &d, int rank, int steps)
{
	Vector x = d.zero(), r = d.zero(), q = d.zero();
	d.charge(r, rank);
	Vector p = r;
	double rho = d.dot(r, r);
	for (int step = 0; step < steps; step++) {
		d.apply(p, q);
		double alpha = rho / d.dot(p, q);
		d.add(x, alpha, p);
		d.add(r, -alpha, q);
		double next = d.dot(r, r);
		d.turn(p, next / rho, r);
		rho = next;
	}
	return d.dot(x, x);
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Domain domain(o, 250, 1000);
	double result = 0;

	for (int load = 0; load < options_times(&o, 9); load++)
		result += solve(domain, o.rank + load, 40) / o.ranks;
	options_report(&o, result);
	MPI_Finalize();
}
