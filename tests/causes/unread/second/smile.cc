/* SPDX-License-Identifier: BSD-3-Clause */
// Revaluation of an option book on a stochastic-volatility smile.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

struct Trade {
	int underlying, expiry;
	double strike, amount;
};

struct Slice {
	double expiry;
	double a, b, rho, m, sigma; // raw SVI parameters
	double vol(double k) const
	{
		const double x = k - m;
		return std::sqrt(
			(a + b * (rho * x + std::sqrt(x * x + sigma * sigma))) /
			expiry);
	}
};

class Calibrator
{
      public:
	std::shared_ptr<const Slice> fit(int underlying, int expiry) const
	{
		auto s = std::make_shared<Slice>();
		s->expiry = expiry / 365.0;
		double p[5] = { 0.02, 0.1, -0.3, 0.0, 0.2 };
		double quote[21];
		for (int i = 0; i < 21; ++i) {
			const double k = 0.06 * (i - 10);
			quote[i] = 0.03 + 0.004 * (underlying % 7) +
				   0.09 * std::sqrt(k * k + 0.03 +
						    1e-4 * (expiry % 90)) -
				   0.02 * k;
		}
		double best = misfit(p, quote), step = 0.05;
		for (int it = 0; it < 420; ++it) {
			bool better = false;
			for (int d = 0; d < 10; ++d) {
				double q[5] = { p[0], p[1], p[2], p[3], p[4] };
				q[d / 2] += d % 2 ? step : -step;
				const double f = misfit(q, quote);
				if (f < best) {
					best = f;
					for (int j = 0; j < 5; ++j)
						p[j] = q[j];
					better = true;
				}
			}
			if (!better)
				step *= 0.93;
		}
		s->a = p[0];
		s->b = p[1];
		s->rho = p[2];
		s->m = p[3];
		s->sigma = p[4];
		return s;
	}

      private:
	static double misfit(const double *p, const double *quote)
	{
		if (p[1] < 0 || std::fabs(p[2]) > 0.99 || p[4] < 1e-3)
			return 1e9;
		double sum = 0;
		for (int i = 0; i < 21; ++i) {
			const double x = 0.06 * (i - 10) - p[3];
			const double d =
				p[0] +
				p[1] * (p[2] * x +
					std::sqrt(x * x + p[4] * p[4])) -
				quote[i];
			sum += d * d;
		}
		return sum;
	}
};

class MarketView
{
      public:
	std::shared_ptr<const Slice> slice(int underlying, int expiry)
	{
		std::lock_guard<std::mutex> hold(guard_);
		const int64_t key = int64_t(underlying) * 100000 + expiry;
		auto it = slices_.find(key);
		if (it == slices_.end())
			it = slices_.emplace(key, calibrator_.fit(underlying,
								  expiry))
				     .first;
		return it->second;
	}
	size_t size() const
	{
		return slices_.size();
	}

      private:
	std::mutex guard_;
	Calibrator calibrator_;
	std::map<int64_t, std::shared_ptr<const Slice>> slices_;
};

double price(const Trade &t, MarketView &market)
{
	const auto s = market.slice(t.underlying, t.expiry);
	double sum = 0;
	const int nodes = 400;
	for (int i = 0; i < nodes; ++i) {
		const double z = -5.0 + 10.0 * (i + 0.5) / nodes;
		const double v =
			std::fmax(0.01, s->vol(std::log(t.strike) + 0.02 * z));
		const double x = std::exp(v * std::sqrt(s->expiry) * z -
					  0.5 * v * v * s->expiry);
		sum += std::fmax(x - t.strike, 0.0) * std::exp(-0.5 * z * z);
	}
	return t.amount * sum * 10.0 / nodes / std::sqrt(2 * 3.14159265358979);
}

std::vector<Trade> load_book(size_t count)
{
	std::mt19937 rng(31);
	std::vector<Trade> book(count);
	for (auto &t : book) {
		t.underlying = static_cast<int>(rng() % 400);
		t.expiry = 20 + static_cast<int>(rng() % 1500);
		t.strike = 0.8 + 0.4 * (rng() % 1000) / 1000.0;
		t.amount = 1.0 + rng() % 50;
	}
	return book;
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
	const size_t count = argc > 2 ? std::atol(argv[2]) : 13000;
	const std::vector<Trade> book = load_book(count);
	MarketView market;
	std::vector<double> value(count);
	std::vector<std::thread> pool;
	for (int k = 0; k < threads; ++k)
		pool.emplace_back([&, k] {
			for (size_t i = k; i < count; i += threads)
				value[i] = price(book[i], market);
		});
	for (auto &t : pool)
		t.join();
	double total = 0;
	for (double v : value)
		total += v;
	std::printf("book value %.6f over %zu slices\n", total, market.size());
	return 0;
}
