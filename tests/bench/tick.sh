#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# tick.sh [ROUNDS] - nanoseconds that a tick's handler takes above an empty one,
# by how much memory the program uses between two ticks: 0 finds the caches as
# the tick before left them, more than the caches hold finds nothing.  Signals
# are made one at a time (tick.c) and each is measured by itself, so that a
# machine that is shared disturbs little; what the sampling clock costs is not
# in it.  Each round compares with the empty handler of the same round.
#
#   KIB     kibibytes of memory, "0 1024 4096 16384"
#   TICKS   of each run, 2000
#   DEPTH   of the call path, 20
#   PLACES  instructions that ticks interrupt, 200
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
ticks=${TICKS:-2000}

machine
compile tick || exit 1
compile_handler empty || exit 1

# measured COMMAND…: the quartile of the ticks, through the command.
measured() {
	"$@" "$scratch/tick" "$ticks" "$kib" "${DEPTH:-20}" "${PLACES:-200}" |
		cut -d ' ' -f 1
}

for ((round = 0; round < rounds; round++)); do
	for kib in ${KIB:-0 1024 4096 16384}; do
		empty=$(measured env HANDLER_HZ=1 \
			"LD_PRELOAD=$scratch/empty-handler")
		rm -rf "$scratch/tick.copse"
		ours=$(measured "$copse" run --quiet --freq 1 --budget 0 \
			-o "$scratch/tick.copse")
		echo "$empty" >>"$scratch/$kib.empty"
		calculate "$ours - $empty" >>"$scratch/$kib.above"
	done
done
printf '%-8s %-36s %s\n' KiB "ns of the empty handler" "copse above it"
for kib in ${KIB:-0 1024 4096 16384}; do
	printf '%-8s %-36s %s\n' "$kib" "$(median "$scratch/$kib.empty")" \
		"$(median "$scratch/$kib.above")"
done
