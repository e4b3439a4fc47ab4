#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-stalls.sh - samples of kernels, with a made CUDA (tests/gpu/made-cuda.h)
# that is told what was sampled: what CUPTI says is on the line, the kernel and
# the launch path where it belongs.  The cubin is stalls.s.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT COPSE_GPU_CAPTURE
# A GPU of one's own: of several processes on one, one is sampled.
export MADE_UUID=$$

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }
cubin=$scratch/stalls.o
${CC:-cc} -c -o "$cubin" "$srcdir/tests/gpu/stalls.s" ||
	{ echo "1..0 # SKIP the assembler does not take stalls.s"; exit 0; }

# measure NAME [OPTION…]: NAME.copse; of $cubin, as $how says.
how=
measure() {
	name=$1
	shift
	"$copse" run -q --force -o "$scratch/$name.copse" --gpu-sampling=on \
		"$@" "$made" stalls "$cubin" $how
}

# paths_are NAME METRIC: kernels and their samples are those of standard input.
paths_are() {
	LC_ALL=C sort >"$scratch/want"
	"$copse" report tree "$scratch/$1.copse" -m "$2" -f folded |
		LC_ALL=C sort >"$scratch/got"
	diff "$scratch/want" "$scratch/got" || { echo "$1 $2"; return 1; }
}

# cells NAME REPORT TABLE COLUMNS: its rows, with blanks between.
cells() {
	"$copse" report "$2" "$scratch/$1.copse" -n 0 -f csv --table "$3" \
		>"$scratch/csv" || return
	awk -v columns="$4" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv" |
		tr '\t' ' '
}

# lines_are NAME METRIC: lines that have any, and how much.
lines_are() {
	LC_ALL=C sort >"$scratch/want"
	"$copse" report hotspots "$scratch/$1.copse" -m "$2" -n 0 --by-line \
		-f csv >"$scratch/csv" || return
	awk -v columns='function line exclusive' -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | tr '\t' ' ' | grep -v ' 0$' |
		LC_ALL=C sort >"$scratch/got"
	diff "$scratch/want" "$scratch/got" || { echo "$1 $2"; return 1; }
}

# lost_is NAME LOSS COUNT
lost_is() {
	cells "$1" summary losses 'name count' >"$scratch/lost"
	count=$(awk -v name="$2" '$1 == name { print $2 }' "$scratch/lost")
	[ "${count:-0}" = "$3" ] && return
	echo "$2: ${count:-0}, not $3"
	return 1
}

# What was launched is there, whatever becomes of samples.
kernels_of() {
	paths_are "$1" gpu.launches <<-END
	main;stalls;near;cudaLaunchKernel;alpha 3
	main;stalls;far;cudaLaunchKernel;alpha 1
	main;stalls;far;cudaLaunchKernel;beta 1
	END
}

# 764 of alpha: three of four launches were near.
samples_of() {
	paths_are "$1" gpu.samples <<-END
	main;stalls;near;cudaLaunchKernel;alpha 573
	main;stalls;far;cudaLaunchKernel;alpha 191
	main;stalls;far;cudaLaunchKernel;beta 111
	gamma 50
	END
}

paths() {
	measure all && kernels_of all && samples_of all
}

lines() {
	lines_are all gpu.samples <<-END
	alpha 10 44
	alpha 17 640
	alpha 30 80
	beta  11
	beta 40 100
	gamma  50
	END
}

reasons() {
	lines_are all gpu.stall.memory <<-END &&
	alpha 17 640
	END
	lines_are all gpu.samples.unissued <<-END &&
	alpha 17 400
	END
	lines_are all gpu.stall.other <<-END &&
	alpha 10 4
	END
	lines_are all gpu.stall.issued <<-END
	alpha 10 40
	alpha 30 80
	beta  11
	beta 40 100
	gamma  50
	END
}

# What NVIDIA's library calls them, where it is.
reasons_known() {
	nvperf=
	for file in "${CUDA:-/usr/local/cuda}"/lib64/libnvperf_host.so \
		/usr/local/cuda*/lib*/libnvperf_host.so \
		/usr/lib/x86_64-linux-gnu/libnvperf_host.so; do
		[ ! -e "$file" ] || nvperf=$file
	done
	[ -n "$nvperf" ] || skip "no libnvperf_host.so"
	grep -aoE 'pcsamp_warps_issue_stalled_[a-z_]+' "$nvperf" |
		sed 's/.*stalled_//; s/_not_issued$//' | sort -u >"$scratch/theirs"
	sed -n 's/^REASON("\([a-z_]*\)",.*/\1/p' \
		"$srcdir/src/live/stalls.def" | sort -u >"$scratch/ours"
	[ -s "$scratch/theirs" ] || { echo "none in $nvperf"; return 1; }
	comm -23 "$scratch/theirs" "$scratch/ours" >"$scratch/lack"
	cat "$scratch/lack"
	[ ! -s "$scratch/lack" ]
}

