#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# sample.sh [ROUNDS] - microseconds of CPU time for one sample at depth 20:
# a fixed amount of work at 10,000 samples/s, plain, with an empty handler
# and with copse.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
compile empty-handler -shared -fPIC
compile deep
hz=10000

machine
for ((round = 0; round < rounds; round++)); do
	plain=$("$scratch/deep" 100000)
	floor=$(EMPTY_HZ=$hz LD_PRELOAD=$scratch/empty-handler \
		"$scratch/deep" 100000)
	rm -rf "$scratch/deep.copse"
	cost=$("$copse" run --quiet --freq $hz -o "$scratch/deep.copse" \
		"$scratch/deep" 100000)
	awk "BEGIN { print ($floor / $plain - 1) * 1e6 / $hz }" \
		>>"$scratch/floor"
	awk "BEGIN { print ($cost / $plain - 1) * 1e6 / $hz }" \
		>>"$scratch/copse"
done
echo "empty handler us/sample $(median "$scratch/floor")"
echo "copse us/sample         $(median "$scratch/copse")"
