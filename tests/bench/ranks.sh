#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ranks.sh - rank files of made jobs, for benches; it is sourced behind
# bench.sh.
#
#   model     the rank file that they are made after (MODEL)
#   some      of the job's ranks are made, the first ones (all)

maker=${HELPERS:-$builddir/tests/bench}/make-ranks
[ -x "$maker" ] || { echo "# make-ranks was not built"; exit 0; }
model=${MODEL-}
some=

# make_ranks RANKS DIRECTORY OPTION…: by as many processes as there are cores.
make_ranks() {
	local ranks=$1 to=$2 last=$((${some:-$1} - 1)) step first makers=() maker_id

	shift 2
	step=$(((last + $(cores)) / $(cores)))
	mkdir -p "$to"
	for ((first = 0; first <= last; first += step)); do
		"$maker" "$model" "$to" "$ranks" "$@" first=$first \
			last=$((first + step > last ? last : first + step - 1)) &
		makers+=($!)
	done
	for maker_id in "${makers[@]}"; do
		wait "$maker_id" || return
	done
}
