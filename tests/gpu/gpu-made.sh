#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-made.sh - calls of CUDA and the work of GPUs on their call paths, with a
# made CUDA (tests/gpu/made-cuda.h): what is told is counted where it belongs.
# That NVIDIA's libraries tell it so is for a machine with a GPU.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT COPSE_GPU_CAPTURE

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }

# measure NAME MODE [OPTION…]: NAME.copse.
measure() {
	name=$1
	mode=$2
	shift 2
	"$copse" run -q --force -o "$scratch/$name.copse" "$@" "$made" "$mode"
}

# folded NAME METRIC: paths and values (of times: microseconds), sorted.
folded() {
	"$copse" report tree "$scratch/$1.copse" -m "$2" -f folded | LC_ALL=C sort
}

# is NAME METRIC: the paths and values are those of standard input.
is() {
	LC_ALL=C sort >"$scratch/want"
	folded "$1" "$2" >"$scratch/got"
	diff "$scratch/want" "$scratch/got" || { echo "$1 $2"; return 1; }
}

# lost_is NAME LOSS COUNT
lost_is() {
	"$copse" report "$scratch/$1.copse" -f csv --table losses \
		>"$scratch/lost.csv"
	count=$(awk -F , -v name="$2" '$1 == name { print $2 }' \
		"$scratch/lost.csv")
	[ "${count:-0}" = "$3" ] && return
	echo "$2: ${count:-0}, not $3"
	return 1
}

# nothing_lost NAME [BUT]
nothing_lost() {
	"$copse" report "$scratch/$1.copse" -f csv --table losses |
		grep ^gpu | grep -v "^${2:--}" && return 1
	return 0
}

times_of_all() {
	is "$1" gpu.time <<-END
	in_thread;solve;cudaLaunchKernel;alpha 60000
	in_thread;solve;cudaLaunchKernel;beta 90000
	main;all;$(frames deep 4);cudaLaunchKernel;deep 1
	main;all;$(frames deep 8);cudaLaunchKernel;deep 1
	main;all;$(frames deep 12);cudaLaunchKernel;deep 1
	main;all;$(frames deep 16);cudaLaunchKernel;deep 1
	main;all;direct;cuLaunchKernel;alpha 10000
	main;all;move;cudaGraphLaunch;[graph] 24000
	main;all;move;cudaMemcpyAsync;[copy from GPU, pageable] 1000
	main;all;move;cudaMemcpyAsync;[copy to GPU, pinned] 4000
	main;all;move;cudaMemcpyAsync;[copy within GPU] 2
	main;all;move;cudaMemsetAsync;[memset] 6
	main;all;solve;cudaLaunchKernel;alpha 20000
	main;all;solve;cudaLaunchKernel;beta 30000
	END
}

# frames NAME N: so many of them.
frames() {
	awk -v name="$1" -v n="$2" 'BEGIN {
		for (i = 1; i < n; i++)
			printf "%s;", name
		print name
	}'
}

all() {
	measure all all || return
	times_of_all all && nothing_lost all
}

calls() {
	is all gpu.calls <<-END
	in_thread;solve;cudaLaunchKernel 90
	main;all;$(frames deep 4);cudaLaunchKernel 1
	main;all;$(frames deep 8);cudaLaunchKernel 1
	main;all;$(frames deep 12);cudaLaunchKernel 1
	main;all;$(frames deep 16);cudaLaunchKernel 1
	main;all;ask;cudaDeviceSynchronize 1
	main;all;ask;cudaMalloc 10
	main;all;ask;cudaStreamQuery 3
	main;all;direct;cuLaunchKernel 5
	main;all;move;cudaGraphLaunch 6
	main;all;move;cudaMemcpyAsync 14
	main;all;move;cudaMemsetAsync 3
	main;all;solve;cudaLaunchKernel 30
	END
}

failures() {
	is all gpu.calls.failed <<-END
	main;all;ask;cudaMalloc;[error 2 cudaErrorMemoryAllocation] 7
	END
}

bytes() {
	is all gpu.bytes.h2d <<-END &&
	main;all;move;cudaMemcpyAsync;[copy to GPU, pinned] 8388608
	END
	is all gpu.bytes.d2h <<-END &&
	main;all;move;cudaMemcpyAsync;[copy from GPU, pageable] 4194304
	END
	is all gpu.bytes.d2d <<-END &&
	main;all;move;cudaMemcpyAsync;[copy within GPU] 2048
	END
	is all gpu.bytes.set <<-END
	main;all;move;cudaMemsetAsync;[memset] 12288
	END
}

# All that such a call takes, and of no other.
waits() {
	is all gpu.syncs <<-END || return
	main;all;ask;cudaDeviceSynchronize 1
	END
	folded all gpu.sync.time >"$scratch/waits" || return
	read -r path us <"$scratch/waits"
	[ "$us" -ge 100000 ] && folded all gpu.calls.time >"$scratch/calls" &&
		grep -qxF "$path $us" "$scratch/calls"
}

# Each begins behind those before it on its stream: of the direct ones the
# n-th waits n - 1 times 2 ms less what the calls themselves took.
# Of 5 launches, each 2 ms after the one before: from when the call was told of
# to the start.
delays() {
	MADE_LOG=$scratch/log measure delays all || return
	folded delays gpu.delay >"$scratch/delays"
	awk 'NR == FNR && $1 == "call" && !($3 in call) { call[$3] = $2
			before[$3] = $4; after[$3] = $5 }
		NR == FNR && $2 == "kernel" && call[$3] == "cuLaunchKernel" {
			most += $4 - before[$3]; least += $4 - after[$3] }
		NR > FNR && /direct;cuLaunchKernel;alpha/ { us = $NF }
		END { print us, "us, between", least / 1e3, "and", most / 1e3
			exit !(us > least / 1e3 - 2 && us < most / 1e3 + 2) }' \
		"$scratch/log" "$scratch/delays"
}

# table NAME ANALYSIS TABLE COLUMNS: its rows are those of standard input.
table() {
	cat >"$scratch/want"
	"$copse" report "$2" "$scratch/$1.copse" -f csv --table "$3" \
		>"$scratch/csv" || return
	awk -v columns="$4" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv" |
		tr '\t' ' ' >"$scratch/got"
	diff "$scratch/want" "$scratch/got"
}

report_kernels() {
	table all gpu-kernels kernels 'kernel count seconds longest' <<-END
	beta 40 0.12 0.003
	alpha 85 0.09 0.002
	[graph] 6 0.024 0.004
	deep 4 0.000004 0.000001
	END
}

