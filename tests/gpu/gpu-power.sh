#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-power.sh - the energy of GPUs whose power is known by construction
# (tests/gpu/made-power.h), read from a made NVML by the real copse run: totals,
# phases, call paths, shared GPUs; and an NVML that fails in every way harms
# nothing.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made-energy
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT COPSE_GPU_CAPTURE
unset MADE_POWER MADE_NVML MADE_UUID COPSE_GPU_POWER

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }

# measure NAME NVML MODE…: NAME.copse, NAME.out, NAME.err; its status.  NVML is a
# folder, the whole of it, or one that lacks functions.
measure() {
	name=$1
	export LD_LIBRARY_PATH="$builddir/tests/gpu/$2"
	shift 2
	"$copse" run --force --no-report -o "$scratch/$name.copse" \
		--gpu-power=on "$made" "$@" >"$scratch/$name.out" \
		2>"$scratch/$name.err"
}

# cells NAME TABLE COLUMNS: tab-separated.
cells() {
	"$copse" report gpu-power "$scratch/$1.copse" -f csv -n 0 --table "$2" \
		>"$scratch/csv" || return
	awk -v columns="$3" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv"
}

# said NAME WORD: what the program says that took.
said() {
	awk -v word="$2" '$1 == word { print $2 }' "$scratch/$1.out"
}

# within VALUE TRUTH PERCENT
within() {
	near "$1" "$2" "$(awk -v t="$2" -v p="$3" 'BEGIN { print t * p / 100 }')"
}

whole() {
	MADE_POWER=$scratch/whole.power measure whole nvml phases || return
	cat "$scratch/whole.out"
	[ ! -s "$scratch/whole.err" ] ||
		! grep 'power of GPUs' "$scratch/whole.err" || return
	cells whole energy 'device readers by joules integral idle' \
		>"$scratch/got"
	cat "$scratch/got"
	[ "$(wc -l <"$scratch/got")" = 1 ] || return
	# shellcheck disable=SC2046 # its columns
	set -- $(cat "$scratch/got")
	[ "$1 $2 $3" = "0 1 counter" ] || return
	within "$4" "$(said whole all)" 5 && within "$5" "$4" 5
}

# Over time, in a trace for Perfetto: its least and its most.
over_time() {
	need protoc
	need python3
	"$copse" export perfetto "$scratch/whole.copse" -o "$scratch/trace" &&
		protoc --decode=Trace -I "$srcdir/tests/profiles" \
			perfetto.proto <"$scratch/trace" >"$scratch/packets" ||
		return
	PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1 python3 - \
		"$scratch/packets" <<-'P'
	from viewers import *
	packets = [dict(p) for _, p in message(open(sys.argv[1]))]
	tracks = [dict(p["track_descriptor"]) for p in packets
	          if "track_descriptor" in p]
	power = [t["uuid"] for t in tracks
	         if t.get("name", "").startswith("power of GPU")]
	events = [dict(p["track_event"]) for p in packets if "track_event" in p]
	watts = [e["counter_value"] for e in events
	         if e["track_uuid"] == power[0] and e["type"] == "TYPE_COUNTER"]
	print(watts)
	tensor = [t["uuid"] for t in tracks
	          if t.get("name", "").startswith("tensor cores of GPU")]
	shares = [e["counter_value"] for e in events
	          if e["track_uuid"] == tensor[0] and e["type"] == "TYPE_COUNTER"]
	print(shares)
	assert len(tensor) == 1 and len(shares) > 5 and 38 <= max(shares) <= 41
	assert len(power) == 1 and len(watts) > 5 and watts[-1] == 0
	assert 98 <= min(watts[:-1]) <= 120 and 300 <= max(watts) <= 402
	P
}

# 100 W are its least, and it ran for so long.
idle() {
	[ -s "$scratch/got" ] || skip "there was no run"
	cells whole energy 'idle seconds' >"$scratch/idle"
	within "$(cut -f 1 "$scratch/idle")" \
		"$(awk '{ print $2 * 100 }' "$scratch/idle")" 1
}

state() {
	cells whole energy 'bus uuid least_watts most_watts sm_mhz memory_mhz used why celsius failures' |
		tr '\t' '|' >"$scratch/got"
	diff - "$scratch/got" <<-END
	00000000:1C:00.0|GPU-01000000-0000-0000-0000-000000000000|100|400|1500|2600|0.8|power cap|61|0
	END
}

