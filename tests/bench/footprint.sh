#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# footprint.sh [ROUNDS] - resident memory that copse adds per process, bytes
# per rank file, and seconds from the end of 4 ranks to the findings.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

# resident PID: MiB.
resident() {
	awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$1/status"
}

# memory: a program that has run for two seconds, plain, and below copse.
memory() {
	local plain_pid copse_pid child plain with parent private

	"$programs/shares" 4 >"$scratch/out" &
	plain_pid=$!
	"$copse" run --quiet -o "$scratch/shares.copse" "$programs/shares" 4 \
		>"$scratch/out2" &
	copse_pid=$!
	sleep 2
	child=$(ps -o pid=,comm= --ppid "$copse_pid" |
		awk '$2 == "shares" { print $1 }')
	plain=$(resident "$plain_pid")
	with=$(resident "$child")
	parent=$(resident "$copse_pid")
	private=$(awk '/^Private/ { n += $2 } END { print n / 1024 }' \
		"/proc/$copse_pid/smaps_rollup")
	wait "$plain_pid" "$copse_pid"
	echo "resident MiB: plain $plain, with copse $with, its parent" \
		"$parent ($private its own)"
}

# ended_to_back PREFIX…: seconds from the end of the last of 4 ranks until
# mpirun is back.
ended_to_back() {
	local note="cut -d ' ' -f 1 /proc/uptime >>$scratch/ended"

	rm -rf "$scratch/ended" "$scratch/demo.copse"
	mpirun -n 4 "$@" sh -c "$programs/demo; $note" >"$scratch/out" 2>&1
	awk -v back="$(cut -d ' ' -f 1 /proc/uptime)" '
		$1 > last { last = $1 }
		END { print back - last }' "$scratch/ended"
}

machine
memory
have mpirun || exit 0
for ((round = 0; round < rounds; round++)); do
	ended_to_back >>"$scratch/plain"
	ended_to_back "$copse" run -o "$scratch/demo.copse" >>"$scratch/with"
	grep -q 'recoverable' "$scratch/out" || echo "no findings came" >&2
done
echo "seconds from the last rank's end until mpirun is back"
echo "  plain                 $(median "$scratch/plain")"
echo "  copse, with findings  $(median "$scratch/with")"
wc -c "$scratch"/demo.copse/*.h5