report_transfers() {
	table all gpu-transfers kinds \
		'kind memory count seconds bytes bandwidth' <<-END &&
	HtoD pinned 8 0.004 8388608 2097152000
	DtoH pageable 4 0.001 4194304 4194304000
	memset  3 0.000006 12288 2048000000
	DtoD  2 0.000002 2048 1024000000
	END
	table all gpu-transfers paths 'kind memory count bytes call_path' <<-END
	HtoD pinned 8 8388608 cudaMemcpyAsync ← move ← all ← main
	DtoH pageable 4 4194304 cudaMemcpyAsync ← move ← all ← main
	memset  3 12288 cudaMemsetAsync ← move ← all ← main
	DtoD  2 2048 cudaMemcpyAsync ← move ← all ← main
	END
}

report_calls() {
	"$copse" report gpu-api "$scratch/all.copse" -f csv >"$scratch/csv" ||
		return
	awk -v columns='function calls failed' -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | tr '\t' ' ' | LC_ALL=C sort >"$scratch/got"
	diff - "$scratch/got" <<-END
	cuLaunchKernel 5 0
	cudaDeviceSynchronize 1 0
	cudaGraphLaunch 6 0
	cudaLaunchKernel 124 0
	cudaMalloc 10 7
	cudaMemcpyAsync 14 0
	cudaMemsetAsync 3 0
	cudaStreamQuery 3 0
	END
}

# Code without unwind information stands between.
bare() {
	MADE_FAULT=bare measure bare all || return
	times_of_all bare && nothing_lost bare
}

# Remembered call paths are those of a full walk.
verified() {
	measure verified all --verify=on || return
	times_of_all verified && lost_is verified verify.differs 0
}

# The program computes the same, and the run says what is missing.
refused() {
	MADE_FAULT=subscriber measure taken busy || return
	lost_is taken gpu.taken 1 || return
	MADE_FAULT=old measure old busy || return
	lost_is old gpu.nocupti 1 || return
	COPSE_CUPTI=/nowhere measure none busy || return
	lost_is none gpu.nocupti 1
}

dropped() {
	MADE_FAULT=drop measure drop all || return
	lost_is drop gpu.dropped 155
}

# 40 of the betas end before they begin.
reversed() {
	MADE_FAULT=reversed measure reversed all || return
	lost_is reversed gpu.times 40 || return
	folded reversed gpu.time | grep beta && return 1
	"$copse" report "$scratch/reversed.copse" >"$scratch/first" || return
	grep -F 'The times of 40 records of GPU work are not known' \
		"$scratch/first"
}

# The end is held up for 5 s, and what had come is there.
hangs() {
	before=$(date +%s)
	MADE_FAULT=hang measure hang all || return
	took=$(($(date +%s) - before))
	[ "$took" -ge 4 ] && [ "$took" -le 20 ] || { echo "$took s"; return 1; }
	lost_is hang gpu.unflushed 1
}

# What was told before is there.
killed() {
	measure killed killed
	[ $? = 137 ] || return
	is killed gpu.time <<-END
	main;solve;cudaLaunchKernel;alpha 20000
	main;solve;cudaLaunchKernel;beta 30000
	END
}

# Between cudaProfilerStart() and cudaProfilerStop().
profiled() {
	measure profiled profiled --from-start=off || return
	nothing_lost profiled &&
		is profiled gpu.time <<-END
	main;profiled;solve;cudaLaunchKernel;alpha 20000
	main;profiled;solve;cudaLaunchKernel;beta 30000
	END
}

# Nobody waits for these words: all is measured.
profiled_by_nobody() {
	measure unasked profiled || return
	nothing_lost unasked && "$copse" report "$scratch/unasked.copse" \
		>"$scratch/said" || return
	! grep 'was paused' "$scratch/said" &&
		is unasked gpu.time <<-END
	main;profiled;direct;cuLaunchKernel;alpha 20000
	main;profiled;solve;cudaLaunchKernel;alpha 20000
	main;profiled;solve;cudaLaunchKernel;beta 30000
	END
}

# Of ranges those count that were measured, in part at least: their time is
# that of these parts.
paused_ranges() {
	measure parts paused-ranges --from-start=off >"$scratch/parts.out" &&
		"$copse" report gpu-kernels "$scratch/parts.copse" -f csv \
			--table ranges >"$scratch/csv" || return
	awk -v columns='range calls seconds' -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" >"$scratch/got"
	cat "$scratch/parts.out" "$scratch/got"
	awk 'NR == FNR { least = $2; most = $3; next }
		$1 == "part" && $2 == 3 { found = 1; is = $3 }
		END { exit !found || is < least - 1e-4 || is > most + 1e-4 }' \
		"$scratch/parts.out" "$scratch/got"
}

# A child has no GPU; what its parent does later is measured.
forked() {
	measure forked forked || return
	is forked gpu.time <<-END
	main;forked;direct;cuLaunchKernel;alpha 10000
	main;forked;solve;cudaLaunchKernel;alpha 20000
	main;forked;solve;cudaLaunchKernel;beta 30000
	END
}

# left WAY STATUS PATH: what was done just before is there.
left() {
	measure "leave-$1" "leave-$1" 2>"$scratch/err"
	is=$?
	[ $is = "$2" ] || { echo "status $is"; return 1; }
	folded "leave-$1" gpu.time | grep -v empty >"$scratch/got"
	diff - "$scratch/got" <<-END && nothing_lost "leave-$1"
	main;$3solve;cudaLaunchKernel;alpha 20000
	main;$3solve;cudaLaunchKernel;beta 30000
	END
}

leaves() {
	left _exit 7 'leave;' && left quick_exit 7 'leave;' &&
		left abort 134 'leave;' && left assert 134 'leave;'
}

leaving_child() {
	left child 7 'leave;in_child;'
}

# Whatever the handler interrupts; the launch under way may not have been told.
leaves_in_handler() {
	measure leave-handler leave-handler
	[ $? = 7 ] || return
	folded leave-handler gpu.time | grep -c solve >"$scratch/got"
	[ "$(cat "$scratch/got")" = 2 ]
}

# Who borrows the memory leaves, and the process goes on.
leaving_vfork() {
	measure leave-vfork leave-vfork || return
	is leave-vfork gpu.time <<-END && nothing_lost leave-vfork
	main;leave;beside_child;direct;cuLaunchKernel;alpha 10000
	main;leave;beside_child;solve;cudaLaunchKernel;alpha 20000
	main;leave;beside_child;solve;cudaLaunchKernel;beta 30000
	END
}

