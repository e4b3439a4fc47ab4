#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# killed.sh [TIMES] - all ranks of a program are killed with SIGKILL at TIMES
# (200) random moments; then copse makes a timeline of what is left.  Half of
# the runs have --trace.  Prints how many have one; how many seconds before the
# kill its last known cell begins, on the rank where that is first (median,
# least, most); and for how many that is more than a second.
#
#   RANKS   2
#   LONGEST until the kill, after the first stage: 3 seconds
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
times=${1:-200}
have mpirun && have h5dump && have pgrep || exit 0
[ -x "$programs/mpi-stages" ] || { echo "# mpi-stages was not built"; exit 0; }
cd "$scratch" || exit

# The kill's date, of a run whose first stage is over.
kill_one() {
	setsid mpirun -n "${RANKS:-2}" "$copse" run -q "$@" -o run.copse \
		"$programs/mpi-stages" steps=5000 stage=0.2 >out 2>err &
	local session=$!

	until grep -q '^stage setup' out || ! kill -0 $session 2>/dev/null; do
		sleep 0.05
	done
	sleep "$(calculate "${LONGEST:-3} * $RANDOM / 32767")"
	pgrep -s $session -x mpi-stages | xargs -r kill -KILL
	killed=$(date +%s.%N)
	wait $session
}

# When the last known cell begins, in seconds since 1970.
end_of_timeline() {
	h5dump -d /timeline/axis/begin_real_ns run.copse/run.h5 |
		sed -n 's/.*(0): //p' >begin || return
	"$copse" report timeline run.copse -f csv | awk -F, '
		FNR == NR { begin = $1 / 1e9; next }
		$2 == "thread" && $9 > 0 { end[$1] = $4 }
		END {
			for (rank in end)
				if (!least || end[rank] < least)
					least = end[rank]
			if (!least)
				exit 1
			printf "%.3f\n", begin + least
		}' begin -
}

machine
: >gaps
none=0
for ((i = 0; i < times; i++)); do
	rm -rf run.copse
	: >out # of the run before, it would say that this one's stage is over
	trace=(--trace 4)
	[ $((i % 2)) = 1 ] || trace=()
	kill_one "${trace[@]}"
	if "$copse" merge -q run.copse 2>>err && end=$(end_of_timeline); then
		calculate "$killed - $end" >>gaps
	else
		none=$((none + 1))
	fi
done
echo "timelines $(wc -l <gaps) of $times, seconds lost $(median gaps)," \
	"more than 1: $(awk '$1 > 1' gaps | wc -l)"
