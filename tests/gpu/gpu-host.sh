#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-host.sh - programs whose GPU waits for their host, with a made CUDA
# (tests/gpu/made-cuda.h): what a step is said to go into, and what calls waited
# for.  What graphs would give is tests/bench/gpu-graphs.sh's.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made-host
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so" MADE_LAUNCH=5000
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT MADE_UUID
unset COPSE_GPU_CAPTURE MADE_QUEUE
python=${PYTHON:-/usr/bin/python3}

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }

# measure KIND [OPTION…]: KIND.copse; of py-KIND, from Python.
measure() {
	name=$1
	shift
	case $name in
	py-*)	"$copse" run -q --force -o "$scratch/$name.copse" "$@" \
			"$python" "$srcdir/tests/gpu/made-host.py" \
			"$COPSE_CUPTI" "${name#py-}" ;;
	*)	"$copse" run -q --force -o "$scratch/$name.copse" "$@" \
			"$made" "$name" ;;
	esac >"$scratch/$name.out"
}

# cells NAME REPORT TABLE COLUMNS: its rows, with tabs between.
cells() {
	"$copse" report "$2" "$scratch/$1.copse" -n 0 -f csv --table "$3" \
		>"$scratch/csv" || return
	awk -v columns="$4" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv"
}

# says NAME WORD…: the summary has all of them.
says() {
	"$copse" report "$scratch/$1.copse" --width 2000 >"$scratch/said" ||
		return
	shift
	for word; do
		grep -Eq "$word" "$scratch/said" && continue
		echo "not said: $word"
		cat "$scratch/said"
		return 1
	done
}

# finds NAME RULE: and no other of those on hosts; '': none.
finds() {
	"$copse" report diagnose "$scratch/$1.copse" -f csv --table findings \
		>"$scratch/csv" || return
	awk -v columns='rule' -f "$srcdir/tests/lib/csv.awk" "$scratch/csv" |
		grep -E '^(launch|host|loader)-bound' >"$scratch/found"
	printf '%s' "${2:+$2
}" | diff - "$scratch/found"
}

# awaited NAME LINE: what calls there waited for, "WORK SHARE".
awaited() {
	line=$(grep -n "$2" "$srcdir/tests/gpu/made-host.c" | sed 's/:.*//')
	cells "$1" gpu-api waits 'work share line' |
		awk -F '\t' -v line="made-host.c:$line" '$3 == line {
			print $1, $2 }'
}

# in_part NAME PART LEAST MOST: share of the idle time.
in_part() {
	cells "$1" gpu-host host 'part share' | awk -F '\t' -v part="$2" \
		-v least="$3" -v most="$4" '$1 == part { share = $2 }
		END { print part, share; exit !(share + 0 >= least &&
			share + 0 <= most) }'
}

# Others on the cores make steps longer: then nothing can be said of parts.
calm() {
	for _ in 1 2 3; do
		measure "$@" || return
		waited=$("$copse" report "$scratch/$1.copse" -f csv --table run |
			awk -v columns=core_wait -f "$srcdir/tests/lib/csv.awk")
		near "${waited:-0}" 0 0.15 >&2 && return
	done
	skip "others have the cores here"
}

small_kernels() {
	calm small || return
	finds small launch-bound &&
		says small 'Bound by the host: a round of calls takes [^ ]* (ms|µs) \(200 of them\)' \
			'100 launches' 'waits for the GPU in cudaStreamSynchronize ← small, made-host.c:[0-9]* 200 times' \
			'as a CUDA graph a round of calls would take about [0-9.]* (ms|µs)'
}

# Of streams that overlap each call waited for its own.
by_stream() {
	measure streams || return
	awaited streams 'made_cudaStreamSynchronize(2)' >"$scratch/got"
	cat "$scratch/got"
	grep -q '^beta ' "$scratch/got" && ! grep -q '^alpha' "$scratch/got"
}

