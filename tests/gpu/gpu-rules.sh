#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-rules.sh - what the rules on GPUs find, and where they find nothing, with
# a made CUDA (tests/gpu/made-cuda.h).
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made-rules
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT MADE_UUID
unset COPSE_GPU_CAPTURE

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }

# diagnose MODE: MODE.found, "RULE SEVERITY SHARE SENTENCE" a line.
diagnose() {
	"$copse" run -q --force -o "$scratch/$1.copse" "$made" "$1" || return
	"$copse" report diagnose "$scratch/$1.copse" -f csv --table findings \
		>"$scratch/csv" || return
	awk -v columns='rule severity gain_share text' \
		-f "$srcdir/tests/lib/csv.awk" "$scratch/csv" | tr '\t' ' ' \
		>"$scratch/$1.found"
	[ -s "$scratch/csv" ]
}

# finds MODE RULE SEVERITY WORD: once, in that function, no more than the run.
finds() {
	diagnose "$1" || return
	awk -v rule="$2" -v severity="$3" -v word="$4" '
		$1 == rule && $2 == severity && $3 <= 1 && $0 ~ word { n++ }
		END { exit n != 1 }' "$scratch/$1.found" ||
		{ cat "$scratch/$1.found"; return 1; }
}

# leaves MODE RULE…: none of these.
leaves() {
	mode=$1
	shift
	diagnose "$mode" || return
	for rule; do
		grep "^$rule " "$scratch/$mode.found" && return 1
	done
	return 0
}

# Memory is slow, so that what it costs is seen.
allocations() {
	export MADE_FAULT=slow
	finds allocate gpu-allocation-in-loop high 'in allocate .*cuda'
}

few_allocations() {
	export MADE_FAULT=slow
	leaves hoist gpu-allocation-in-loop &&
		leaves pool gpu-allocation-in-loop &&
		leaves pinned gpu-allocation-in-loop
}

# Whoever copies in large pieces, and never for long.
good_copies() {
	leaves bulk small-copies low-bandwidth long-copies
}

hidden_copies() {
	leaves beside small-copies low-bandwidth long-copies
}

each_its_own() {
	finds fast long-copies high "in copy" && leaves fast low-bandwidth &&
		leaves slow small-copies
}

# Where the result is fetched the wait is needed.
needed_waits() {
	leaves ahead needless-synchronisation &&
		leaves fetch needless-synchronisation
}

# Others may have the core, so that nothing is launched meanwhile.
short_kernels() {
	export MADE_LAUNCH=5000
	finds short launch-bound high launch_short
}

# says_not MODE WORD: on the first screen.
says_not() {
	"$copse" report "$scratch/$1.copse" --width 1000 >"$scratch/said" &&
		! grep -- "$2" "$scratch/said"
}

replayed() {
	leaves replay launch-bound && says_not replay 'as a graph'
}

even() {
	leaves even gpu-imbalance
}

# The counters of kernels, which not every rule needs.
counted() {
	COPSE_GPU_COUNTERS=on "$@"
}

# Two kernels, one sentence.
on_fp32() {
	counted finds fp32 fp32-matrix high 'xmma_gemm.* and 1 more' &&
		leaves fp32 fp32-matrix few-blocks
}

crowded() {
	counted finds crowded low-occupancy high 'crowded_hist holds 6 %' &&
		leaves crowded low-occupancy few-blocks
}

# Of what one block of ten may do nothing is said, where there are enough.
narrow() {
	finds narrow few-blocks high 'alpha has blocks for 10 %' &&
		leaves broad few-blocks
}

# The first screen says it, too.
summary() {
	diagnose uneven &&
		"$copse" report "$scratch/uneven.copse" --width 1000 \
			>"$scratch/said" &&
		grep -q 'GPU 1 on .* worked for .* To gain: up to' \
			"$scratch/said" || { cat "$scratch/said"; return 1; }
}

point "allocations in a loop" allocations
point "one allocation, or a pool" few_allocations
point "small copies" finds pieces small-copies high "in copy"
point "few large copies" good_copies
point "slow copies" finds slow low-bandwidth high "in copy"
point "copies that take long, each rule its own" each_its_own
point "copies beside kernels" hidden_copies
point "waits that let the GPU run dry" \
	finds dry needless-synchronisation high "in run_dry"
point "waits that are needed" needed_waits
point "short kernels" short_kernels
point "graphs that are replayed" replayed
point "long kernels" leaves long launch-bound
point "uneven GPUs" finds uneven gpu-imbalance high 'GPU 1 on'
point "even GPUs" even
point "few blocks, and enough" narrow
point "matrix products on FP32 units" on_fp32
point "element by element" finds unfused unfused high "elementwise kernels"
point "shared memory that keeps warps away" crowded
point "the summary" summary
points_done
