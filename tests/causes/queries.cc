// SPDX-License-Identifier: BSD-3-Clause
// An index of words on each rank answers what the others ask at the end of a
// batch; a rank that is asked while it indexes answers at once.
#include "options.h"
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace
{
struct Post {
	int document, place;
};

class Index
{
	std::unordered_map<std::string, std::vector<Post>> posts;
	long length = 0;

      public:
	void add(const std::string &word, int document, int place)
	{
		auto &list = posts[word];
		if (list.size() > 4000)
			list.clear();
		list.push_back({ document, place });
		length++;
	}

	long count(const std::string &word) const
	{
		auto found = posts.find(word);
		return found == posts.end() ? 0 : long(found->second.size());
	}

	long words() const { return length; }
};

class Inbox
{
	std::vector<MPI_Request> asked;
	std::vector<int> letters;

      public:
	explicit Inbox(int ranks) : asked(ranks), letters(ranks)
	{
		for (int i = 0; i < ranks; i++)
			MPI_Irecv(&letters[i], 1, MPI_INT, i, 4, MPI_COMM_WORLD,
				  &asked[i]);
	}

	// Which rank has asked, or none.
	int look()
	{
		int which, done;
		MPI_Testany(int(asked.size()), asked.data(), &which, &done,
			    MPI_STATUS_IGNORE);
		return done ? which : -1;
	}

	void drain()
	{
		MPI_Waitall(int(asked.size()), asked.data(),
			    MPI_STATUSES_IGNORE);
	}
};

std::string word_at(unsigned &seed)
{
	seed = seed * 1664525u + 1013904223u;
	std::string word = "w";
	for (unsigned rest = (seed >> 8) % 900; rest; rest /= 10)
		word += char('a' + rest % 10);
	return word;
}

void index_batch(Index &index, Inbox &inbox, int batch, const options &o)
{
	unsigned seed = unsigned(batch * 64 + o.rank);
	for (int i = 0; i < 20000; i++) {
		index.add(word_at(seed), batch, i);
		if (!o.mended && i % 2 == 0)
			inbox.look();
	}
}

// Each rank asks each for a letter.
void ask_all(const options &o, int batch)
{
	int letter = batch % 10;
	for (int i = 0; i < o.ranks; i++)
		MPI_Send(&letter, 1, MPI_INT, i, 4, MPI_COMM_WORLD);
}

long rank_words(const Index &index)
{
	std::vector<long> counts;
	for (int i = 0; i < 900; i++) {
		std::string word = "w";
		for (int rest = i; rest; rest /= 10)
			word += char('a' + rest % 10);
		counts.push_back(index.count(word));
	}
	std::sort(counts.begin(), counts.end());
	return counts[counts.size() / 2];
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Index index;
	double result = 0;

	for (int batch = 0; batch < options_times(&o, 50); batch++) {
		Inbox inbox(o.ranks);
		index_batch(index, inbox, batch, o);
		ask_all(o, batch);
		inbox.drain();
		result += double(rank_words(index));
	}
	options_report(&o, result + double(index.words()));
	MPI_Finalize();
}
