#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mpi-turns.sh [ROUNDS [LOOPS]] - nanoseconds that copse adds to an MPI call, with
# the full call path, above a wrapper that does nothing: the loops of mpi-loops.h
# at depths 2, 20 and 60, where mpi-call.sh cannot tell, since processes, and
# minutes of a machine, differ by more.  All ways take turns of a millisecond
# within one process (mpi-turns.c), or two that do the same.
#
# What others do on the machine only ever adds, so what is compared is the lower
# decile of the batches of each way, with the 95 % interval of the difference:
# of the two deciles by the binomial distribution, put together.  It holds for
# this process: where its memory lies makes the next one differ by some ns.
#
#   LOOPS   a part of their names, or nothing: all
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
compiler=${MPICC:-mpicc}
rounds=${1:-500}
have mpirun || exit 0
compile mpi-turns -ldl || exit 1
compile empty-pmpi -shared -fPIC || exit 1
# Who polls gives no core away, where there are enough of them.
[ "$(cores)" -lt 2 ] || export OMPI_MCA_mpi_yield_when_idle=0

# one_run RANKS LOOPS: a line for each round of a loop at a depth.
one_run() {
	rm -rf "$scratch/turns.copse"
	mpirun -n "$1" "$copse" run --quiet --budget 0 \
		-o "$scratch/turns.copse" "$scratch/mpi-turns" \
		"$scratch/empty-pmpi" "$rounds" "$2"
}

# decile COLUMN: of the lines on stdin, with half the width of its interval.
decile() {
	awk -v column="$1" '{ print $column }' | sort -g | awk '
	{ v[NR] = $1 }
	END {
		half = 1.96 * sqrt(NR * 0.1 * 0.9)
		low = int(NR * 0.1 - half)
		high = int(NR * 0.1 + half) + 1
		print v[int(NR * 0.1) + 1], \
			(v[high < NR ? high : NR] - v[low < 1 ? 1 : low]) / 2
	}'
}

# above COLUMN OTHER: nanoseconds, of one loop at one depth.
above() {
	echo "$(decile "$1" <"$scratch/one") $(decile "$2" <"$scratch/one")" |
		awk '{ printf "%.1f ± %.1f", $1 - $3, sqrt($2^2 + $4^2) }'
}

machine
for ranks in 1 2; do
	one_run $ranks "${2-}" || exit
done >"$scratch/said"
grep -v '^counter' "$scratch/said" >"$scratch/all"
awk '$1 == "counter" { print "# reading the time stamp counter: " $3 " ns"; exit }' \
	"$scratch/said"
echo "# ns per call: lower deciles of $rounds batches each"
format='%-20s %5s  %-8s %-28s %s\n'
# shellcheck disable=SC2059 # one format for the table
printf "$format" loop depth plain 'empty wrapper above plain' \
	'copse above empty wrapper'
awk '!seen[$1, $2]++ { print $1, $2 }' "$scratch/all" |
	while read -r name depth; do
		awk -v name="$name" -v depth="$depth" \
			'$1 == name && $2 == depth' "$scratch/all" \
			>"$scratch/one"
		# shellcheck disable=SC2059
		printf "$format" "$name" "$depth" \
			"$(decile 3 <"$scratch/one" | cut -d ' ' -f 1)" \
			"$(above 4 3)" "$(above 5 4)"
	done
