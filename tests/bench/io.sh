#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# io.sh [ROUNDS] - nanoseconds of CPU time that calls for files take more: with
# copse, with copse run --io=on, and with a library that only reads the clock
# twice; medians of runs one after the other in each round.  The pair of a pipe
# is no call for a file.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"

keep() {
	while read -r name ns; do
		echo "$ns" >>"$scratch/$name-$1"
	done
}

# measured WHICH OPTION…: few samples, which are others' cost.
measured() {
	"$copse" run --quiet --no-report --force --freq 10 "${@:2}" \
		-o "$scratch/io.copse" "$scratch/io" | keep "$1"
}

more_than_plain() {
	paste "$scratch/$1-plain" "$scratch/$1-$2" |
		awk '{ print $2 - $1 }' >"$scratch/more"
	median "$scratch/more"
}

compile io && compile io-floor -shared -fPIC -ldl || exit
for ((i = 0; i < rounds; i++)); do
	"$scratch/io" | keep plain
	LD_PRELOAD=$scratch/io-floor "$scratch/io" | keep floor
	measured off
	measured on --io=on
done
for name in pread pwrite fstat stat fwrite pipe; do
	echo "$name: plain $(median "$scratch/$name-plain") ns," \
		"two readings of the clock + $(more_than_plain $name floor)," \
		"copse + $(more_than_plain $name off)," \
		"--io=on + $(more_than_plain $name on)"
done
