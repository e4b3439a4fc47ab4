/* SPDX-License-Identifier: BSD-3-Clause */
// Reads of a genome: one thread brings them in, others place them on the
// reference, and the depth of coverage comes out.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

constexpr int read_length = 100, genome = 1 << 20, placers = 3;
size_t batch_size = 1;

struct Read {
	uint32_t guess;
	char bases[read_length];
};

using Batch = std::vector<Read>;

class Channel
{
      public:
	void put(Batch batch)
	{
		std::unique_lock<std::mutex> hold(mutex);

		room.wait(hold, [&] { return queue.size() < 64; });
		queue.push_back(std::move(batch));
		filled.notify_one();
	}

	bool take(Batch &batch)
	{
		std::unique_lock<std::mutex> hold(mutex);

		filled.wait(hold, [&] { return !queue.empty() || closed; });
		if (queue.empty())
			return false;
		batch = std::move(queue.front());
		queue.pop_front();
		room.notify_one();
		return true;
	}

	void close()
	{
		std::lock_guard<std::mutex> hold(mutex);

		closed = true;
		filled.notify_all();
	}

      private:
	std::mutex mutex;
	std::condition_variable filled, room;
	std::deque<Batch> queue;
	bool closed = false;
};

std::string reference(genome + read_length + 16, 'A');
std::vector<std::vector<uint32_t>> depth(placers);

void make_reference()
{
	uint32_t s = 3;

	for (char &c : reference) {
		s = s * 1664525u + 1013904223u;
		c = "ACGT"[s >> 30];
	}
}

void fetch_read(Read &r, uint32_t &s)
{
	s = s * 1664525u + 1013904223u;
	r.guess = (s >> 8) % genome;
	std::memcpy(r.bases, &reference[r.guess + s % 7], read_length);
	r.bases[s >> 26] = 'N';
}

void bring_in(Channel &channel, long reads)
{
	uint32_t s = 11;

	for (long done = 0; done < reads; done += batch_size) {
		Batch batch(batch_size);

		for (Read &r : batch)
			fetch_read(r, s);
		channel.put(std::move(batch));
	}
	channel.close();
}

int mismatches(const Read &r, uint32_t at)
{
	int n = 0;

	for (int i = 0; i < read_length; i++)
		n += reference[at + i] != r.bases[i];
	return n;
}

void place(const Read &r, std::vector<uint32_t> &own)
{
	uint32_t best = r.guess;
	int least = read_length;

	for (uint32_t at = r.guess; at < r.guess + 12; at++) {
		int n = mismatches(r, at);

		if (n < least) {
			least = n;
			best = at;
		}
	}
	for (int i = 0; i < read_length; i += 4)
		own[(best + i) >> 2]++;
}

void place_reads(Channel &channel, int who)
{
	Batch batch;

	while (channel.take(batch))
		for (const Read &r : batch)
			place(r, depth[who]);
}

} // namespace

int main(int argc, char **argv)
{
	double factor = argc > 1 ? std::atof(argv[1]) : 1;
	Channel channel;
	std::vector<std::thread> threads;
	uint64_t sum = 0;

	if (argc > 2 && !std::strcmp(argv[2], "fixed"))
		batch_size = 500;
	make_reference();
	for (auto &d : depth)
		d.resize(genome / 4 + read_length);
	for (int i = 0; i < placers; i++)
		threads.emplace_back(place_reads, std::ref(channel), i);
	bring_in(channel, 2500000 * factor);
	for (auto &t : threads)
		t.join();
	for (auto &d : depth)
		for (uint32_t n : d)
			sum += n;
	std::printf("depth %.4f\n", (double)sum / genome * 4);
}