# Nothing comes: the end is held up for 2 s.
leaving_hangs() {
	before=$(date +%s)
	MADE_FAULT=hang measure leave-hang leave-_exit
	[ $? = 7 ] || return
	took=$(($(date +%s) - before))
	[ "$took" -ge 1 ] && [ "$took" -le 15 ] || { echo "$took s"; return 1; }
	lost_is leave-hang gpu.unflushed 1 && lost_is leave-hang gpu.unreported 30
}

# Launches are known; those without a record are counted.
unreported() {
	MADE_FAULT=silent measure silent all || return
	lost_is silent gpu.unreported 135 &&
		"$copse" report "$scratch/silent.copse" >"$scratch/said" &&
		"$copse" report gpu-kernels "$scratch/silent.copse" \
			>"$scratch/kernels" || return
	for file in said kernels; do
		grep -q '^! What 135 launches did on GPUs is not known' \
			"$scratch/$file" &&
			! grep 'No work of GPUs' "$scratch/$file" ||
			{ cat "$scratch/$file"; return 1; }
	done
}

reset() {
	measure reset reset || return
	is reset gpu.time <<-END
	main;direct;cuLaunchKernel;alpha 10000
	main;solve;cudaLaunchKernel;alpha 20000
	main;solve;cudaLaunchKernel;beta 30000
	END
}

# Ranges of NVTX, of any domain, are phases.
ranges() {
	measure ranges ranges || return
	is ranges gpu.time <<-END
	main;ranges;direct;cuLaunchKernel;alpha 10000
	outer;inner;main;ranges;direct;cuLaunchKernel;alpha 20000
	outer;main;ranges;direct;cuLaunchKernel;alpha 10000
	wide;main;ranges;direct;cuLaunchKernel;alpha 10000
	END
}

# More work than there are notes of calls: every piece finds its own.
many() {
	measure many many || return
	nothing_lost many || return
	is many gpu.launches <<-END
	main;many;$(frames launch_many 15);cudaLaunchKernel;empty 1100000
	END
}

# Which launches became nodes of graphs is not in it.
# plays FILE: what a capture says comes out, by the sites of its calls.  All are
# asked for: the made CUPTI has no names for most of them to choose by.
plays() {
	"$copse" run -q --force --gpu-getters=on -o "$scratch/played.copse" \
		"$made" play "$1" >"$scratch/said" || return
	[ -s "$scratch/said" ] || { echo "nothing in it"; return 1; }
	c++filt -p <"$scratch/said" | LC_ALL=C sort >"$scratch/want"
	folded played gpu.time | grep -v '\[' | grep -v ' 0$' |
		sed 's/.*;play_call;//' | LC_ALL=C sort >"$scratch/got"
	diff "$scratch/want" "$scratch/got" && nothing_lost played gpu.unreported
}

# A capture, here of what was made, tells the same when it is played.
captured() {
	need c++filt
	LD_PRELOAD=$builddir/tests/gpu/libcapture.so \
		COPSE_GPU_CAPTURE=$scratch/made.capture measure captured all ||
		return
	times_of_all captured && plays "$scratch/made.capture"
}

