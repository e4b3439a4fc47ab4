/* SPDX-License-Identifier: BSD-3-Clause */
// Counts k-mers that begin with a chosen seed: reads are made, k-mers packed,
// canonical ones filtered, and counted in a table.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace
{

constexpr int k = 24;
constexpr const char *motif = "ACGTTG";
bool mended;

class KmerTable
{
      public:
	explicit KmerTable(size_t buckets) : heads(buckets, -1)
	{
	}

	void add(uint64_t kmer)
	{
		size_t b = bucket_of(kmer);

		for (int32_t i = heads[b]; i >= 0; i = entries[i].next)
			if (entries[i].kmer == kmer) {
				entries[i].count++;
				return;
			}
		entries.push_back({ kmer, 1, heads[b] });
		heads[b] = entries.size() - 1;
	}

	size_t size() const
	{
		return entries.size();
	}

	uint32_t most() const
	{
		uint32_t n = 0;

		for (const Entry &e : entries)
			n = std::max(n, e.count);
		return n;
	}

      private:
	struct Entry {
		uint64_t kmer;
		uint32_t count;
		int32_t next;
	};

	size_t bucket_of(uint64_t kmer) const
	{
		if (mended)
			kmer = (kmer ^ kmer >> 29) * 0x9e3779b97f4a7c15u >> 20;
		return kmer & (heads.size() - 1);
	}

	std::vector<int32_t> heads;
	std::vector<Entry> entries;
};

void sequence(std::string &read, uint64_t number)
{
	uint64_t s = number % 90 + 1;

	for (char &c : read) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		c = "ACGT"[s >> 62];
	}
	for (size_t at = number % 31; at + 30 < read.size(); at += 97)
		std::memcpy(&read[at], motif, std::strlen(motif));
}

int code_of(char c)
{
	return c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : 3;
}

// The first base has the lowest bits.
uint64_t pack(const char *bases)
{
	uint64_t kmer = 0;

	for (int i = k - 1; i >= 0; i--)
		kmer = kmer << 2 | code_of(bases[i]);
	return kmer;
}

double complexity(const std::string &read)
{
	int seen[64] = { 0 };
	double score = 0;

	for (size_t i = 0; i + 3 <= read.size(); i++)
		seen[code_of(read[i]) | code_of(read[i + 1]) << 2 |
		     code_of(read[i + 2]) << 4]++;
	for (int n : seen)
		score += 0.5 * n * (n - 1);
	return score / (read.size() - 2);
}

void count_seeds(KmerTable &table, const std::string &read)
{
	for (size_t at = read.find(motif); at != std::string::npos;
	     at = read.find(motif, at + 1))
		if (at + k <= read.size())
			table.add(pack(&read[at]));
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1;
	long reads = 150000 * factor, kept = 0;
	KmerTable table(1 << 20);
	std::string read(2000, 'A');

	mended = argc > 2 && !std::strcmp(argv[2], "fixed");
	for (long n = 0; n < reads; n++) {
		sequence(read, n * 7919);
		if (complexity(read) > 60)
			continue;
		kept++;
		count_seeds(table, read);
	}
	std::printf("%ld reads, %zu seeds, most %u\n", kept, table.size(),
		    table.most());
}
