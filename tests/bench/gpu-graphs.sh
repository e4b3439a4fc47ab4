#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-graphs.sh - what a CUDA graph is said to gain, beside what it gains: for
# each program of tests/gpu/made-host.c and made-host.py, of a made CUDA, the
# seconds of its steps, plain, measured and with graphs, what was said of graphs,
# and the gain that was said by the true one: of the plain run, and of the measured
# one, whose launches take longer.
# Programs can be named; on a machine with a GPU and PyTorch, torch-small,
# torch-items and torch-input are those of tests/gpu/torch-host.py.
# shellcheck source=tests/bench/bench.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/bench/bench.sh"
python=${PYTHON:-/usr/bin/python3}
cupti=$builddir/tests/gpu/libmade-cuda.so

# program KIND GRAPH COMMAND…: runs it behind that command.
program() {
	local kind=$1 graph=$2

	shift 2
	case $kind in
	torch-*) "$@" "$python" "$srcdir/tests/gpu/torch-host.py" \
		"${kind#torch-}" $graph ;;
	py-*) COPSE_CUPTI=$cupti MADE_LAUNCH=5000 "$@" "$python" \
		"$srcdir/tests/gpu/made-host.py" "$cupti" "${kind#py-}" $graph ;;
	*) COPSE_CUPTI=$cupti MADE_LAUNCH=5000 "$@" \
		"$builddir/tests/gpu/made-host" "$kind" $graph ;;
	esac
}

# plain KIND GRAPH: the least of three runs.
plain() {
	for _ in 1 2 3; do
		program "$1" "$2"
	done | awk '/^steps/ { print $3 }' | sort -n | head -n 1
}

# said KIND: seconds as measured, and with graphs, of the shortest of three runs.
said() {
	for _ in 1 2 3; do
		program "$1" '' "$copse" run -q --force -o "$scratch/a.copse" \
			>/dev/null
		"$copse" report gpu-host "$scratch/a.copse" -f csv \
			--table step | awk -v columns='seconds graph' \
			-f "$srcdir/tests/lib/csv.awk"
	done | sort -n | head -n 1
}

[ $# -gt 0 ] || set -- small ahead between beside items copies streams large \
	mixed framework py-forward py-augment
for kind; do
	echo "$kind $(plain "$kind" '') $(plain "$kind" graph) $(said "$kind")" |
		awk '{ plain = $2 - $3
			measured = $4 - $3
			printf "%-11s %.3f s, measured %.3f, with graphs %.3f, " \
			"said %.3f: of the gain %.2f, of that of the " \
			"measured run %.2f\n", $1, $2, $4, $3, $5,
			plain ? ($4 - $5) / plain : 0,
			measured ? ($4 - $5) / measured : 0 }'
done