# table NAME TABLE COLUMNS: rows of gpu-stalls are those of standard input.
table() {
	cat >"$scratch/want"
	cells "$1" gpu-stalls "$2" "$3" >"$scratch/got" || return
	diff "$scratch/want" "$scratch/got"
}

# 640 of 925 are 0.691892; by Wilson's rule, 0.661 to 0.721 in 95 of 100 runs.
report() {
	table all lines 'line kernel samples issued memory' <<-END || return
	stalls.cu:17 alpha 640 0 1
	stalls.cu:40 beta 100 1 0
	stalls.cu:30 alpha 80 1 0
	 gamma 50 1 0
	stalls.cu:10 alpha 44 0.909091 0
	 beta 11 1 0
	END
	table all kernels 'kernel samples with_line' <<-END || return
	alpha 764 1
	beta 111 0.900901
	gamma 50 0
	END
	cells all gpu-stalls lines 'share share_low share_high unissued' |
		awk 'NR == 1 && $1 > 0.69189 && $1 < 0.6919 && $2 > 0.661 &&
			$2 < 0.662 && $3 > 0.720 && $3 < 0.721 &&
			$4 == 0.625 { good = 1 }
			NR == 1 { print } END { exit !good }' || return
	cells all gpu-stalls paths 'line samples estimate call_path' |
		grep 'stalls.cu:17' >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	stalls.cu:17 480 estimate alpha ← cudaLaunchKernel ← near ← stalls ← main
	stalls.cu:17 160 estimate alpha ← cudaLaunchKernel ← far ← stalls ← main
	END
	cells all gpu-stalls paths 'line samples estimate' |
		grep -qx 'stalls.cu:40 100 sampled' || return
	"$copse" report gpu-stalls "$scratch/all.copse" -f json >"$scratch/out" &&
		"$copse" report gpu-stalls "$scratch/all.copse" >"$scratch/out" &&
		grep -q '^6.6 % of the samples have no line' "$scratch/out" &&
		grep -q '^925 samples of warps in 3 kernels; at 43 %' \
			"$scratch/out" || { cat "$scratch/out"; return 1; }
}

# Nothing is counted that was, or might have been, sampled in a pause: all, and
# in a run with one both sides of it.
paused() {
	how=
	measure paused --from-start=off || return
	! "$copse" report tree "$scratch/paused.copse" -m gpu.samples \
		>"$scratch/out" 2>&1
}

pauses() {
	how=pauses
	measure pauses --from-start=off && lines_are pauses gpu.samples <<-END &&
	beta 40 1200
	END
		lost_is pauses gpu.samples.paused 534
}

# A report without samples says how to get some, and what was refused.
report_none() {
	"$copse" report gpu-stalls "$scratch/none.copse" >"$scratch/out" &&
		grep -q 'No samples of kernels' "$scratch/out" &&
		"$copse" report gpu-stalls "$scratch/forbidden.copse" \
			>"$scratch/out" &&
		grep -q NVreg_RestrictProfilingToAdminUsers "$scratch/out" ||
		{ cat "$scratch/out"; return 1; }
}

# Code as NVIDIA's compiler makes it; nvcc is on few machines.
real_cubin() {
	need nvcc
	nvcc --version | grep -q 'release 13\.' ||
		skip "another nvcc has its instructions elsewhere"
	nvcc -lineinfo -arch=sm_90 -cubin -o "$scratch/hot.cubin" \
		"$srcdir/tests/gpu/hotline.cu" || skip "nvcc cannot make a cubin"
	line=$(grep -n __LINE__ "$srcdir/tests/gpu/hotline.cu" | sed 's/:.*//')
	cubin=$scratch/hot.cubin
	how=hot
	measure hot &&
		table hot lines 'line kernel samples' <<-END
	hotline.cu:$line one_hot_line 90
	hotline.cu:$((line - 1)) one_hot_line 10
	END
}

# What it cost the host is said; nothing more of it is known.
cost() {
	"$copse" report gpu-stalls "$scratch/all.copse" >"$scratch/out" &&
		grep -q '^Hosts spent .* on taking samples' "$scratch/out" &&
		! grep -qi slow "$scratch/out" ||
		{ cat "$scratch/out"; return 1; }
}