# Those of real GPUs, as far as there are any.
captures() {
	need c++filt
	for file in "$srcdir"/tests/gpu/*.capture; do
		[ -e "$file" ] || skip "none was captured on a GPU yet"
		plays "$file" || { echo "$file"; return 1; }
	done
}

# Rank 1 has twice rank 0's work: its most is 4/3 of the mean.  What MPI has
# a GPU do is MPI's.
ranks() {
	[ -e "$made-mpi" ] || skip "no wrappers for Open MPI were built"
	need mpirun.openmpi
	mpirun.openmpi -n 2 "$copse" run -q --force -o "$scratch/mpi.copse" \
		"$made-mpi" || return
	table mpi gpu-kernels kernels 'kernel count seconds most' >/dev/null \
		</dev/null
	grep '^alpha 30 0.03 1$' "$scratch/got" ||
		{ cat "$scratch/got"; return 1; }
	awk -v columns='kernel skew' -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | awk '$1 == "alpha" { print $2 }' \
		>"$scratch/skew"
	near "$(cat "$scratch/skew")" 1.3333 0.001 || return
	table mpi gpu-transfers kinds 'kind count bytes most' <<-END || return
	HtoD 3 3145728 1
	END
	awk -v columns='skew' -f "$srcdir/tests/lib/csv.awk" "$scratch/csv" \
		>"$scratch/skew"
	near "$(cat "$scratch/skew")" 1.3333 0.001 || return
	table mpi gpu-memory kinds 'kind peak most gpu bytes' <<-END || return
	device 2097152 1 0 3145728
	END
	table mpi gpu-memory devices 'process peak end' <<-END || return
	1 2097152 0
	0 1048576 0
	END
	folded mpi gpu.time >"$scratch/got"
	cat "$scratch/got"
	grep -q '^main;solve;cudaLaunchKernel;alpha 30000$' "$scratch/got" &&
		grep -q '^main;MPI_Allreduce;reduce ' "$scratch/got"
}

# said COMMAND…: sentences without line ends.
said() {
	"$copse" "$@" --width 250 2>&1 | tr -s '\n ' ' ' >"$scratch/got"
}

# Rank 0 has for a second, for rank 1.
waits_in_vain() {
	said stuck --between 0.2 "$scratch/endless.copse"
	grep -q 'waiting for [1-9][0-9.]* s .*MPI_Allreduce.* for rank 1' \
		"$scratch/got"
}

# A kernel that does not end is said with the line that launched it, also when
# the job is over.
endless() {
	[ -e "$made-mpi" ] || skip "no wrappers for Open MPI were built"
	need mpirun.openmpi
	from='ended, from cudaLaunchKernel ← wait_in_vain'
	mpirun.openmpi -n 2 "$copse" run -q --force -o "$scratch/endless.copse" \
		"$made-mpi" endless >/dev/null 2>&1 &
	job=$!
	wait_for waits_in_vain
	kill -INT "$job"
	wait "$job"
	cat "$scratch/got"
	grep -q "DeviceSynchronize ← wait_in_vain.*; of what it launched on GPUs 2 have not $from" \
		"$scratch/got" || return
	"$copse" merge "$scratch/endless.copse" >/dev/null
	said report ends "$scratch/endless.copse"
	cat "$scratch/got"
	grep -q "of what it launched on GPUs 2 had not $from" "$scratch/got"
}

# two_ranks KIND VERSION: made-nccl, whose ranks begin at the same moment.
two_ranks() {
	unset NCCL_PROFILER_PLUGIN
	start=$(($(date +%s%N) + 1000000000))
	rm -rf "$scratch/nccl.copse"
	for rank in 0 1; do
		RANK=$rank WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1 \
			"$copse" run -q -o "$scratch/nccl.copse" \
			"$made-nccl" "$1" "$2" "$start" &
	done
	wait
	said report gpu-collectives "$scratch/nccl.copse"
	cat "$scratch/got"
}

# waited LEAST MOST: ms that rank 0 did, for rank 1, in five all-reduces; busy or
# not, the time of collective calls is what kernels had.  Rank 0 may be late, too,
# where it lacks a core.
waited() {
	table nccl gpu-collectives collectives 'function ranks count' <<-END || return
	ncclAllReduce 2 10
	END
	table nccl gpu-collectives collective_ranks 'rank waited caused' >/dev/null </dev/null
	awk -v least="$1" -v most="$2" '
		{ waited[$1] = 1000 * $2; caused[$1] = 1000 * $3 }
		END { exit waited[0] < least || waited[0] > most || waited[1] ||
			caused[1] != waited[0] || caused[0] }' "$scratch/got" ||
		{ cat "$scratch/got"; return 1; }
}

# By each version of the plugin's interface.  On a loaded machine the host may
# have lacked a core most of the time: that is what is said then.
late_host() {
	for version in 2 3 4 5; do
		two_ranks host $version
		grep -Eq 'for rank 1: .* for its host, which launched late(, in [^.]*load_batch ← step|; it was not sampled then)' \
			"$scratch/got" || return
		"$copse" report gpu-collectives "$scratch/nccl.copse" -n 0 |
			grep -q 'host .*load_batch ← step' || return
		waited 300 1200 || return
	done
}

late_gpu() {
	two_ranks gpu 5
	grep -q 'for rank 1: .* for other kernels of its GPU, in alpha ← step' \
		"$scratch/got" || return
	waited 240 1000
}

# messages KIND FUNCTIONS CULPRIT: five at each end, of which those of the other
# rank waited, each once, whatever their kernels sent and received.
messages() {
	for version in 3 5; do
		two_ranks "$1" $version
		grep -Eq "are messages .* for rank $3: .* for its host, which launched late(, in [^.]*load_batch ← step|; it was not sampled then)" \
			"$scratch/got" || return
		printf '%b' "$2" | table nccl gpu-collectives collectives \
			'function ranks count' || return
		table nccl gpu-collectives collective_ranks \
			'rank waited caused' >/dev/null </dev/null
		awk -v culprit="$3" '
			$1 != culprit { ms = 1000 * $2 }
			$1 == culprit { caused = 1000 * $3; own = $2 }
			END { exit ms < 300 || ms > 1200 || own || caused != ms }' \
			"$scratch/got" || { cat "$scratch/got"; return 1; }
	done
}

# What scheduling makes of it.
even_ranks() {
	two_ranks even 5
	table nccl gpu-collectives collective_ranks 'rank waited' >/dev/null </dev/null
	awk '{ sum += $2 } END { exit NR != 2 || sum > 0.3 }' "$scratch/got" ||
		{ cat "$scratch/got"; return 1; }
}

# stuck_ranks KIND VERSION RUNNING OVER: what is said of ranks that wait in vain.
stuck_ranks() {
	unset NCCL_PROFILER_PLUGIN
	rm -rf "$scratch/stuck.copse"
	for rank in 0 1; do
		RANK=$rank WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1 \
			"$copse" run -q -o "$scratch/stuck.copse" \
			"$made-nccl" "$1" "$2" "$(date +%s%N)" &
		pids="${pids-} $!"
	done
	wait_for is_said "$3"
	good=$?
	# shellcheck disable=SC2086 # two
	kill $pids
	wait
	unset pids
	cat "$scratch/got"
	[ $good = 0 ] || return
	"$copse" merge "$scratch/stuck.copse" >/dev/null
	said report ends "$scratch/stuck.copse"
	cat "$scratch/got"
	grep -Eq "$4" "$scratch/got"
}

is_said() {
	said stuck --between 0.2 "$scratch/stuck.copse"
	grep -Eq "$1" "$scratch/got"
}

# A rank that launches one call fewer, by each version of the interface.
hangs_by_skip() {
	for version in 2 3 4 5; do
		stuck_ranks skip $version \
			'1 of 2 ranks have been waiting for [1-9].* s in ncclAllReduce ← all_reduce ← never .*, collective call 4 of (2 )?GPUs, for rank 1, which sleeps in clock_nanosleep ← never' \
			'1 of 2 ranks had waited for [1-9].* s in ncclAllReduce ← all_reduce ← never .*, collective call 4 of (2 )?GPUs, for rank 1' ||
			return
	done
}

# It has the communicator and no call on it, as versions from 4 on tell.
hangs_before_all() {
	for version in 4 5; do
		stuck_ranks begin $version \
			'1 of 2 ranks have been waiting for [1-9].* s in ncclAllReduce ← all_reduce ← never .*, collective call 1 of 2 GPUs, for rank 1, which .*sleeps' \
			'collective call 1 of 2 GPUs, for rank 1' ||
			return
	done
}

hangs_by_other_call() {
	stuck_ranks other 5 \
		'1 of 2 ranks have been waiting for [1-9].* s in ncclAllReduce ← all_reduce ← never .*, collective call 4 of 2 GPUs, for rank [01], which is in ncclAllGather ← all_gather ← never .* instead' \
		'in ncclAllGather ← all_gather ← never .* instead'
}

hangs_by_size() {
	stuck_ranks less 5 \
		'in ncclAllReduce ← all_reduce ← never [^,]* of 3.81 MiB, collective call 4 of 2 GPUs, for rank 1, which is in ncclAllReduce ← reduce_less ← never .* of 3.91 KiB instead' \
		'for rank 1, which was in ncclAllReduce ← reduce_less .* instead'
}

# All have come: no rank is to blame.
hangs_by_itself() {
	stuck_ranks none 5 \
		'2 of 2 ranks have been waiting for [1-9].* s in ncclAllReduce ← all_reduce ← never .*, collective call 4 of 2 GPUs, although all have launched it' \
		'2 of 2 ranks had waited .* although all have launched it'
}

# Somebody else's plugin stays, and nothing is known.
own_plugin() {
	NCCL_PROFILER_PLUGIN=/nowhere "$copse" run -q --force \
		-o "$scratch/own.copse" sh -c 'echo $NCCL_PROFILER_PLUGIN' \
		>"$scratch/got"
	cat "$scratch/got"
	grep -qx /nowhere "$scratch/got"
}

# Hundreds of paths a hundred frames deep: each remembered, each confirmed.
wide() {
	"$copse" run -q --force --verify=on -o "$scratch/wide.copse" "$made" \
		wide 3 >/dev/null || return
	lost_is wide verify.differs 0 && nothing_lost wide || return
	folded wide gpu.launches >"$scratch/got"
	awk '{ n += $NF; depth = split($0, part, ";")
		if (depth > deepest) deepest = depth }
		END { print NR, n, deepest
			exit !(NR == 400 && n == 1600 && deepest > 140) }' \
		"$scratch/got"
}

# As a whole; or each kernel where the graph was launched and where it is from.
graphs() {
	measure graph graph || return
	is graph gpu.time <<-END || return
	main;graph;cudaGraphLaunch;[graph] 18000
	END
	measure nodes graph --gpu-nodes=on && nothing_lost nodes || return
	from='main;graph;cudaGraphLaunch;[captured];main;graph'
	is nodes gpu.time <<-END || return
	$from;capture;cudaLaunchKernel;alpha 12000
	$from;cudaLaunchKernel;beta 6000
	END
	is nodes gpu.launches <<-END
	$from;capture;cudaLaunchKernel;alpha 6
	$from;cudaLaunchKernel;beta 3
	END
}

# Work is found as well, and so are calls that wait.
# CUDA has nothing to load, also where a run around it had.
left_alone() {
	measure left-alone all --gpu=off -e wall || return
	"$copse" report tree "$scratch/left-alone.copse" -m gpu.launches \
		2>"$scratch/said" && return 1
	grep -q "no metric 'gpu.launches'" "$scratch/said" &&
		"$copse" run -q --force -o "$scratch/around.copse" \
			"$copse" run -q --gpu=off --force \
			-o "$scratch/left-alone.copse" env >"$scratch/env" &&
		grep -q '^COPSE_GPU=0' "$scratch/env" &&
		! grep '^CUDA_INJECTION64_PATH' "$scratch/env"
}

no_api() {
	measure no-api all --gpu-api=off || return
	times_of_all no-api && nothing_lost no-api || return
	"$copse" report gpu-api "$scratch/no-api.copse" -f csv >"$scratch/csv"
	awk -v columns='function calls' -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | tr '\t' ' ' | LC_ALL=C sort >"$scratch/got"
	diff - "$scratch/got" <<-END
	cuLaunchKernel 5
	cudaDeviceSynchronize 1
	cudaGraphLaunch 6
	cudaLaunchKernel 124
	cudaMalloc 10
	cudaMemcpyAsync 14
	cudaMemsetAsync 3
	END
}

# The first screen says what GPUs did, and what failed.
summary() {
	"$copse" report "$scratch/all.copse" >"$scratch/said" || return
	for says in '210 ms of kernels, 24.0 ms of graphs, 5.01 ms of copies' \
		'it, 50 %: beta, 75 % of that ← solve ← in_thread' \
		'Calls of CUDA: 166, ' '7 calls of CUDA failed'; do
		grep -q "$says" "$scratch/said" && continue
		echo "not said: $says"
		cat "$scratch/said"
		return 1
	done
}

# What was allocated, freed and left, by kind and by path; peaks.
memory_of() {
	table "$1" gpu-memory kinds \
		'kind peak allocations bytes frees freed leaks leaked reset' \
		<<-END || return
	device 77594624 14 83886080 11 77594624 3 6291456 0
	managed 4194304 1 4194304 0 0 1 4194304 0
	pinned 8388608 1 8388608 1 8388608 0 0 0
	pool 16777216 10 167772160 10 167772160 0 0 0
	END
	table "$1" gpu-memory paths 'call_path kind at_peak leaked' <<-END
	cudaMalloc ← forget ← allocs ← allocate ← main device 0 6291456
	cudaMallocManaged ← others ← allocs ← allocate ← main managed 0 4194304
	cudaMalloc ← burst ← allocs ← allocate ← main device 67108864 0
	cudaMalloc ← grow ← allocs ← allocate ← main device 10485760 0
	cudaHostAlloc ← others ← allocs ← allocate ← main pinned 8388608 0
	cudaFreeAsync ← others ← allocs ← allocate ← main pool 0 0
	cudaMallocAsync ← others ← allocs ← allocate ← main pool 0 0
	cudaFree ← burst ← allocs ← allocate ← main device 0 0
	cudaFree ← forget ← allocs ← allocate ← main device 0 0
	cudaFreeHost ← others ← allocs ← allocate ← main pinned 0 0
	END
}

memory() {
	measure memory allocs --gpu-faults=on || return
	memory_of memory && nothing_lost memory
}

# Made a second later, it is the same database: HDF5 notes no times in it.
same_database() {
	"$copse" merge -q "$scratch/memory.copse" -o "$scratch/one.h5" &&
		sleep 1.1 &&
		"$copse" merge -q "$scratch/memory.copse" -o "$scratch/two.h5" &&
		cmp "$scratch/one.h5" "$scratch/two.h5"
}

# Whatever the order of the records, and with the work calls alone.
disorder() {
	MADE_FAULT=disorder measure disorder allocs || return
	memory_of disorder && nothing_lost disorder || return
	measure work-only allocs --gpu-api=off || return
	memory_of work-only && nothing_lost work-only
}

# What migrated, and faults, if they were asked for.
unified() {
	table memory gpu-transfers unified 'kind count bytes' <<-END || return
	HtoD 3 3145728
	DtoH 2 2097152
	gpu-faults 4 
	cpu-faults 5 
	END
	measure migrated allocs --gpu-unified=on || return
	table migrated gpu-transfers unified 'kind count bytes' <<-END || return
	HtoD 3 3145728
	DtoH 2 2097152
	END
	"$copse" report gpu-transfers "$scratch/memory.copse" |
		grep -q 'gpu-unified=on' && return 1
	MADE_FAULT=unified measure no-unified allocs --gpu-unified=on || return
	memory_of no-unified && lost_is no-unified gpu.unified 1
}

# Its counters slow kernels: nobody has them who did not ask.
unified_untouched() {
	MADE_FAULT=unified measure untouched allocs || return
	nothing_lost untouched && memory_of untouched &&
		"$copse" report gpu-transfers "$scratch/untouched.copse" \
			>"$scratch/said" || return
	grep -q 'gpu-unified=on' "$scratch/said" ||
		{ cat "$scratch/said"; return 1; }
}

# says NAME WORDS / says_not NAME WORDS: in the summary.
says() {
	"$copse" report "$scratch/$1.copse" >"$scratch/said" || return
	tr -s '\n ' ' ' <"$scratch/said" | grep -q "$2" && return
	cat "$scratch/said"
	return 1
}
says_not() {
	says "$1" "$2" >/dev/null || return 0
	echo "said: $2"
	return 1
}

# Blamed is only what still grew, and was not freed by a destructor.
leaks() {
	measure leak leak && measure late late && measure once once || return
	says leak 'leaks: process [0-9]* left 30.0 MiB in 30 allocations' &&
		says leak 'growing: cudaMalloc ← leak' || return
	table leak gpu-memory kinds 'kind peak leaks leaked' <<-END || return
	device 31457280 30 31457280
	END
	table late gpu-memory kinds 'kind peak leaks leaked' <<-END || return
	device 31457280 0 0
	END
	table once gpu-memory kinds 'kind peak leaks leaked' <<-END || return
	device 31457280 30 31457280
	END
	says late 'at most 30.0 MiB on one' && says_not late leaks &&
		says_not once leaks && nothing_lost late
}

# What goes with its context is no leak.
memory_reset() {
	measure memory-reset alloc-reset || return
	table memory-reset gpu-memory paths 'call_path leaked reset' <<-END &&
	cudaMalloc ← burst ← allocs_reset ← allocate ← main 0 0
	cudaFree ← burst ← allocs_reset ← allocate ← main 0 0
	cudaMalloc ← grow ← allocs_reset ← allocate ← main 0 10485760
	END
		nothing_lost memory-reset
}

# Beside XLA, which is loaded after CUDA began, and without.
xla() {
	${CC:-cc} -shared -o "$scratch/xla_cuda_plugin.so" -x c /dev/null || return
	cat >"$scratch/xla.py" <<-'END'
		import ctypes, sys
		cuda = ctypes.CDLL(sys.argv[1])
		cuda.made_cudaMemsetAsync(ctypes.c_uint64(1), ctypes.c_uint64(1000))
		for library in sys.argv[2:]:
		    ctypes.CDLL(library)
		cuda.made_capture(b"_Z5alphaPfi")
		cuda.made_cudaGraphInstantiate()
		cuda.made_cudaGraphLaunch(1, ctypes.c_uint64(1000))
	END
	for of in alpha '[graph]'; do
		library=
		[ "$of" != alpha ] || library=$scratch/xla_cuda_plugin.so
		"$copse" run -q --force -o "$scratch/xla.copse" \
			"${PYTHON:-/usr/bin/python3}" "$scratch/xla.py" \
			"$COPSE_CUPTI" ${library:+"$library"} || return
		folded xla gpu.time | tee "$scratch/said"
		grep -qF ";$of " "$scratch/said" || return
	done
}

# What was allocated is known, and no leak is spoken of: it was killed.
memory_killed() {
	measure memory-killed killed-allocs
	[ $? = 137 ] || return
	table memory-killed gpu-memory kinds 'kind allocations bytes' \
		>/dev/null </dev/null
	LC_ALL=C sort "$scratch/got" >"$scratch/sorted"
	diff - "$scratch/sorted" <<-END && says_not memory-killed leaks
	device 14 83886080
	managed 1 4194304
	pinned 1 8388608
	pool 10 167772160
	END
}

# Nothing of it is known, and nothing said, when it is not wanted.
no_memory() {
	measure no-memory allocs --gpu-memory=off || return
	table no-memory gpu-memory kinds kind </dev/null &&
		nothing_lost no-memory
}

# As the made device's limits have it: 96 registers, 16 warps: 5 x 4 parts / 16
# = 1 of 4 blocks; 65 KiB and 1 KiB of the system's: 3 of 228 KiB.
shapes() {
	measure shapes shapes || return
	table shapes gpu-kernels shapes \
		'kernel launches grid_least grid block registers shared occupancy blocks limit' \
		<<-END
	alpha 5 1 5 512 96 0 0.25 1 registers
	beta 1 24 24 128 32 66560 0.1875 3 shared
	beta 1 7 7 256 32 0 1 8 
	END
}

# Occupancy is what the toolkit's own header says.
occupancy() {
	"$builddir/tests/gpu/made-occupancy"
}

# The thread that asks for records each second is none of a capture's (2: relaxed).
captures_go_on() {
	MADE_MODES=$scratch/modes LD_PRELOAD=$builddir/tests/gpu/libmade-driver.so \
		measure modes killed # after more than a second
	echo 'copse-gpu 2' | diff - "$scratch/modes"
}

# Two processes that use GPUs alike, and a shell that does not.
alike() {
	"$copse" run -q --force -o "$scratch/alike.copse" sh -c '
		"$1" busy; "$1" busy; i=0
		while [ $i -lt 300000 ]; do i=$((i + 1)); done' - "$made" ||
		return
	"$copse" report ranks "$scratch/alike.copse" -f csv --table ranks |
		awk 'END { print NR - 1 " processes" }' | grep -x '3 processes' &&
		table alike gpu-kernels kernels 'kernel skew' <<-END
	beta 1
	alpha 1
	END
}

# A program that profiles itself, as without copse: of CUPTI it has all and
# nothing of ours.  What came before is there, and how long that was.

# tool NAME PROGRAM…: NAME.copse.
tool() {
	name=$1
	shift
	"$@" >"$scratch/alone" || return
	"$copse" run -q --force -o "$scratch/$name.copse" "$@" \
		>"$scratch/with" || return
	diff "$scratch/alone" "$scratch/with"
}

launched_before() {
	lost_is "$1" gpu.yielded 1 &&
		is "$1" gpu.launches <<-END
	tool_main;before;launch;cudaLaunchKernel;alpha 20
	END
}

tools() {
	for mode in subscribe register v2; do
		tool "$mode" "$made-tool" "$mode" &&
			launched_before "$mode" || { echo "$mode"; return 1; }
	done
}

tool_of_its_own() {
	tool local "$made-load" "$builddir/tests/gpu/libmade-tool.so" \
		subscribe && launched_before local
}

# One that looks up what it calls in CUPTI's handle, which is known by its name:
# the made one's is as long.
tool_by_handle() {
	for file in made-cuda made-tool; do
		sed 's/libmade-cuda\.so/libcupti.so.130/g' \
			"$builddir/tests/gpu/lib$file.so" >"$scratch/$file" ||
			return
	done
	mv "$scratch/made-cuda" "$scratch/libcupti.so.130"
	LD_LIBRARY_PATH=$scratch COPSE_CUPTI=$scratch/libcupti.so.130 \
		tool handle "$made-load" "$scratch/made-tool" handle &&
		launched_before handle && ! grep -q 39 "$scratch/with" ||
		return
	# One that was used lets no other in.
	LD_LIBRARY_PATH=$scratch "$copse" run -q --force \
		-o "$scratch/other.copse" "$made-load" "$scratch/made-tool" \
		handle >"$scratch/with" || return
	cat "$scratch/with"
	grep -qx 'subscribe 39' "$scratch/with" &&
		lost_is other gpu.yielded 0 && lost_is other gpu.kept 1
}

# What comes at the same time is ours or theirs.
tool_beside_threads() {
	for _ in 1 2 3; do
		tool threads "$made-tool" threads || return
		lost_is threads gpu.unseen 0 && lost_is threads gpu.times 0 &&
			folded threads gpu.launches |
			awk '/;before;.*;alpha 20$/ { before = 1 }
				/^launcher;/ { n += $NF }
				END { exit !(before && n >= 1000) }' || {
			folded threads gpu.launches
			return 1
		}
	done
}

tools_at_once() {
	tool race "$made-tool" race && launched_before race
}

# It came before the driver, which it began itself: CUPTI is left to it.
tool_first() {
	tool first "$made-tool" first && lost_is first gpu.taken 1 || return
	"$copse" report tree "$scratch/first.copse" -m gpu.launches \
		2>"$scratch/said"
	grep -q "no metric 'gpu.launches'" "$scratch/said"
}

# It lives 1.2 s longer, of which no GPU time is told, and no leak.
known_until() {
	says subscribe "! GPU work is known only until the program's own tool \
took CUPTI, after [0-9.]* m*s of [0-9.]* s" || return
	table subscribe gpu-devices devices elapsed </dev/null >"$scratch/any"
	known=$(cat "$scratch/got")
	"$copse" report ranks "$scratch/subscribe.copse" -f csv \
		--table ranks >"$scratch/csv" || return
	ran=$(awk -v columns=elapsed -f "$srcdir/tests/lib/csv.awk" "$scratch/csv")
	echo "$known $ran"
	awk -v known="$known" -v ran="$ran" \
		'BEGIN { exit !(known > 0 && known + 1.2 <= ran) }' || return
	table subscribe gpu-memory kinds 'kind allocations bytes leaks leaked' \
		<<-END || return
	device 32 33554432 0 0
	END
	table subscribe gpu-memory devices 'peak end' <<-END || return
	33554432 
	END
	says_not subscribe 'efficiency'
}

# Their samples cannot be stopped: the tool is refused.
tool_refused() {
	"$copse" run -q --force -o "$scratch/kept.copse" --gpu-sampling=on \
		"$made-tool" subscribe >"$scratch/with" || return
	grep -x 'subscribe 39' "$scratch/with" && lost_is kept gpu.kept 1 &&
		lost_is kept gpu.yielded 0 && is kept gpu.launches <<-END
	tool_main;before;launch;cudaLaunchKernel;alpha 20
	tool_main;beside;launch;cudaLaunchKernel;beta 30
	tool_main;beside;launch;cudaLaunchKernel;gamma 10
	END
}

# A CUPTI that does not answer holds the program up, and not for ever.
tool_hangs() {
	MADE_FAULT=hang "$copse" run -q --force -o "$scratch/stuck.copse" \
		"$made-tool" register >"$scratch/with" || return
	lost_is stuck gpu.yielded 1 && lost_is stuck gpu.unflushed 1 &&
		grep -x 'register 0' "$scratch/with"
}

# No CUPTI at all: not initialised.
tool_without_cupti() {
	"$copse" run -q --force -o "$scratch/none.copse" \
		/usr/bin/env python3 -c '
import ctypes
print(ctypes.CDLL(None).cuptiSubscribe(None, None, None))' >"$scratch/with" ||
		return
	grep -x 15 "$scratch/with"
}

# Who is not measured is left alone.
excluded() {
	"$copse" run -q --force -o "$scratch/excluded.copse" --exclude=made \
		"$made" busy || return
	[ ! -e "$scratch/excluded.copse/rank-0.h5" ] || return
	CUDA_INJECTION64_PATH=$builddir/libcopse-cuda.so "$made" busy
}

# The user's tool stays, and the run says so.
other_tool() {
	CUDA_INJECTION64_PATH=/other/tool.so "$copse" run --force --no-report \
		-o "$scratch/other.copse" sh -c 'echo "$CUDA_INJECTION64_PATH"' \
		>"$scratch/out" 2>"$scratch/err"
	grep -qx /other/tool.so "$scratch/out" &&
		grep -q 'CUDA_INJECTION64_PATH is set for another tool' \
			"$scratch/err" || { cat "$scratch/err"; return 1; }
}

# What ctypes and libffi are in is left out.
in_python() {
	need "${python:=/usr/bin/python3}"
	"$copse" run -q --force -o "$scratch/python.copse" "$python" \
		"$srcdir/tests/gpu/launches.py" "$COPSE_CUPTI" || return
	cat >"$scratch/want" <<-END
	Thread.run;train;step;Conv.forward;launch;alpha 600
	Thread.run;train;step;Conv.forward;launch;beta 600
	Thread.run;train;step;Dense.forward;launch;alpha 300
	Thread.run;train;step;awaits;loss;launch;beta 900
	Thread.run;train;step;step.<locals>.<lambda>;launch;alpha 1200
	executed;text_0;launch;beta 800
	executed;text_1;launch;beta 800
	executed;text_2;launch;beta 800
	loaded;task_5;launch;beta 500
	loaded;task_6;launch;beta 600
	loaded;task_7;launch;beta 700
	train;step;Conv.forward;launch;alpha 400
	train;step;Conv.forward;launch;beta 400
	train;step;Dense.forward;launch;alpha 200
	train;step;awaits;loss;launch;beta 600
	train;step;step.<locals>.<lambda>;launch;alpha 800
	END
	folded python gpu.time |
		sed 's/^<module>;//; s/^Thread.*Thread.run/Thread.run/
			s/;launch;.*;cudaLaunchKernel;/;launch;/' |
		LC_ALL=C sort | diff "$scratch/want" - &&
		nothing_lost python
}

# As PyTorch's backward pass: the thread that launches has no Python of its own.
# Below a function that waits for it and did not start it: a guess, not made.
by_workers() {
	need "${python:=/usr/bin/python3}"
	"$copse" run -q --force -o "$scratch/worker.copse" "$python" \
		"$srcdir/tests/gpu/worker.py" \
		"$builddir/tests/gpu/libmade-worker.so" || return
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		skip "from Python 3.11 on"
	cat >"$scratch/want" <<-END
	step;discriminator;backward;run_engine;work_for_caller;beta 1000
	step;generator;backward;run_engine;work_for_caller;alpha 600
	work_for_caller;gamma 400
	END
	folded worker gpu.time | sed 's/^<module>;//; s/;cudaLaunchKernel;/;/' |
		tee "$scratch/paths" | grep -v delta | diff "$scratch/want" - &&
		grep -q '^work_all_the_time;delta [0-9]*$' "$scratch/paths"
}

# For longer by hand: STORM_SECONDS.
storm_in_python() {
	need "${python:=/usr/bin/python3}"
	timeout 300 "$copse" run -q --force -e cpu@10000 --budget 0 --verify on \
		-o "$scratch/storm.copse" "$python" \
		"$srcdir/tests/gpu/launch-storm.py" "$COPSE_CUPTI" \
		"${STORM_SECONDS:-5}" >"$scratch/storm" || return
	cat "$scratch/storm"
	grep -x 'done' "$scratch/storm"
}

# Each ends while its threads launch.
storm_of_workers() {
	need "${python:=/usr/bin/python3}"
	for _ in 1 2 3; do
		timeout 100 "$copse" run -q --force --no-report -e cpu@10000 \
			--budget 0 --verify on -o "$scratch/workers.copse" \
			"$python" "$srcdir/tests/gpu/worker-storm.py" \
			"$builddir/tests/gpu/libmade-worker.so" \
			"${STORM_SECONDS:-1}" >"$scratch/storm" || return
		grep -x 'done' "$scratch/storm" || return
	done
	# Code that goes again leaves its address to other code: wrong names until
	# one is found, of thousands (doc/decisions/python.md).
	differ=$("$copse" report "$scratch/workers.copse" -f csv \
		--table losses | sed -n 's/^verify.differs,\([0-9]*\),.*/\1/p')
	[ "${differ:-0}" -le 5 ] || { echo "$differ differ"; return 1; }
}

