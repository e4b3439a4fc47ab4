/* SPDX-License-Identifier: BSD-3-Clause */
// Atmospheric tracer transport with packed history records.
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace model
{

constexpr int kLon = 360, kLat = 180, kTracers = 4;

struct Block {
	std::vector<double> q, next;
	Block() : q(static_cast<size_t>(kLon) * kLat), next(q.size())
	{
	}
	double &at(int i, int j)
	{
		return q[static_cast<size_t>(j) * kLon + i];
	}
};

void initialise(Block &b, int tracer, int rank)
{
	for (int j = 0; j < kLat; ++j)
		for (int i = 0; i < kLon; ++i)
			b.at(i, j) = 1.0 +
				     0.5 * std::sin(0.05 * i + tracer) *
					     std::cos(0.03 * (j + rank * kLat));
}

void exchange(Block &b, int rank, int size)
{
	const int up = (rank + 1) % size, down = (rank + size - 1) % size;
	std::vector<double> in(kLon);
	MPI_Sendrecv(&b.at(0, kLat - 1), kLon, MPI_DOUBLE, up, 7, in.data(),
		     kLon, MPI_DOUBLE, down, 7, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < kLon; ++i)
		b.at(i, 0) = 0.5 * (b.at(i, 0) + in[i]);
}

void transport(Block &b, double courant)
{
	for (int j = 1; j < kLat - 1; ++j)
		for (int i = 0; i < kLon; ++i) {
			const int w = i ? i - 1 : kLon - 1,
				  e = i + 1 < kLon ? i + 1 : 0;
			const double c = b.at(i, j), fx = c - b.at(w, j),
				     fy = c - b.at(i, j - 1);
			const double lim =
				std::fabs(fx) + std::fabs(fy) + 1e-12;
			const double curv = b.at(e, j) + b.at(w, j) +
					    b.at(i, j + 1) + b.at(i, j - 1) -
					    4 * c;
			b.next[static_cast<size_t>(j) * kLon + i] =
				c - courant * (fx + 0.3 * fy) +
				0.05 * curv * std::sqrt(lim) / (1.0 + lim);
		}
	for (size_t k = kLon; k < b.q.size() - kLon; ++k)
		b.q[k] = b.next[k];
}

} // namespace model

namespace hist
{

class Packer
{
      public:
	std::vector<uint8_t> pack(const std::vector<double> &v)
	{
		std::vector<int32_t> q = quantise(v);
		std::vector<uint8_t> out;
		out.reserve(q.size() * 2);
		int32_t prev = 0;
		for (int32_t x : q) {
			put(out,
			    static_cast<uint32_t>((x - prev) << 1) ^
				    static_cast<uint32_t>((x - prev) >> 31));
			prev = x;
		}
		return out;
	}

      private:
	std::vector<int32_t> quantise(const std::vector<double> &v)
	{
		double lo = v[0], hi = v[0];
		for (double x : v) {
			lo = std::min(lo, x);
			hi = std::max(hi, x);
		}
		std::vector<int32_t> best;
		double scale = 64.0;
		for (int pass = 0; pass < 8; ++pass, scale *= 2.2) {
			std::vector<int32_t> q(v.size());
			double err = 0.0;
			for (size_t k = 0; k < v.size(); ++k) {
				q[k] = static_cast<int32_t>(
					std::lround((v[k] - lo) /
						    (hi - lo + 1e-30) * scale));
				const double d =
					v[k] - lo - q[k] * (hi - lo) / scale;
				err += d * d;
			}
			best.swap(q);
			if (std::sqrt(err / v.size()) < 1e-5 * (hi - lo))
				break;
		}
		return best;
	}
	static void put(std::vector<uint8_t> &o, uint32_t x)
	{
		while (x >= 128) {
			o.push_back(static_cast<uint8_t>(x | 128));
			x >>= 7;
		}
		o.push_back(static_cast<uint8_t>(x));
	}
};

class Stream
{
      public:
	Stream(std::string path, int rank, int size)
	    : path_(std::move(path)), rank_(rank), size_(size)
	{
		if (rank_ == 0)
			std::remove(path_.c_str());
	}
	size_t bytes() const
	{
		return bytes_;
	}

	void record(const std::vector<model::Block> &blocks)
	{
		int64_t offset = 0;
		if (rank_ > 0)
			MPI_Recv(&offset, 1, MPI_INT64_T, rank_ - 1, 31,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (const auto &b : blocks)
			offset += append(packer_.pack(b.q));
		if (rank_ + 1 < size_)
			MPI_Send(&offset, 1, MPI_INT64_T, rank_ + 1, 31,
				 MPI_COMM_WORLD);
		MPI_Bcast(&offset, 1, MPI_INT64_T, size_ - 1, MPI_COMM_WORLD);
		bytes_ += static_cast<size_t>(offset);
	}

      private:
	int64_t append(const std::vector<uint8_t> &data)
	{
		FILE *f = std::fopen(path_.c_str(), "ab");
		if (!f)
			MPI_Abort(MPI_COMM_WORLD, 2);
		std::fwrite(data.data(), 1, data.size(), f);
		std::fclose(f);
		return static_cast<int64_t>(data.size());
	}
	std::string path_;
	int rank_, size_;
	size_t bytes_ = 0;
	Packer packer_;
};

} // namespace hist

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int rank = 0, size = 1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const int days = argc > 1 ? std::atoi(argv[1]) : 75;
	std::vector<model::Block> fields(model::kTracers);
	for (int t = 0; t < model::kTracers; ++t)
		model::initialise(fields[t], t, rank);
	hist::Stream out("history.pck", rank, size);
	for (int d = 0; d < days; ++d) {
		for (int sub = 0; sub < 12; ++sub)
			for (auto &f : fields) {
				model::exchange(f, rank, size);
				model::transport(f, 0.2);
			}
		out.record(fields);
	}
	double mass = 0, total = 0;
	for (auto &f : fields)
		for (double x : f.q)
			mass += x;
	MPI_Reduce(&mass, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		std::printf("mean tracer %.8f, history %zu bytes\n",
			    total / (double(model::kLon) * model::kLat *
				     model::kTracers * size),
			    out.bytes());
		std::remove("history.pck");
	}
	MPI_Finalize();
	return 0;
}
