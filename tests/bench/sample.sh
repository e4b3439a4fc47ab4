#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# sample.sh [ROUNDS] - microseconds of the program's CPU time that one sample
# takes, by the depth of the call path and by what is known of it:
#
#   warm  the path of the sample before
#   cold  most frames differ from the sample before; the path was seen earlier
#   new   most frames differ, and the path was never seen
#
# A fixed amount of work (deep.c) is done plain and sampled, one after the
# other in each round; the CPU time more, divided by the samples taken, is what
# one takes.  Beside copse: a handler that does nothing (the floor), one that
# calls libunwind's unw_backtrace(), one that follows frame pointers (in a
# program built to keep them, compared with itself), gperftools' profiler and
# perf, where they are installed; what perf does in its own process is not in it.
# The last column is the difference to the empty handler of the same round.
#
#   DEPTHS  the depths, "5 20 50 200"
#   HZ      samples per second, 10000; gperftools takes 4000 at most, and gets
#           as many as the kernel's tick allows
#   WORK    rounds of deep.c, 150000: about 2 s
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
hz=${HZ:-10000}
work=${WORK:-150000}
gperf=$(ldconfig -p 2>/dev/null | awk '$1 ~ /^libprofiler[.]so/ { print $NF; exit }')

machine
compile deep || exit 1
source=deep compile deep-frames -fno-omit-frame-pointer || exit 1
compile_handler empty || exit 1
tools="empty copse"
compile_handler unwind -lunwind && tools="$tools unwind"
compile_handler frames && tools="$tools frames"
if [ -n "$gperf" ]; then
	tools="$tools gperftools"
else
	echo "# no gperftools here"
fi
have_perf && tools="$tools perf"

# with_handler NAME PROGRAM ARGS…
with_handler() {
	HANDLER_HZ=$hz HANDLER_COUNT=$scratch/count \
		LD_PRELOAD=$scratch/$1-handler "${@:2}" 2>"$scratch/err"
	read -r samples <"$scratch/count"
}

# sampled TOOL ARGS…: the program's CPU seconds in $scratch/cpu, and $samples.
sampled() {
	local tool=$1

	shift
	case $tool in
	copse)
		rm -rf "$scratch/deep.copse"
		"$copse" run --quiet --freq "$hz" --budget 0 --depth 256 \
			-o "$scratch/deep.copse" "$scratch/deep" "$@"
		samples=$(report_value samples "$scratch/deep.copse") ;;
	frames)	with_handler frames "$scratch/deep-frames" "$@" ;;
	gperftools)
		CPUPROFILE_FREQUENCY=$hz CPUPROFILE=$scratch/gperf \
			LD_PRELOAD=$gperf "$scratch/deep" "$@" \
			2>"$scratch/err"
		samples=$(sed -n 's|^PROFILE: .*= \([0-9]*\)/.*|\1|p' \
			"$scratch/err") ;;
	perf)	perf record -F "$hz" -g -o "$scratch/perf.data" \
			"$scratch/deep" "$@" 2>"$scratch/err"
		samples=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' \
			"$scratch/err") ;;
	*)	with_handler "$tool" "$scratch/deep" "$@" ;;
	esac >"$scratch/cpu"
}

# one DEPTH PATHS: a round of all tools.
one() {
	local plain plain_frames before cost empty tool at

	plain=$("$scratch/deep" "$work" "$1" "$2")
	plain_frames=$("$scratch/deep-frames" "$work" "$1" "$2")
	for tool in $tools; do
		samples=0
		sampled "$tool" "$work" "$1" "$2"
		before=$plain
		[ "$tool" != frames ] || before=$plain_frames
		[ "${samples:-0}" -gt 0 ] || continue
		cost=$(calculate "($(cat "$scratch/cpu") - $before) * 1e6 / $samples")
		[ "$tool" != empty ] || empty=$cost
		at=$scratch/$1.$2.$tool
		echo "$cost" >>"$at"
		echo "$samples" >>"$at.samples"
		calculate "$cost - $empty" >>"$at.above"
	done
}

# Never seen paths of 200 frames would fill the memory that a profile may have.
cases() {
	local depth

	for depth in ${DEPTHS:-5 20 50 200}; do
		echo "$depth 1 warm"
		echo "$depth 64 cold"
		[ "$depth" -gt 50 ] || echo "$depth 0 new"
	done
}

for ((round = 0; round < rounds; round++)); do
	while read -r depth paths _; do
		one "$depth" "$paths"
	done < <(cases)
done
row='%-6s %-5s %-11s %8s  %-36s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" depth path tool samples "us/sample" "above the empty handler"
while read -r depth paths path; do
	for tool in $tools; do
		at=$scratch/$depth.$paths.$tool
		[ -e "$at" ] || continue
		# shellcheck disable=SC2059
		printf "$row" "$depth" "$path" "$tool" \
			"$(sort -g "$at.samples" | head -n 1)" \
			"$(median "$at")" "$(median "$at.above")"
	done
done < <(cases)
