#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# iterations.sh [RUNS] - in how many of RUNS (20) runs of tests/programs/mpi-stages
# what happens to its 300 steps is found: a slow one, a rank that is slow in each
# tenth, drift, and nothing in steady ones.  A line for each: in `found` runs
# copse report iterations says so, in `other` ones copse report diagnose has
# another finding on iterations, and `counted` have the number of steps right.
#
#   RANKS   2
#   LOAD    others that keep a core busy meanwhile, 0
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
runs=${1:-20}
ranks=${RANKS:-2}
have mpirun || exit 0
[ -x "$programs/mpi-stages" ] || { echo "# mpi-stages was not built"; exit 0; }
cd "$scratch" || exit
busy=()
rules='^(slow-iterations|unsteady-rank|drift|start-and-end),'

for ((i = 0; i < ${LOAD:-0}; i++)); do
	(while :; do :; done) &
	busy+=($!)
done

# one RULE SENTENCE ARGUMENT…
one() {
	local rule=$1 sentence=$2
	shift 2
	rm -rf run.copse
	mpirun -n "$ranks" "$copse" run -q -o run.copse "$programs/mpi-stages" \
		steps=300 step=0.005 stage=0.1 cpu=1 "$@" >out 2>err || return
	"$copse" report iterations run.copse --width 300 >page
	grep -q '^300 iterations' page && counted=$((counted + 1))
	grep -q "^! $sentence" page && found=$((found + 1))
	"$copse" report diagnose run.copse -f csv --table findings |
		grep -E "$rules" | grep -qv "^$rule," && other=$((other + 1))
}

several() {
	found=0 other=0 counted=0
	for ((k = 0; k < runs; k++)); do
		one "${@:2}"
	done
	printf '%-10s found %2d of %d, other %2d, counted %2d\n' "$1" \
		"$found" "$runs" "$other" "$counted"
}

several slow slow-iterations 'Iteration 120.*write_restart' slow=120 extra=0.4
several late unsteady-rank 'Rank 1 .*one of 10.*compute' late=1
several drift drift 'Iterations became slower.*compute' drift=1
several steady none .
[ -z "${busy[*]}" ] || kill "${busy[@]}"
