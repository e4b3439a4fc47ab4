#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# footprint.sh [ROUNDS] - resident memory that copse adds per process, bytes
# per rank file, and seconds that it adds to a run of 4 ranks until the
# findings are there.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

# resident PID: MiB.
resident() {
	awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$1/status"
}

# memory: a program that has run for two seconds, plain, and below copse.
memory() {
	local plain_pid copse_pid child plain with parent

	"$programs/shares" 4 >"$scratch/out" &
	plain_pid=$!
	"$copse" run --quiet -o "$scratch/shares.copse" "$programs/shares" 4 \
		>"$scratch/out2" &
	copse_pid=$!
	sleep 2
	child=$(ps -o pid= --ppid "$copse_pid" | tr -d ' ')
	plain=$(resident "$plain_pid")
	with=$(resident "$child")
	parent=$(resident "$copse_pid")
	wait "$plain_pid" "$copse_pid"
	echo "resident MiB: plain $plain, with copse $with, its parent $parent"
}

machine
memory
demo=$programs/demo
for ((round = 0; round < rounds; round++)); do
	cpu_and_wall mpirun -n 4 "$demo"
	plain=$wall
	rm -rf "$scratch/demo.copse"
	cpu_and_wall mpirun -n 4 "$copse" run -o "$scratch/demo.copse" "$demo"
	awk "BEGIN { print $wall - $plain }" >>"$scratch/added"
done
echo "seconds added until the findings, 4 ranks: $(median "$scratch/added")"
wc -c "$scratch"/demo.copse/*.h5
