#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hpcc.sh - the HPC Challenge benchmarks: Debian's build, unchanged.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

output_file=hpccoutf.txt

# HPL's input, and no more problems for the transposition: small ones, on a
# grid of 2 x 2.
write_input() {
	cat <<-'EOM'
		copse's test of HPCC
		4 processes
		HPL.out
		8	device out
		1	problem sizes
		500
		1	block sizes
		80
		0	row-major
		1	grids
		2
		2
		16.0	threshold
		1	panel factorisations
		2
		1	stopping criteria
		4
		1	panels in recursion
		2
		1	recursive factorisations
		1
		1	broadcasts
		1
		1	lookahead depths
		1
		2	swap: mix
		64
		0	L1 transposed
		0	U transposed
		1	equilibration
		8	alignment
		-
		0
		100
		0
		40
	EOM
}

# Times, rates, and what is decided by them.  Any real number may be one of
# them (the next build may word its line anew); what hpcc computed, it judges
# itself: see has_verdicts.
without_times() {
	sed -E 's/[-+]?[0-9]+\.[0-9]*([eE][-+]?[0-9]+)?/REAL/g; s/ +/ /g' |
	grep -vE -e '[Tt]ime|usec|msec|seconds|ticks|Wall|[Ll]atency|ping' \
		-e '[GT]?flop|GBs?[/=]|GUP|updates EXECUTED|ExeUpdates|[Bb]andwidth|Mem|Node selected|esidual: |Computing: |FFT: ' \
		-e '_?(Copy|Scale|Add|Triad)\>|^(WALL|CPU|WR[0-9A-Z]*) '
}

run_hpcc() {
	need mpirun hpcc
	cd "$scratch" || return
	write_input >hpccinf.txt
	run_both 4 hpcc
}

# An unusual build would check nothing: there have to be verdicts.
has_verdicts() {
	grep -cE 'PASSED|Passed' "$scratch/with" && ! grep FAILED "$scratch/with"
}

point "runs with and without copse" run_hpcc
point "prints the same" after_run same_but without_times
point "its own checks pass" after_run has_verdicts
point "leaves a profile of each rank" after_run one_profile_per_rank 4
point "99 % of the ticks have a complete path" after_run complete 0.99
point "remembered paths are right" after_run paths_are_verified
point "MPI time is there" after_run mpi_time_is_there
point "imbalance is there" after_run imbalance_is_there
points_done