phases() {
	cells whole phases 'phase joules' | tr '\t' '|' >"$scratch/got"
	cat "$scratch/got"
	for phase in warm solve inner; do
		is=$(awk -F '|' -v p="$phase" '$1 == p || $1 ~ "^" p " " {
			print $2 }' "$scratch/got")
		within "${is:-0}" "$(said whole "$phase")" 15 || return
	done
}

# The sum is the whole; what is above idle is divided 1 to 3.
paths() {
	cells whole paths 'work joules' >"$scratch/got"
	cat "$scratch/got"
	sum=$(awk '{ sum += $2 } END { print sum }' "$scratch/got")
	within "$sum" "$(cells whole energy joules)" 0.1 || return
	awk '{ of[$1] += $2 } END {
		print of["beta"] / of["alpha"] }' "$scratch/got" >"$scratch/times"
	within "$(cat "$scratch/times")" 3 1
}

# Of a path that is cut, the kernel and its caller stay.
cut_paths() {
	"$copse" report gpu-power --width 70 "$scratch/whole.copse" |
		sed -n '/^call paths/,$p' | grep '  alpha ← busy ← warm ← …$'
}

# use_cells NAME TABLE COLUMNS: of gpu-counters, with bars between.
use_cells() {
	"$copse" report gpu-counters "$scratch/$1.copse" -f csv -n 0 \
		--table "$2" >"$scratch/csv" || return
	awk -v columns="$3" -f "$srcdir/tests/lib/csv.awk" \
		"$scratch/csv" | tr '\t' '|'
}

# What is not told is not 0.
uses() {
	watts=$(cells whole energy watts)
	use_cells whole devices \
		'tensor memory sm_active occupancy fp32 fp64 pcie_received_rate' \
		>"$scratch/got"
	cat "$scratch/got"
	IFS='|' read -r tensor memory rest <"$scratch/got"
	[ "$rest" = '0.9|0.25|0||1.048576' ] &&
		within "$tensor" "$(awk -v w="$watts" 'BEGIN {
			print w / 1000 }')" 15 &&
		within "$memory" "$(awk -v w="$watts" 'BEGIN {
			print w / 500 }')" 15
}

# By construction 15, 40 and 30 %.
phase_uses() {
	use_cells whole phases 'phase tensor' >"$scratch/got"
	cat "$scratch/got"
	for truth in warm:0.15 solve:0.4 inner:0.3; do
		is=$(awk -F '|' -v p="${truth%:*}" '$1 == p || $1 ~ "^" p " " {
			print $NF }' \
			"$scratch/got")
		within "${is:-0}" "${truth#*:}" 15 || return
	done
}

# Without being asked for, once there is a GPU; it may be lacking without a word.
by_default() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml"
	"$copse" run --force -o "$scratch/default.copse" "$made" work 3 \
		>"$scratch/out" 2>"$scratch/err" || return
	cat "$scratch/out" "$scratch/err"
	grep 'tensor cores 2[05] % active, memory at [45]. % of its' \
		"$scratch/out" "$scratch/err" || return
	export MADE_NVML=mismatch
	"$copse" run --force -o "$scratch/lacking.copse" "$made" work 1 \
		>"$scratch/out" 2>&1 && ! grep 'tensor\|NVML' "$scratch/out"
}

no_gpm() {
	export MADE_NVML=nogpm
	measure nogpm nvml work 2 || return
	[ -z "$(use_cells nogpm devices tensor)" ] &&
		within "$(cells nogpm energy watts)" 200 1
}

checked() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml"
	"$copse" check >"$scratch/got"
	grep 'yes *use of GPUs .* 3 of 3 GPUs' "$scratch/got" || return
	MADE_NVML=nogpm "$copse" check >"$scratch/got"
	grep 'limited *use of GPUs .* 0 of 3 GPUs' "$scratch/got"
}

parts_are_the_whole() {
	sum=$(cells whole phases joules | awk '{ s += $1 } END { print s }')
	within "$sum" "$(cells whole energy joules)" 1
}