# 500 us of one kernel; then the other one, launched in turns.
by_line() {
	measure mixed || return
	cells mixed gpu-api waits 'work seconds share calls line' >"$scratch/got"
	cat "$scratch/got"
	awk -F '\t' '$1 == "beta" && $2 > 0.098 && $2 <= 0.1 && $4 == 200 { beta = $5 }
		$1 == "alpha" { alpha = $5 }
		END { exit !beta || beta == alpha }' "$scratch/got"
}

# A copy back waits for the kernels before it.
by_copy() {
	measure items || return
	cells items gpu-api waits 'work seconds calls call_path' >"$scratch/got"
	cat "$scratch/got"
	awk -F '\t' '$4 ~ /^cudaMemcpy ← items/ && $3 == 1000 { of[$1] = $2 }
		END { exit !(of["beta"] > of["alpha"] && of["alpha"] > 0) }' \
		"$scratch/got"
}

# A launch whose queue is full waits for the GPU; else it does not.
full_queue() {
	export MADE_QUEUE=20000000
	measure full || return
	unset MADE_QUEUE
	cells full gpu-api functions 'function seconds waited' >"$scratch/got"
	cat "$scratch/got"
	awk -F '\t' '$1 == "cudaLaunchKernel" { share = $3 / $2 }
		END { exit !(share > 0.6 && share < 1) }' "$scratch/got" &&
		says full "waiting for GPUs: [0-9.]* m?s.* in cudaLaunchKernel ← (launch ← )?full" &&
		measure large &&
		cells large gpu-api functions 'function waited' >"$scratch/got" &&
		grep -E '^cudaLaunchKernel' "$scratch/got" | awk -F '\t' '{
			exit $2 > 0.02 }'
}

# What the program computes stays, and is named.
own_work() {
	calm between || return
	in_part between "the program's own functions" 0.2 0.8 &&
		says between 'own functions [0-9.]* (ms|µs) \(clock_ns, made-host.c:'
}

nothing() {
	measure large || return
	finds large ''
}

library() {
	calm framework || return
	in_part framework "libraries that launch" 0.12 0.6 &&
		finds framework launch-bound &&
		says framework 'libraries that launch [0-9.]* (ms|µs) \(libmade-frame.so'
}

python_launches() {
	calm py-forward || return
	finds py-forward launch-bound &&
		says py-forward 'Python [0-9.]* (ms|µs) \([a-zA-Z.]*, made-host.py:[0-9]*\)' \
			'waits for the GPU in cudaStreamSynchronize ← .*item, made-host.py:[0-9]* 150 times'
}

# A function that launches nothing is not the launches'.
python_computes() {
	calm py-augment || return
	finds py-augment host-bound &&
		says py-augment 'Python [0-9.]* (ms|µs) \(augment, made-host.py:[0-9]*\)'
}

# Seen where elapsed time is sampled; else only that it did not run.
loader() {
	measure py-loader -e cpu,wall || return
	finds py-loader loader-bound &&
		says py-loader 'its 2 workers \(process of load\) computed for [0-9.]* m?s, most of it in augment, made-host.py:[0-9]*' &&
		if "$copse" report measurement "$scratch/py-loader.copse" \
			-f json | grep -q 'perf task clock'; then
			says py-loader 'waiting for data'
		fi
}

loader_unseen() {
	measure py-loader || return
	finds py-loader loader-bound &&
		says py-loader 'off a core' 'its 2 workers'
}

point "many short kernels" small_kernels
point "which stream a call waited for" by_stream
point "which kernel, by line" by_line
point "which kernels a copy waited for" by_copy
point "launches into a full queue" full_queue
point "what the program computes" own_work
point "long kernels" nothing
point "what a library does to launch" library
point "Python that launches" python_launches
point "Python that computes" python_computes
point "workers that load data" loader
point "workers, without elapsed time" loader_unseen
points_done