# CUPTI waits for launches there, and they for CUPTI.  That it disables nothing
# either but where a context is destroyed all other points show: the made one
# ends the program.
never_stopped() {
	library=$builddir/libcopse-cuda.so
	grep -q PCSamplingGetData "$library" &&
		! grep -e PCSamplingStart -e PCSamplingStop "$library"
}

# The sums of the same paths twice: nothing depends on when CUPTI told.
reset() {
	how=reset
	measure reset && paths_are reset gpu.samples <<-END
	main;stalls;near;cudaLaunchKernel;alpha 1146
	main;stalls;far;cudaLaunchKernel;alpha 382
	main;stalls;far;cudaLaunchKernel;beta 222
	gamma 100
	END
}

# One of two contexts is sampled: with both, the program's launches fail.
beside() {
	how=beside
	measure beside && kernels_of beside &&
		lost_is beside gpu.samples.beside 1 && samples_of beside
}

# CUPTI would let both sample, and tell nothing more of one.  The other has launched
# three kernels of its own.
process_beside() {
	how=process
	LD_PRELOAD=$builddir/tests/gpu/libmade-driver.so measure process &&
		lost_is process gpu.samples.beside 1 &&
		samples_of process &&
		paths_are process gpu.launches <<-END
		main;stalls;near;cudaLaunchKernel;alpha 6
		main;stalls;far;cudaLaunchKernel;alpha 1
		main;stalls;far;cudaLaunchKernel;beta 1
		END
}

# It has taken the number of the socket that claims the device.
closed() {
	how=closes
	LD_PRELOAD=$builddir/tests/gpu/libmade-driver.so measure closes &&
		samples_of closes
}

killed() {
	how=killed
	measure killed
	samples_of killed
}

not_asked_for() {
	measure none --gpu-sampling=off && kernels_of none || return
	! "$copse" report tree "$scratch/none.copse" -m gpu.samples \
		>"$scratch/out" 2>&1
}

# The kernels are measured as without, and the reason is counted once.
refused() {
	while read -r fault loss; do
		MADE_FAULT=$fault measure "$fault" && kernels_of "$fault" &&
			lost_is "$fault" "$loss" 1 || return
	done <<-END
	forbidden gpu.samples.forbidden
	busy gpu.samples.taken
	unsupported gpu.samples.unsupported
	END
}

dropped() {
	MADE_FAULT=dropped measure dropped &&
		lost_is dropped gpu.samples.dropped 7 &&
		lost_is dropped gpu.samples.foreign 5 || return
	MADE_FAULT=overflow measure overflow && kernels_of overflow || return
	cells overflow summary losses 'name count' |
		grep gpu.samples.overflow || return
	MADE_FAULT=broken measure failed && kernels_of failed &&
		lost_is failed gpu.samples.broken 1
}

# What is not code is counted; what is damaged inside is said, and goes on.
broken() {
	whole=$cubin
	cubin=$scratch/broken.o
	head -c 300 "$whole" >"$cubin"
	measure cut && lost_is cut gpu.samples.cubins 1 &&
		lines_are cut gpu.samples <<-END || return
	alpha  684
	beta  111
	gamma  50
	helper  80
	END
	objcopy --dump-section .debug_line="$scratch/lines" "$whole" \
		"$scratch/same.o" || return
	awk 'BEGIN { for (i = 0; i < 64; i++) printf "\377" }' \
		>"$scratch/lines"
	objcopy --update-section .debug_line="$scratch/lines" \
		--remove-relocations .debug_line "$whole" "$cubin" || return
	measure damaged && "$copse" report "$scratch/damaged.copse" \
		>"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	grep -q 'damaged code of a GPU' "$scratch/out" || {
		cat "$scratch/out"
		return 1
	}
	lines_are damaged gpu.samples <<-END
	alpha  684
	beta  111
	gamma  50
	helper  80
	END
}

point "samples are on the launch paths of their kernels" paths
point "samples are on lines" lines
point "what warps waited for" reasons
point "each reason has its place" reasons_known
point "report gpu-stalls" report
point "a cubin of nvcc's" real_cubin
point "what samples cost hosts" cost
point "sampling is never stopped beside launches" never_stopped
point "a device reset" reset
point "two contexts on a device" beside
point "two processes on a device" process_beside
point "a process that closes what it did not open" closed
point "a process that is killed" killed
point "only where it is asked for" not_asked_for
point "not in a pause" paused
point "before and after a pause" pauses
point "where it is refused" refused
point "a report without samples" report_none
point "what is lost is counted" dropped
point "cubins that are damaged" broken
points_done
