/* SPDX-License-Identifier: BSD-3-Clause */
// Protein database search: affine-gap local alignment and word statistics.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

using Sequence = std::vector<uint8_t>;
constexpr int kLetters = 20;

struct Scoring {
	std::array<std::array<int, kLetters>, kLetters> pair;
	int open = 11, extend = 1;
	Scoring()
	{
		for (int i = 0; i < kLetters; ++i)
			for (int j = 0; j < kLetters; ++j)
				pair[i][j] =
					i == j ? 5 + i % 4
					       : -(1 + (i * 3 + j * 3) % 4);
	}
};

Sequence random_sequence(std::mt19937 &rng, size_t n)
{
	Sequence s(n);
	for (auto &c : s)
		c = static_cast<uint8_t>(rng() % kLetters);
	return s;
}

class Database
{
      public:
	Database(size_t count, unsigned seed)
	{
		std::mt19937 rng(seed);
		const Sequence motif = random_sequence(rng, 60);
		for (size_t k = 0; k < count; ++k) {
			Sequence s = random_sequence(rng, 180 + rng() % 240);
			if (k % 7 == 0)
				std::copy(motif.begin(), motif.end(),
					  s.begin() + rng() % 100);
			entries_.push_back(std::move(s));
		}
		std::swap(entries_.front(), query_);
	}
	const std::vector<Sequence> &entries() const
	{
		return entries_;
	}
	const Sequence &query() const
	{
		return query_;
	}

      private:
	std::vector<Sequence> entries_;
	Sequence query_;
};

class Aligner
{
      public:
	Aligner(const Sequence &q, const Scoring &s)
	    : query_(q), scoring_(s), h_(q.size() + 1), e_(q.size() + 1)
	{
	}

	int best(const Sequence &target)
	{
		std::fill(h_.begin(), h_.end(), 0);
		std::fill(e_.begin(), e_.end(), 0);
		int top = 0;
		for (uint8_t t : target)
			top = std::max(top, column(t));
		return top;
	}

      private:
	int column(uint8_t t)
	{
		const auto &row = scoring_.pair[t];
		int diag = 0, f = 0, top = 0;
		for (size_t i = 1; i < h_.size(); ++i) {
			int h = std::max(0, diag + row[query_[i - 1]]);
			h = std::max(h, std::max(e_[i], f));
			diag = h_[i];
			h_[i] = h;
			e_[i] = std::max(e_[i] - scoring_.extend,
					 h - scoring_.open);
			f = std::max(f - scoring_.extend, h - scoring_.open);
			top = std::max(top, h);
		}
		return top;
	}
	const Sequence &query_;
	const Scoring &scoring_;
	std::vector<int> h_, e_;
};

class WordTable
{
      public:
	explicit WordTable(size_t expected)
	{
		counts_.reserve(expected);
	}
	void add(const Sequence &s)
	{
		uint32_t w = 0;
		for (size_t i = 0; i < s.size(); ++i) {
			w = (w * kLetters + s[i]) % 160000;
			if (i >= 3)
				++counts_[w];
		}
	}
	uint32_t commonest() const
	{
		uint32_t m = 0;
		for (const auto &e : counts_)
			m = std::max(m, e.second);
		return m;
	}

      private:
	std::unordered_map<uint32_t, uint32_t> counts_;
};

int main(int argc, char **argv)
{
	const size_t count = argc > 1 ? std::atol(argv[1]) : 20000;
	Database db(count, 8);
	Scoring scoring;
	Aligner aligner(db.query(), scoring);
	WordTable words(160000);
	std::vector<std::pair<int, size_t>> hits;
	for (size_t k = 0; k < db.entries().size(); ++k) {
		const Sequence &s = db.entries()[k];
		words.add(s);
		hits.emplace_back(aligner.best(s), k);
	}
	std::sort(hits.rbegin(), hits.rend());
	long sum = 0;
	for (const auto &h : hits)
		sum += h.first;
	std::printf("best %d at %zu, mean %.4f, commonest word %u\n",
		    hits[0].first, hits[0].second, double(sum) / hits.size(),
		    words.commonest());
	return 0;
}