in_summary() {
	"$copse" report "$scratch/whole.copse" >"$scratch/summary"
	grep -A 1 'GPUs used 1[.][0-9]* kJ' "$scratch/summary" |
		tr '\n' ' ' | grep -q 'idle, .* for beta' && return
	cat "$scratch/summary"
	return 1
}

costs_little() {
	cost=$(cells whole energy reading)
	echo "reading: $cost of a core"
	awk -v c="$cost" 'BEGIN { exit !(c > 0 && c < 0.05) }'
}

# The other device of CUDA's is the first of NVML's, at 50 W.
by_name_not_number() {
	measure second nvml work 1.5 1 || return
	cells second energy 'device uuid watts' >"$scratch/got"
	cat "$scratch/got"
	grep -q '^1	GPU-.*-000000000001	' "$scratch/got" &&
		within "$(cut -f 3 "$scratch/got")" 50 1
}

# Each reads the one GPU: 200 W are not 400.
shared() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml"
	need mpirun
	[ -e "$builddir/tests/gpu/made-mpi" ] || skip "built without MPI"
	mpirun -n 2 "$copse" run -q --force -o "$scratch/shared.copse" \
		--gpu-power=on "$builddir/tests/gpu/made-mpi" || return
	cells shared energy 'device readers watts joules seconds' \
		>"$scratch/got"
	cat "$scratch/got"
	[ "$(wc -l <"$scratch/got")" = 1 ] || return
	# shellcheck disable=SC2046 # its columns
	set -- $(cat "$scratch/got")
	[ "$2" = 2 ] && within "$3" 200 1 &&
		within "$4" "$(awk -v s="$5" 'BEGIN { print 200 * s }')" 1
}

# fails NAME NVML MODE TRUTH: as without copse, and why is said once.
fails() {
	began=$(date +%s%3N)
	measure "$1" "$2" work 2
	is=$?
	took=$(($(date +%s%3N) - began))
	cat "$scratch/$1.err"
	[ $is = 0 ] || { echo "status $is"; return 1; }
	[ $took -lt 20000 ] || { echo "it took $took ms"; return 1; }
	[ "$(grep -c "power of GPUs: .*$3" "$scratch/$1.err")" = 1 ] ||
		{ echo "it does not say once: $3"; return 1; }
	[ -s "$scratch/$1.copse/rank-0.h5" ]
}

missing() {
	fails missing no-such-folder 'no libnvidia-ml.so.1' &&
		"$copse" report gpu-power "$scratch/missing.copse" |
		grep -q 'was not read'
}

mismatch() {
	MADE_NVML=mismatch
	export MADE_NVML
	fails mismatch nvml 'mismatch (error 18)'
}

bare() {
	fails bare nvml-bare 'too old: it has no nvmlDeviceGetPowerUsage'
}

hangs_at_start() {
	MADE_NVML=hang-start
	export MADE_NVML
	fails hang-start nvml 'does not answer' && wait_for no_meter_is_left
}