# Else each launch is walked, which takes 8 times as long.
in_a_place() {
	need "${python:=/usr/bin/python3}"
	"$copse" run -q --force -e cpu@1000 -o "$scratch/place.copse" "$python" \
		"$srcdir/tests/gpu/places.py" "$COPSE_CUPTI" >"$scratch/times" ||
		return
	cat "$scratch/times"
	awk '{ exit !($1 > 0 && $1 < 2.5) }' "$scratch/times"
}

point "work of GPUs is on the paths that launched it" all
point "calls of CUDA are counted on their paths" calls
point "calls that fail are counted by error" failures
point "bytes of copies by direction" bytes
point "waiting is the call's" waits
point "delays from call to start" delays
point "report gpu-kernels" report_kernels
point "report gpu-transfers" report_transfers
point "report gpu-api" report_calls
point "the summary" summary
point "paths through code without unwind information" bare
point "remembered paths are confirmed" verified
point "no CUPTI, an old one, and one that is taken" refused
point "dropped records are counted" dropped
point "times that make no sense are counted, not summed" reversed
point "a flush that hangs is given up" hangs
point "many deep paths, time and again" wide
point "kernels of graphs, with where they were captured" graphs
point "a killed process keeps what was told" killed
point "cudaProfilerStart and cudaProfilerStop" profiled
point "nobody waits for them" profiled_by_nobody
point "ranges in part" paused_ranges
point "a forked child is left out" forked
point "ends that call no handlers" leaves
point "those of a child that has its own GPU work" leaving_child
point "those in a handler" leaves_in_handler
point "those of a child in its parent's memory" leaving_vfork
point "an end at which CUPTI hangs" leaving_hangs
point "launches without a record" unreported
point "a device reset loses nothing" reset
point "ranges of NVTX" ranges
point "more launches than notes" many
point "a capture of the made CUDA plays" captured
point "captures of real GPUs play" captures
point "ranks with GPUs" ranks
point "GPUs that are left alone" left_alone
point "only calls that begin work" no_api
point "memory by kind and path, at most and left" memory
point "a database does not know when it was made" same_database
point "records of memory in any order" disorder
point "unified memory, and that it may be refused" unified
point "unified memory is left alone" unified_untouched
point "leaks" leaks
point "memory that goes with its context" memory_reset
point "memory of a killed process" memory_killed
point "graphs of XLA are not recorded as a whole" xla
point "memory that is not followed" no_memory
point "a kernel that does not end" endless
point "NCCL: for whose host the others waited" late_host
point "NCCL: for whose GPU" late_gpu
point "NCCL: for nobody" even_ranks
point "NCCL: for who sends" messages send 'ncclRecv 2 5\nncclSend 2 5\n' 0
point "NCCL: for whom each sends to and receives from" \
	messages swap 'ncclSend and ncclRecv 2 10\n' 1
