#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# accuracy.sh [ROUNDS [SECONDS]] - how far the shares that copse finds
# (inclusive, by function) are from those that programs with known answers
# print, in points: for each case the largest error of its functions, the
# median of the rounds and the worst; next to it perf's at the same rate.
#
#   total    copse's CPU time less the system's (getrusage), per cent of it
#   outside  of all shares of all rounds, those whose truth is not within
#            copse's confidence interval; one of twenty may well be
#
# What the programs know, and how, stands at the head of each: shares and
# kernel-calls read their CPU clock around long stretches, in-step counts.
#
#   CASES    a regular expression for names of cases, all
#   CLOCKS   of copse, "sigtrap"; also mixed and timer
#   CALLERS  how perf finds callers, "fp dwarf"; "" leaves perf out.  fp ends in
#            the C library, where time in read and its like belongs to nobody
#   HZ       samples per second, 1000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
seconds=${2:-10}
clocks=${CLOCKS:-sigtrap}
hz=${HZ:-1000}

# NAME RANKS PROGRAM ARGS; S are the seconds of a rank.
cases() {
	awk -v s="$seconds" -v only="${CASES:-.}" '
		$1 ~ only { gsub(/ S/, " " s); print }' <<-'EOM'
		one             - shares S
		2-ranks         2 shares S
		4-ranks         4 shares S
		2-threads       - shares S 2
		4-threads       - shares S 4
		16-threads      - shares S 16
		64-threads      - shares S 64
		20-ns-calls     - in-step S 0.2
		50-ns-calls     - in-step S 0.5
		100-ns-calls    - in-step S 1
		500-ns-calls    - in-step S 5
		in-step-0.05ms  - in-step S 50
		in-step-0.1ms   - in-step S 100
		in-step-0.25ms  - in-step S 250
		in-step-0.5ms   - in-step S 500
		in-step-1ms     - in-step S 1000
		in-step-2ms     - in-step S 2000
		in-step-3ms     - in-step S 3000
		in-step-4ms     - in-step S 4000
		in-step-10ms    - in-step S 10000
		kernel-calls    - kernel-calls S
		kernel-2-ranks  2 kernel-calls S
		kernel-4-ranks  4 kernel-calls S
		kernel-0.05ms   - kernel-time S 0.05
		kernel-3ms      - kernel-time S 3
		kernel-30ms     - kernel-time S 30
	EOM
}

# launch RANKS COMMAND…
launch() {
	local mpirun=()

	[ "$1" = - ] || mpirun=(mpirun -n "$1")
	"${mpirun[@]}" "${@:2}"
}

# One number a line for each tool and case: $scratch/CASE.TOOL.error and so on.
keep() {
	echo "$2" >>"$scratch/$name.$1"
}

# compare TOOL: what the program said is in out, what was found in found.
compare() {
	local word

	awk -f "$srcdir/tests/lib/truth.awk" "$scratch/out" "$scratch/found" \
		>"$scratch/compared"
	read -r -a word < <(grep ^worst "$scratch/compared")
	keep "$1.error" "${word[1]}"
	keep "$1.outside" "${word[3]} ${word[5]}"
	[ -z "${VERBOSE-}" ] || sed "s/^/# $name $1 /" "$scratch/compared"
}

# with_copse CLOCK RANKS PROGRAM ARGS…
with_copse() {
	local run=$scratch/run.copse

	rm -rf "$run"
	COPSE_CLOCK=$1 launch "$2" "$copse" run --quiet --freq "$hz" -o "$run" \
		"$programs/$3" "${@:4}" >"$scratch/out"
	"$copse" report hotspots "$run" -n 0 -f csv >"$scratch/csv"
	awk -v columns='function inclusive inclusive_low inclusive_high' \
		-f "$srcdir/tests/lib/csv.awk" "$scratch/csv" >"$scratch/found"
	compare "$1"
	keep "$1.total" "$(awk -v is="$(report_value cpu_sampled "$run")" '
		/^usage/ { s += $2 } END { print (is / s - 1) * 100 }' \
		"$scratch/out")"
}

# with_perf CALLERS RANKS PROGRAM ARGS…: children are included.
with_perf() {
	local launched=("$2" "$programs/$3" "${@:4}")

	record() {
		perf record -q -F "$hz" --call-graph "$callers" \
			-o "$scratch/perf.data" "$@" 2>"$scratch/err"
	}
	callers=$1
	if [ "$2" = - ]; then
		record "${launched[@]:1}"
	else
		record mpirun -n "${launched[@]}"
	fi >"$scratch/out"
	perf report -q --children --no-call-graph --no-inline --comm "$3" \
		-F overhead_children,sym -t '	' -i "$scratch/perf.data" \
		2>"$scratch/err" |
		awk -F '\t' '{ sub(/%/, "", $1); sub(/^ *\[.\] /, "", $2)
			sub(/ *$/, "", $2); print $2 "\t" $1 + 0 }' \
			>"$scratch/found"
	compare "perf-$1"
}

round_of() {
	local clock callers

	for clock in $clocks; do
		with_copse "$clock" "$@"
	done
	for callers in $by_perf; do
		with_perf "$callers" "$@"
	done
}

# cell NUMBERS: "median (worst)", by size.
cell() {
	[ -s "$1" ] || { echo -; return; }
	sort -g "$1" | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		worst = -v[1] > v[NR] ? v[1] : v[NR]
		printf "%.2f (%.2f)\n", m, worst }'
}

row() {
	local tool

	printf '%-15s' "$1"
	for tool in $clocks; do
		printf ' %15s %15s %8s' "$(cell "$scratch/$1.$tool.error")" \
			"$(cell "$scratch/$1.$tool.total")" \
			"$(awk '{ n += $1; of += $2 } END { print n "/" of }' \
				"$scratch/$1.$tool.outside")"
	done
	for tool in $by_perf; do
		printf ' %15s' "$(cell "$scratch/$1.perf-$tool.error")"
	done
	echo
}

head_row() {
	local tool

	printf '%-15s' case
	for tool in $clocks; do
		printf ' %15s %15s %8s' "$tool" total outside
	done
	for tool in $by_perf; do
		printf ' %15s' "perf $tool"
	done
	echo
}

machine
echo "# points: median (worst) of $rounds rounds, $seconds s at $hz/s"
by_perf=${CALLERS-fp dwarf}
[ -z "$by_perf" ] || have_perf || by_perf=
mpi=yes
have mpirun || mpi=
head_row
while read -r name ranks program; do
	[ "$ranks" = - ] || [ -n "$mpi" ] || continue
	for ((round = 0; round < rounds; round++)); do
		# shellcheck disable=SC2086 # a list of words
		round_of "$ranks" $program
	done </dev/null
	row "$name"
done < <(cases)