no_meter_is_left() {
	for status in /proc/[0-9]*/status; do
		grep -qs '^Name:	copse-meter' "$status" || continue
		pid=${status#/proc/}
		pid=${pid%/status}
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
			grep -q "$scratch" || continue
		echo "process $pid is left"
		return 1
	done
}

# keeps NAME FAULT TRUTH: what came before is there.
keeps() {
	MADE_NVML=$2
	export MADE_NVML
	fails "$1" nvml "$3" || return
	cells "$1" energy 'readings watts' >"$scratch/got"
	cat "$scratch/got"
	[ "$(cut -f 1 "$scratch/got")" -ge 3 ] &&
		within "$(cut -f 2 "$scratch/got")" 200 1 || return
	"$copse" report gpu-power "$scratch/$1.copse" >"$scratch/got"
	grep -q '1 of 1 GPUs could be read for a part of the run' \
		"$scratch/got" && return
	cat "$scratch/got"
	return 1
}

# At 200 W all the time nobody knows what is idle.
never_idle() {
	[ -d "$scratch/shared.copse" ] || skip "there was no run"
	"$copse" report gpu-power "$scratch/shared.copse" |
		grep '1 of 1 GPUs were never seen idle'
}

# By power alone, and nothing is wrong with that.
no_counter() {
	MADE_NVML=nocounter
	export MADE_NVML
	measure nocounter nvml work 2 || return
	! grep 'power of GPUs' "$scratch/nocounter.err" || return
	cells nocounter energy 'by watts' >"$scratch/got"
	cat "$scratch/got"
	[ "$(cut -f 1 "$scratch/got")" = power ] &&
		within "$(cut -f 2 "$scratch/got")" 200 1
}

# What another GPU does not tell is not the user's trouble.
other_fails() {
	MADE_NVML=other
	export MADE_NVML
	measure other nvml work 2 || return
	! grep 'power of GPUs' "$scratch/other.err" || return
	within "$(cells other energy watts)" 200 1
}

lacks_functions() {
	measure old nvml-old work 2 || return
	! grep 'power of GPUs' "$scratch/old.err" || return
	cells old energy 'by sm_mhz used slowed celsius watts' |
		tr '\t' '|' >"$scratch/got"
	cat "$scratch/got"
	[ "$(cut -d '|' -f 1-5 "$scratch/got")" = 'power||||' ] &&
		within "$(cut -d '|' -f 6 "$scratch/got")" 200 1
}

killed() {
	began=$(date +%s.%N)
	measure killed nvml end 1
	[ $? = 137 ] || { echo "not killed"; return 1; }
	took=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
	cells killed energy 'watts seconds' >"$scratch/got"
	cat "$scratch/got"
	# It was read from before the program until after it.
	within "$(cut -f 1 "$scratch/got")" 200 1 &&
		awk -v lived="$(said killed lived)" -v took="$took" \
			'{ exit $2 < lived * 0.9 || $2 > took }' "$scratch/got"
}

# Everyone is killed: what is left in shared memory, or the last copy, has it.
all_killed() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml"
	"$copse" run -q --force -o "$scratch/lost.copse" --gpu-power=on \
		"$made" work 30 &
	parent=$!
	sleep 4
	kill -KILL $parent
	wait $parent
	wait_for no_meter_is_left || return
	"$copse" recover "$scratch/lost.copse" >"$scratch/recovered" 2>&1
	cells lost energy 'watts readings' >"$scratch/got"
	cat "$scratch/recovered" "$scratch/got"
	[ "$(cut -f 2 "$scratch/got")" -ge 10 ] &&
		within "$(cut -f 1 "$scratch/got")" 200 1
}

# Nothing is opened, started or kept unless it is asked for.
off() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml" MADE_NVML=mismatch
	"$copse" run --force --no-report -o "$scratch/off.copse" \
		--gpu-use=off "$made" work 1 \
		>"$scratch/off.out" 2>"$scratch/off.err" || return
	! grep 'power of GPUs' "$scratch/off.err" || return
	"$copse" report gpu-power "$scratch/off.copse" | grep -q 'was not read'
}

point "a GPU's energy is that of its known power" whole
point "power over time, for Perfetto" over_time
point "idle is the least power all the time" idle
point "clocks, use and why they were held down" state
point "phases have what was taken in them" phases
point "phases and the rest are all" parts_are_the_whole
point "call paths and idle are all, by time of kernels" paths
point "call paths that are cut have the kernel's caller" cut_paths
point "the summary has a sentence" in_summary
point "reading costs little, and says so" costs_little
point "GPUs are known by UUID, not by number" by_name_not_number
point "two ranks on a GPU: its energy is counted once" shared
point "a GPU that was never idle" never_idle
point "no counter of energy" no_counter
point "another GPU that cannot be read" other_fails
point "an NVML without what may be lacking" lacks_functions
point "no NVML" missing
point "a driver that is another's" mismatch
point "an NVML that lacks what is needed" bare
point "an NVML that hangs at its start" hangs_at_start
point "an NVML that hangs later" keeps hang hang 'does not answer'
point "an NVML that crashes" keeps crash crash 'ended by itself'
point "a GPU that is lost" keeps lost lost 'GPU is lost (error 15)'
point "a program that is killed" killed
point "copse run is killed as well" all_killed
point "what parts of the GPU were used for" uses
point "what they were used for in each phase" phase_uses
point "a GPU that does not tell" no_gpm
point "read without being asked for, twice a second" by_default
point "copse check says what NVML tells" checked
point "off: nothing of it" off
points_done