point "NCCL: a rank that leaves a call out" hangs_by_skip
point "NCCL: a rank that has made no call" hangs_before_all
point "NCCL: a rank that makes another call" hangs_by_other_call
point "NCCL: a rank that makes a smaller call" hangs_by_size
point "NCCL: all have come" hangs_by_itself
point "NCCL: another plugin stays" own_plugin
point "shapes of launches and what limits them" shapes
point "occupancy follows NVIDIA's rule" occupancy
point "asking for records does not end a capture" captures_go_on
point "processes without GPUs do not count in what is even" alike
point "a tool of the program's own takes CUPTI" tools
point "one that is loaded for itself alone" tool_of_its_own
point "one that looks CUPTI up in its handle" tool_by_handle
point "one beside threads that launch" tool_beside_threads
point "several at once" tools_at_once
point "one that comes first" tool_first
point "GPU times end where nothing is known" known_until
point "none beside samples of kernels" tool_refused
point "one beside a CUPTI that hangs" tool_hangs
point "one without a CUPTI" tool_without_cupti
point "a program that is not measured" excluded
point "kernels that functions of Python launch" in_python
point "those of one in the place of a module are compared" in_a_place
point "kernels that threads launch which Python waits for" by_workers
point "a storm of launches from Python" storm_in_python
point "a storm of threads that work for Python" storm_of_workers
point "another tool is not replaced" other_tool
points_done
