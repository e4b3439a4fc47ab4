#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeline.sh [ROUNDS] [RANKS…] - what the timeline and the iterations of made
# jobs take, of 1024 and 10240 ranks when not given.  Each job is made thrice by
# make-ranks, after a run of LAMMPS: with trace points and stamps, with trace points
# alone, which wait states need, and without; they are merged in turns (3).  A line
# for each:
#
#   MB        of /timeline, and of /iterations, in run.h5
#   cells     of the timeline
#   seconds   of the merge, processor seconds of all its threads: the median,
#             with and without
#   more      of them, per cent, the median of the pairs' (the least, the most):
#             the most that both take, as wait states take trace points, too
#   stamps    the same, over trace points alone: the iterations
#
#   SOME      ranks are made of each job, the first ones (all)
#   MODEL, VALUES, THREADS, WHERE as for merge.sh
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/ranks.sh
. "$(dirname "$0")/ranks.sh"
where=$(mktemp -d "${WHERE:-$scratch}/ranks.XXXXXX") || exit
trap 'rm -rf "$where" "$scratch"' EXIT
rounds=${1:-3}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 1024 10240
have h5ls || exit 0
cd "$scratch" || exit

model() {
	have mpirun && have lmp || exit 0
	sed -n '/^units/,/^run/p' "$srcdir/tests/real/lammps.sh" |
		sed 's/^run.*/run 1500/' >in.melt
	mpirun -n 4 "$copse" run -q -e cpu,wall -o model \
		lmp -log none -in in.melt >out 2>&1 || { cat out; exit 1; }
	model=$PWD/model/rank-0.h5
}

# megabytes GROUP: of its tables, as they are in the file.
megabytes() {
	h5ls -rv "$where/with/run.h5/$1" | awk '
		/allocated bytes/ {
			sub(/ allocated.*/, "")
			sum += $NF
		}
		END { printf "%.2f", sum / 1e6 }'
}

cells() {
	h5ls -r "$where/with/run.h5/timeline" | awk '
		/^.cells.node/ {
			gsub(/[{}]/, "")
			print int($3 / 1000)
		}'
}

# once NAME: its seconds go to the files wall-NAME and cpu-NAME.
once() {
	rm -f "$where/$1/run.h5"
	cpu_and_wall "$copse" merge -q ${THREADS:+-t "$THREADS"} "$where/$1"
	echo "$wall" >>"wall-$1"
	echo "$cpu" >>"cpu-$1"
}

middle() {
	median "$1" | sed 's/ .*//'
}

# more TIME JOB: with all, over that job.
more() {
	paste "$1-with" "$1-$2" |
		awk '{ print 100 * ($1 / $2 - 1) }' >pairs
	median pairs | sed 's/, n=.*/)/'
}

timeline() {
	rm -rf "${where:?}"/* wall-* cpu-*
	some=${SOME-}
	set -- "$1" values="${VALUES:-42000}"
	make_ranks "$1" "$where/with" "$2" &&
		make_ranks "$1" "$where/points" "$2" steps=0 &&
		make_ranks "$1" "$where/without" "$2" times=0 || exit
	for ((i = 0; i < rounds; i++)); do
		once with
		once points
		once without
	done
	printf '%-6s ' "$1"
	echo "timeline $(megabytes timeline) MB, iterations" \
		"$(megabytes iterations) MB, $(cells) thousand cells"
	for time in wall cpu; do
		echo "  $time with $(middle $time-with) without" \
			"$(middle $time-without)" \
			"more $(more $time without) %," \
			"stamps $(more $time points) %"
	done
}

machine
[ -n "$model" ] || model
for ranks; do
	timeline "$ranks"
done
