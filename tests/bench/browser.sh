#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# browser.sh [ROUNDS] - pages of -f html, of few ranks and of many: how large they
# are, how long writing takes, and how long headless Chromium takes until the
# first paint, the first whole view, and from a selection to the frame that shows
# it, in milliseconds (figures.mjs).
#
#   floor     reading all of the database (cat); the first paint of an empty page;
#             a frame in which nothing changes
#
#   RANKS     "4 1024 10240"; MODEL, a rank file that the ranks are made after
#             (a run of the demo program)
#   WHERE     a directory with room: 0.1 MB for each rank
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/ranks.sh
. "$(dirname "$0")/ranks.sh"
where=$(mktemp -d "${WHERE:-$scratch}/page.XXXXXX") || exit
trap 'rm -rf "$where" "$scratch"' EXIT
have node || exit 0

# seconds COMMAND…
seconds() {
	local begin=$EPOCHREALTIME

	"$@" >/dev/null || return
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

if [ -z "${MODEL-}" ]; then
	mpirun -n 4 "$copse" run -q -o "$where/model.copse" "$programs/demo" 300 \
		>"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }
	MODEL=$where/model.copse/rank-0.h5
fi
for ranks in ${RANKS:-4 1024 10240}; do
	mkdir "$where/job"
	model=$MODEL make_ranks "$ranks" "$where/job" values=4000 &&
		"$copse" merge -q "$where/job" -o "$where/run.h5" || exit
	floor=$(seconds cat "$where/run.h5")
	wrote=$(seconds "$copse" report -f html -o "$where/run.html" \
		"$where/run.h5") || exit
	echo "$ranks ranks: $(wc -c <"$where/run.html") bytes, written in $wrote s" \
		"(floor $floor of $(wc -c <"$where/run.h5") bytes)"
	node "$srcdir/tests/page/figures.mjs" "$where/run.html" "$rounds"
	rm -rf "$where/job" "$where"/run.*
done
