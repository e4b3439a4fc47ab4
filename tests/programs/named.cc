// SPDX-License-Identifier: BSD-3-Clause
// named.cc - C++'s kinds of names, each with a mark; tests/profiles/symbolise.sh says what
// they are called.
#define MARK(name) __asm__ volatile(".globl mark_" #name "\nmark_" #name ": nop")
#define KEPT __attribute__((noinline, noclone, used))

namespace sim
{
template <typename T> struct Mesh {
	KEPT static T smooth(T x)
	{
		MARK(template);
		return x + 1;
	}
};
namespace
{
KEPT int hidden(int x)
{
	MARK(hidden);
	return x + 2;
}
} // namespace
struct Solver {
	int n;
	KEPT Solver(int count) : n(count)
	{
		MARK(constructor);
	}
	KEPT int operator()(int x) const
	{
		MARK(operator);
		return x + n;
	}
};
} // namespace sim

int main(int argc, char **)
{
	auto lambda = [](int x) KEPT {
		MARK(lambda);
		return x + 3;
	};
	sim::Solver solver(argc);

	return sim::Mesh<double>::smooth(argc) + sim::hidden(argc) +
		       solver(argc) + lambda(argc) ==
	       0;
}
