/* SPDX-License-Identifier: BSD-3-Clause */
// Long-read assembly: overlap of each read with its neighbours in the layout.
#include <omp.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

struct Read {
	int id;
	std::string bases;
};

struct Overlap {
	int a = -1, b = -1, score = 0, end = 0;
};

class Genome
{
      public:
	Genome(size_t n, unsigned seed) : rng_(seed), bases_(n, 'A')
	{
		static const char code[] = "ACGT";
		for (auto &c : bases_)
			c = code[rng_() % 4];
	}
	Read sample(int id, size_t length)
	{
		const size_t at = rng_() % (bases_.size() - length);
		Read r{ id, bases_.substr(at, length) };
		for (size_t k = 0; k < length / 12; ++k)
			r.bases[rng_() % length] = "ACGT"[rng_() % 4];
		return r;
	}
	double unit()
	{
		return double(rng_() % 1000003) / 1000003.0;
	}

      private:
	std::mt19937 rng_;
	std::string bases_;
};

class Band
{
      public:
	explicit Band(int half)
	    : half_(half), row_(2 * half + 3), prev_(2 * half + 3)
	{
	}

	Overlap extend(const Read &a, const Read &b)
	{
		Overlap o;
		o.a = a.id;
		o.b = b.id;
		std::fill(prev_.begin(), prev_.end(), 0);
		const int n = static_cast<int>(a.bases.size()),
			  m = static_cast<int>(b.bases.size());
		for (int i = 0; i < n; ++i) {
			const int from = std::max(0, half_ - i),
				  to = std::min(2 * half_, m - 1 - i + half_);
			if (to < from)
				break;
			std::fill(row_.begin(), row_.end(), 0);
			step(a.bases[i], b.bases.data() + i - half_, from, to,
			     o, i);
			row_.swap(prev_);
		}
		return o;
	}

      private:
	void step(char c, const char *b, int from, int to, Overlap &o, int i)
	{
		for (int k = from; k <= to; ++k) {
			int s = prev_[k + 1] + (c == b[k] ? 2 : -3);
			s = std::max(s, std::max(prev_[k + 2], row_[k]) - 4);
			row_[k + 1] = std::max(0, s);
			if (s > o.score) {
				o.score = s;
				o.end = i;
			}
		}
	}
	int half_;
	std::vector<int> row_, prev_;
};

class Assembler
{
      public:
	explicit Assembler(std::vector<Read> reads)
	    : reads_(std::move(reads)), best_(reads_.size())
	{
		std::sort(reads_.begin(), reads_.end(),
			  [](const Read &x, const Read &y) {
				  return x.bases.size() > y.bases.size();
			  });
	}

	void overlaps(int depth)
	{
		const int n = static_cast<int>(reads_.size());
#pragma omp parallel
		{
			Band band(16);
#pragma omp for
			for (int i = 0; i < n; ++i)
				best_[i] = choose(band, i, depth);
		}
	}
	void polish()
	{
		for (size_t i = 0; i < reads_.size(); ++i) {
			const size_t cut = std::min(reads_[i].bases.size(),
						    size_t(best_[i].end) + 200);
			if (cut > 250)
				reads_[i].bases.resize(cut);
		}
	}
	double mean_score() const
	{
		double s = 0;
		for (const auto &o : best_)
			s += o.score;
		return s / best_.size();
	}
	size_t bases() const
	{
		size_t n = 0;
		for (const auto &r : reads_)
			n += r.bases.size();
		return n;
	}

      private:
	Overlap choose(Band &band, int i, int depth) const
	{
		Overlap top;
		const int n = static_cast<int>(reads_.size());
		for (int d = 1; d <= depth; ++d) {
			const Overlap o =
				band.extend(reads_[i], reads_[(i + d) % n]);
			if (o.score > top.score)
				top = o;
		}
		return top;
	}
	std::vector<Read> reads_;
	std::vector<Overlap> best_;
};

int main(int argc, char **argv)
{
	const int count =
		argc > 1 ? std::atoi(argv[1]) : 2600 * omp_get_max_threads();
	Genome genome(400000, 21);
	std::vector<Read> reads;
	for (int k = 0; k < count; ++k)
		reads.push_back(genome.sample(
			k, 300 + static_cast<size_t>(
					 6000 * std::exp(-5 * genome.unit()))));
	Assembler assembler(std::move(reads));
	for (int round = 0; round < 2; ++round) {
		assembler.overlaps(4);
		std::printf("round %d mean score %.5f bases %zu\n", round,
			    assembler.mean_score(), assembler.bases());
		if (round == 0)
			assembler.polish();
	}
	return 0;
}
