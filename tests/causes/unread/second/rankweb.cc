/* SPDX-License-Identifier: BSD-3-Clause */
// Link analysis of a web crawl, vertices split in contiguous ranges.
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

using Vertex = int64_t;

struct Partition {
	Vertex per, total;
	int rank, size;
	Vertex begin() const
	{
		return per * rank;
	}
	int owner(Vertex v) const
	{
		return static_cast<int>(v / per);
	}
};

struct Graph {
	std::vector<int> start;     // offsets into edges, by local target
	std::vector<int> source;    // local index, or per + ghost slot
	std::vector<Vertex> ghosts; // global ids, sorted
	std::vector<int> outdeg;
};

Graph crawl(const Partition &p)
{
	Graph g;
	std::mt19937_64 rng(99 + p.rank);
	std::vector<Vertex> raw;
	g.start.push_back(0);
	const Vertex reach = p.per / 40;
	for (Vertex v = 0; v < p.per; ++v) {
		const int deg = 6 + static_cast<int>(rng() % 10);
		for (int k = 0; k < deg; ++k) {
			Vertex s = p.begin() + v +
				   static_cast<Vertex>(rng() % (2 * reach)) -
				   reach;
			if (rng() % 512 == 0)
				s = p.begin() + v +
				    static_cast<Vertex>(rng() % p.per);
			raw.push_back((s % p.total + p.total) % p.total);
		}
		g.start.push_back(static_cast<int>(raw.size()));
	}
	for (Vertex s : raw)
		if (p.owner(s) != p.rank)
			g.ghosts.push_back(s);
	std::sort(g.ghosts.begin(), g.ghosts.end());
	g.ghosts.erase(std::unique(g.ghosts.begin(), g.ghosts.end()),
		       g.ghosts.end());
	for (Vertex s : raw) {
		if (p.owner(s) == p.rank) {
			g.source.push_back(static_cast<int>(s - p.begin()));
		} else {
			auto it = std::lower_bound(g.ghosts.begin(),
						   g.ghosts.end(), s);
			g.source.push_back(static_cast<int>(
				p.per + (it - g.ghosts.begin())));
		}
	}
	g.outdeg.resize(p.per);
	for (auto &d : g.outdeg)
		d = 6 + static_cast<int>(rng() % 10);
	return g;
}

class GhostExchange
{
      public:
	GhostExchange(const Partition &p, const Graph &g) : part_(p), graph_(g)
	{
		std::vector<int> want(p.size), give(p.size);
		for (Vertex v : g.ghosts)
			++want[p.owner(v)];
		MPI_Alltoall(want.data(), 1, MPI_INT, give.data(), 1, MPI_INT,
			     MPI_COMM_WORLD);
		std::vector<int> woff(p.size + 1, 0), goff(p.size + 1, 0);
		for (int r = 0; r < p.size; ++r) {
			woff[r + 1] = woff[r] + want[r];
			goff[r + 1] = goff[r] + give[r];
		}
		serve_.resize(goff.back());
		MPI_Alltoallv(g.ghosts.data(), want.data(), woff.data(),
			      MPI_INT64_T, serve_.data(), give.data(),
			      goff.data(), MPI_INT64_T, MPI_COMM_WORLD);
		for (int r = 0; r < p.size; ++r)
			for (int k = goff[r]; k < goff[r + 1]; ++k)
				to_.push_back(r);
	}

	void update(std::vector<double> &share)
	{
		pending_.clear();
		for (size_t k = 0; k < graph_.ghosts.size(); ++k)
			fetch(graph_.ghosts[k], &share[part_.per + k]);
		for (size_t k = 0; k < serve_.size(); ++k)
			deliver(to_[k], serve_[k],
				&share[serve_[k] - part_.begin()]);
		MPI_Waitall(static_cast<int>(pending_.size()), pending_.data(),
			    MPI_STATUSES_IGNORE);
	}
	size_t volume() const
	{
		return serve_.size();
	}

      private:
	static int label(Vertex v)
	{
		return static_cast<int>(v % 30000);
	}
	void fetch(Vertex v, double *into)
	{
		pending_.emplace_back();
		MPI_Irecv(into, 1, MPI_DOUBLE, part_.owner(v), label(v),
			  MPI_COMM_WORLD, &pending_.back());
	}
	void deliver(int dest, Vertex v, const double *from)
	{
		pending_.emplace_back();
		MPI_Isend(from, 1, MPI_DOUBLE, dest, label(v), MPI_COMM_WORLD,
			  &pending_.back());
	}
	const Partition &part_;
	const Graph &graph_;
	std::vector<Vertex> serve_;
	std::vector<int> to_;
	std::vector<MPI_Request> pending_;
};

double sweep(const Graph &g, const Partition &p, std::vector<double> &score,
	     const std::vector<double> &share)
{
	double change = 0;
	for (Vertex v = 0; v < p.per; ++v) {
		double in = 0;
		for (int k = g.start[v]; k < g.start[v + 1]; ++k)
			in += share[g.source[k]];
		const double s = 0.15 / p.total + 0.85 * in;
		change += std::fabs(s - score[v]);
		score[v] = s;
	}
	return change;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	Partition p;
	MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p.size);
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 180;
	p.per = 150000;
	p.total = p.per * p.size;
	Graph g = crawl(p);
	GhostExchange ex(p, g);
	std::vector<double> score(p.per, 1.0 / p.total),
		share(p.per + g.ghosts.size());
	double all = 0;
	for (int it = 0; it < rounds; ++it) {
		for (Vertex v = 0; v < p.per; ++v)
			share[v] = score[v] / g.outdeg[v];
		ex.update(share);
		double change = sweep(g, p, score, share);
		MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
	double top = *std::max_element(score.begin(), score.end()), best = 0;
	MPI_Reduce(&top, &best, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (p.rank == 0)
		std::printf("top score %.10e residual %.3e boundary %zu\n",
			    best * p.total, all, ex.volume());
	MPI_Finalize();
	return 0;
}
