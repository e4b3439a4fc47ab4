// SPDX-License-Identifier: BSD-3-Clause
// Labels spread over a graph whose vertices are distributed; those of the cut
// go to the rank that has the other end.
#include "options.h"
#include <cmath>
#include <vector>

namespace
{
struct Edge {
	int from, to;
};

struct Graph {
	int vertices;
	std::vector<Edge> inside;
	std::vector<int> cut;
	std::vector<double> label;
	std::vector<double> ghost;
};

Graph make_graph(int rank, int vertices, int cut)
{
	Graph g{ vertices, {}, {}, {}, std::vector<double>(cut) };
	unsigned seed = 17u + unsigned(rank);
	auto next = [&seed, vertices]() {
		seed = seed * 1664525u + 1013904223u;
		return int((seed >> 8) % unsigned(vertices));
	};
	for (int i = 0; i < 6 * vertices; i++)
		g.inside.push_back({ next(), next() });
	for (int i = 0; i < cut; i++)
		g.cut.push_back(next());
	for (int i = 0; i < vertices; i++)
		g.label.push_back(1.0 + (i * 7 + rank) % 101);
	return g;
}

void swap_labels(Graph &g, const options &o)
{
	int to = (o.rank + 1) % o.ranks;
	int from = (o.rank + o.ranks - 1) % o.ranks;
	std::vector<double> out;
	for (int vertex : g.cut)
		out.push_back(g.label[vertex]);
	int each = o.mended ? int(out.size()) : 1;
	for (size_t i = 0; i < out.size(); i += each)
		MPI_Sendrecv(&out[i], each, MPI_DOUBLE, to, 0, &g.ghost[i],
			     each, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
}

void spread(Graph &g)
{
	for (const auto &e : g.inside) {
		double flow = 0.01 * (g.label[e.from] - g.label[e.to]);
		g.label[e.from] -= flow;
		g.label[e.to] += flow;
	}
	for (size_t i = 0; i < g.cut.size(); i++) {
		double &own = g.label[g.cut[i]];
		own += 0.001 * (g.ghost[i] - own);
	}
}

double entropy(const Graph &g)
{
	double sum = 0;
	for (double l : g.label)
		sum -= l * std::log(l / 100.0);
	return sum;
}
} // namespace

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options o = options_read(argc, argv);
	Graph graph = make_graph(o.rank, 6000, 1500);
	double result = 0;

	for (int round = 0; round < options_times(&o, 300); round++) {
		swap_labels(graph, o);
		for (int sweep = 0; sweep < 20; sweep++)
			spread(graph);
		result += 1e-6 * entropy(graph);
	}
	options_report(&o, result);
	MPI_Finalize();
}
