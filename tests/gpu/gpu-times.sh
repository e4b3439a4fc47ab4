#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-times.sh - when GPUs worked, who shared them, and what was done while they
# had nothing to do, with a made CUDA (tests/gpu/made-cuda.h) whose times follow
# from the programs.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT MADE_UUID
unset COPSE_GPU_CAPTURE

[ -e "$made-times" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }

# measure NAME MODE [OPTION…]: NAME.copse, and what it said.
measure() {
	name=$1
	mode=$2
	shift 2
	"$copse" run -q --force -o "$scratch/$name.copse" "$@" "$made-times" \
		"$mode" >"$scratch/$name.out"
}

# cells NAME REPORT TABLE COLUMNS: its rows, with blanks between.
cells() {
	"$copse" report "$2" "$scratch/$1.copse" -n 0 -f csv --table "$3" \
		>"$scratch/csv" || return
	awk -v columns="$4" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv" |
		tr '\t' ' '
}

# cell NAME REPORT TABLE COLUMN [ROW]
cell() {
	cells "$1" "$2" "$3" "$4" | sed -n "${5:-1}p"
}

# says NAME WORD…: the summary has all of them.
says() {
	"$copse" report "$scratch/$1.copse" --width 1000 >"$scratch/said" ||
		return
	shift
	for word; do
		grep -q "$word" "$scratch/said" && continue
		echo "not said: $word"
		cat "$scratch/said"
		return 1
	done
}

# is_near WHAT VALUE WANTED OFF
is_near() {
	near "$2" "$3" "$4" || { echo "$1: $2, not $3"; return 1; }
}

# idle_below NAME FUNCTION: seconds of gpu.idle on the paths with it.
idle_below() {
	"$copse" report tree "$scratch/$1.copse" -m gpu.idle -f folded |
		awk -v name="$2" '{ n = split($1, frame, ";")
			for (i = 1; i <= n; i++)
				if (frame[i] == name) { sum += $NF; break }
		} END { print sum / 1e6 }'
}

# worked LOG: what one device did, by what it says (MADE_LOG): seconds in which it
# was busy, had kernels, copies, and both; and how many kernels at once.
worked() {
	awk '$1 == "work" { kind = $2 == "kernel" ? "kernel" : "copy"
		print $4, kind, 1
		print $5, kind, -1 }' "$1" | LC_ALL=C sort -n |
		awk '{ s = ($1 - last) / 1e9; last = $1
			busy += s * (on["kernel"] + on["copy"] > 0)
			kernels += s * (on["kernel"] > 0)
			copies += s * (on["copy"] > 0)
			both += s * (on["kernel"] > 0 && on["copy"] > 0)
			each += s * on["kernel"]
			on[$2] += $3 }
			END { print busy, kernels, copies, both, each / kernels }'
}

# has_worked_so NAME: the report of NAME.copse says what NAME.log does.
has_worked_so() {
	# shellcheck disable=SC2046 # five numbers
	set -- "$1" $(worked "$scratch/$1.log")
	is_near busy "$(cell "$1" gpu-devices devices busy)" "$2" 0.0001 &&
		is_near kernels "$(cell "$1" gpu-devices devices kernels)" \
			"$3" 0.0001 &&
		is_near copies "$(cell "$1" gpu-devices devices copies)" \
			"$4" 0.0001 &&
		is_near overlap "$(cell "$1" gpu-devices devices overlap)" \
			"$5" 0.0001 &&
		is_near 'at once' "$(cell "$1" gpu-devices devices at_once)" \
			"$6" 0.001
}

# Unions of kernels and copies, not sums: they overlap, unless others take the
# core between calls.
unions() {
	MADE_LOG=$scratch/overlap.log measure overlap overlap || return
	has_worked_so overlap
}

by_stream() {
	cells overlap gpu-devices streams 'context stream kernels copies busy' |
		LC_ALL=C sort >"$scratch/got"
	diff - "$scratch/got" <<-END
	1 0 0 5 0.06
	1 1 1 0 0.08
	1 2 1 0 0.03
	1 3 1 0 0.03
	END
}

# The factors are of the run time, of what one device did.  However long it was:
# 130 ms were waited in calls at the least, 50 worked outside of them.
factors() {
	cells overlap efficiency host_device 'device_efficiency
		device_load_balance device_communication_efficiency
		orchestration_efficiency kernels_max elapsed host_efficiency
		mpi_efficiency offload_efficiency' >"$scratch/factors"
	awk -v kernels="$(cell overlap gpu-devices devices kernels)" \
		-v busy="$(cell overlap gpu-devices devices busy)" '
		function off(a, b) { return a - b > 0.001 || b - a > 0.001 }
		{ bad = off($1, $2 * $3 * $4) || off($1, $5 / $6) ||
			off($7, $8 * $9) || $2 != 1 ||
			off($3, kernels / busy) ||
			(1 - $9) * $6 < 0.1299 || $9 * $6 < 0.0499 }
		END { exit bad || NR != 1 }' "$scratch/factors" ||
		{ cat "$scratch/factors"; return 1; }
	says overlap 'Host efficiency .* %: the rest is inside calls' \
		'Device efficiency .* = load balance 100 % × communication'
}

# At a sample per second there is likely none: another time is shown then.
no_samples() {
	measure launched shared --freq 1 || return
	for what in nodes ranks values hatchet; do
		"$copse" export $what "$scratch/launched.copse" || return
	done >"$scratch/said"
	grep '(null)' "$scratch/said" && return 1
	grep -q '^[0-9]*,[0-9]*,call,0,cudaLaunchKernel,' "$scratch/said" &&
		"$copse" report hotspots "$scratch/launched.copse" \
			>"$scratch/said" || return
	grep 'hotspots by \(gpu.calls\|cpu\).time' "$scratch/said"
}

# Where elapsed time is sampled, each of the two gets its own.
causes() {
	measure idle idle -e cpu,wall || return
	"$copse" report measurement "$scratch/idle.copse" -f json |
		grep -q 'perf task clock' || skip 'no clock that samples waiting'
	for name in prepare rest; do
		took=$(awk -v name=$name '$1 == name { print $2 }' \
			"$scratch/idle.out")
		is_near $name "$(idle_below idle $name)" "$took" \
			"$(awk -v took="$took" 'BEGIN { print 0.3 * took }')" ||
			{ cells idle gpu-idle idle 'cause seconds call_path'
				return 1; }
	done
}

# Work, idle time with its reason, and what was before are all of the run.
adds_up() {
	cells idle gpu-idle idle 'seconds' | awk '{ sum += $1 }
		END { print sum }' >"$scratch/idle.sum"
	is_near 'idle and busy' \
		"$(awk '{ print $1 + 0.301 }' "$scratch/idle.sum")" \
		"$(cell idle gpu-devices devices elapsed)" 0.002 &&
		awk -v unknown="$(cells idle gpu-idle idle 'cause share' |
			awk '/not known/ { print $NF }')" \
			'BEGIN { exit unknown > 0.05 }'
}

# What it did most of, or else who called all of it.
summary() {
	says idle 'GPUs idle .* %[^:]*: the program was in .*\(spin\|prepare\|rest\|idle\) ' \
		'1 GPU busy for .* of the run'
}

# Half of it is named, however slowly it becomes less from callee to callee.
stairs() {
	measure stairs stairs || return
	"$copse" report "$scratch/stairs.copse" | tr -s '\n ' ' ' |
		sed -n 's/.*GPUs idle[^(]*(\([0-9]*\) % of it.*/\1/p' >"$scratch/of"
	cat "$scratch/of"
	[ "$(cat "$scratch/of")" -ge 40 ] && [ "$(cat "$scratch/of")" -le 65 ]
}

launches() {
	MADE_LAUNCH=5000 measure launches launches || return
	says launches 'Bound by the host: of [^ ]* ms the GPU works for' \
		'GPUs idle .* %[^:]*: the program was in cudaLaunchKernel ← launches'
}

# A program that others keep from its core does not launch meanwhile.
launch_bound() {
	launches && return
	cells launches gpu-idle idle 'cause share' | awk '
		/^\[(not running|queued)\]/ { away += $NF }
		END { print away; exit away < 0.3 }' &&
		skip 'others have the cores here'
	return 1
}

# The devices of one process; work by device.
two_devices() {
	measure devices devices || return
	cells devices gpu-devices devices 'device busy relative' >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	0 0.05 0.5
	1 0.15 1.5
	END
	cells devices gpu-devices ondevice 'work device count seconds' \
		>"$scratch/got"
	diff - "$scratch/got" <<-END || return
	alpha 0 10 0.05
	alpha 1 10 0.15
	END
	says devices '^GPU 1 on .* was busy 1.5 times the mean' \
		'2 GPUs busy for' 'Device efficiency .* load balance 67 %'
}

# together NAME TURN UUID: a second process, of that UUID, in that turn.
together() {
	soon=$("$made-times" soon)
	MADE_LOG=$scratch/$1.log "$copse" run -q --force -o "$scratch/$1.copse" sh -c "
		MADE_UUID=$3 '$made-times' shared $2 $soon &
		'$made-times' shared 0 $soon
		wait"
}

# CUPTI may have nothing to say of devices: then the driver is asked.
names() {
	cells devices gpu-devices devices 'uuid model' >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	GPU-01000000-0000-0000-0000-000000000000 Made 100
	GPU-01000000-0000-0000-0000-000000000001 Made 100
	END
	LD_PRELOAD=$builddir/tests/gpu/libmade-driver.so \
		MADE_FAULT=nodevices measure names devices || return
	cells names gpu-devices devices 'uuid model' >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	GPU-a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0 Made 200
	GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1 Made 201
	END
	MADE_FAULT=nodevices measure nameless devices || return
	cells nameless gpu-devices devices 'busy uuid' >"$scratch/got"
	diff - "$scratch/got" <<-END
	0.05 
	0.15 
	END
}

# In turn they are busy for the sum of both, at once for one of them, or for as
# long as the two together were, when others had the cores.
shared() {
	together turns 1 1 || return
	[ "$(cells turns gpu-devices devices busy | wc -l)" = 1 ] || return
	[ "$(cells turns gpu-devices shares rank | wc -l)" = 2 ] || return
	is_near 'in turn' "$(cell turns gpu-devices devices busy)" \
		"$(worked "$scratch/turns.log" | cut -d " " -f 1)" 0.01 &&
		together same 0 1 &&
		is_near 'at once' "$(cell same gpu-devices devices busy)" \
			"$(worked "$scratch/same.log" | cut -d ' ' -f 1)" \
			0.01 &&
		cells same gpu-devices devices 'busy_least busy busy_most' |
		awk '{ exit !($1 <= $2 && $2 <= $3 && $3 <= 0.5) }'
}

not_shared() {
	together apart 1 7 || return
	cells apart gpu-devices devices busy >"$scratch/got"
	diff - "$scratch/got" <<-END
	0.25
	0.25
	END
}

# What had been told when it was killed is there: 20 and 30 ms, side by side.
killed() {
	MADE_LOG=$scratch/killed.log "$copse" run -q --force -o "$scratch/killed.copse" "$made" killed
	[ $? = 137 ] || return
	has_worked_so killed &&
		cells killed gpu-devices streams 'stream kernels busy' \
			>"$scratch/got"
	diff - "$scratch/got" <<-END
	1 10 0.03
	0 20 0.02
	END
}

# A pause is nobody's idleness.
paused() {
	measure paused paused --from-start=off || return
	is_near busy "$(cell paused gpu-devices devices busy)" 0.04 0.0001 &&
		awk -v idle="$(idle_below paused paused)" \
			'BEGIN { exit idle > 0.02 }' ||
		{ cells paused gpu-idle idle 'cause seconds'; return 1; }
}

# Nor are many, one of which goes on to the end.
pauses() {
	measure pauses pauses --from-start=off || return
	is_near busy "$(cell pauses gpu-devices devices busy)" 0.12 0.0001 &&
		cells pauses gpu-idle idle 'cause share' | awk '
			/^[^(]/ { known += $NF }
			{ sum += $NF }
			END { print known, sum
				exit known > 0.2 || sum > 1 }' &&
		"$copse" report "$scratch/pauses.copse" >"$scratch/said" &&
		! grep -E '[1-9][0-9][1-9] %|[2-9]00 %' "$scratch/said" ||
		{ cells pauses gpu-idle idle 'cause seconds share'; return 1; }
}

# What is before the first work, and behind the last one.
ends() {
	measure ends ends || return
	cells ends gpu-idle idle 'cause seconds' >"$scratch/got"
	awk '{ off = $NF - ($1 == "(before" ? 0.1 : 0.2) }
		!/^\((before the first|after the last) work\)/ ||
			off < -0.005 || off > 0.1 { bad = 1 }
		END { exit bad || NR != 2 }' "$scratch/got" ||
		{ cat "$scratch/got"; return 1; }
	"$copse" report "$scratch/ends.copse" >"$scratch/said" || return
	! grep -E 'GPUs idle|aunch-bound' "$scratch/said"
}

many_streams() {
	measure streams streams || return
	cells streams gpu-devices streams kernels |
		awk '{ sum += $1; if ($1 > most) most = $1 }
			END { print NR, sum, most }' >"$scratch/got"
	[ "$(cat "$scratch/got")" = '513 600 88' ] ||
		{ cat "$scratch/got"; return 1; }
}

# 40 of 152 records have times that make no sense; all have a path.
records() {
	"$copse" run -q --force -o "$scratch/all.copse" "$made" all || return
	cells all gpu-kernels records 'what share attributed' >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	all 1 1
	END
	MADE_FAULT=reversed "$copse" run -q --force -o "$scratch/all.copse" \
		"$made" all || return
	cells all gpu-kernels records 'what records' >"$scratch/got"
	diff - "$scratch/got" <<-END
	all 152
	gpu.times 40
	END
}

ranges() {
	"$copse" run -q --force -o "$scratch/ranges.copse" "$made" ranges ||
		return
	cells ranges gpu-kernels ranges 'range calls' | LC_ALL=C sort \
		>"$scratch/got"
	diff - "$scratch/got" <<-END || return
	inner 2
	outer 1
	wide 1
	END
	"$copse" run -q --force -o "$scratch/ranges.copse" \
		--nvtx-start-end=on "$made" ranges >"$scratch/ranges.out" || return
	cells ranges gpu-kernels ranges 'range calls kind' | LC_ALL=C sort \
		>"$scratch/got"
	diff - "$scratch/got" <<-END || return
	across a 1 start/end
	across b 1 start/end
	inner 2 push/pop
	outer 1 push/pop
	wide 1 push/pop
	END
	cells ranges gpu-kernels ranges 'range seconds' >"$scratch/got"
	# As long as the program says, to the microseconds that it prints.
	awk 'NR == FNR { least[$2] = $3; most[$2] = $4; next }
		$1 == "across" { n++
			if ($3 < least[$2] - 2e-6 || $3 > most[$2] + 2e-6)
				bad = 1
		} END { exit bad || n != 2 }' \
		"$scratch/ranges.out" "$scratch/got" ||
		{ cat "$scratch/ranges.out" "$scratch/got"; return 1; }
}

# did LOG OUT: what GPUs did in the steps that OUT has, by LOG: time of all steps,
# of kernels, of NCCL (its kernels have 4 ms) without another
# kernel, and in which there was no work; the number of the longest, its time.
did() {
	awk -v OFMT=%.9f 'BEGIN { n = k = 0 }
		FILENAME != ARGV[1] { begin[n] = $3; end[n++] = $4; next }
		$2 == "kernel" { s[k] = $4; e[k++] = $5 }
		# Of i what none of the others covers, from a to b.
		function alone(i, a, b, all,   j, at, next_at, sum, in_it) {
			for (at = a; at < b; at = next_at) {
				next_at = b
				in_it = 0
				for (j = 0; j < k; j++) {
					if (j == i || !all && e[j] - s[j] == 4000000)
						continue
					if (s[j] <= at && e[j] > at)
						in_it = 1
					if (s[j] > at && s[j] < next_at)
						next_at = s[j]
					if (e[j] > at && e[j] < next_at)
						next_at = e[j]
				}
				sum += in_it ? 0 : next_at - at
			}
			return sum
		}
		END {
			for (i = 0; i < n; i++) {
				t = end[i] - begin[i]
				time += t
				# Before the first work nothing is idle.
				idle += alone(-1, begin[i] > s[0] ? begin[i] : s[0], end[i], 1)
				if (t > most) { most = t; longest = i }
			}
			for (i = 0; i < k; i++) {
				kernels += e[i] - s[i]
				if (e[i] - s[i] == 4000000)
					exposed += alone(i, s[i], e[i], 0)
			}
			print time / 1e9, kernels / 1e9, exposed / 1e9,
				idle / 1e9, longest, most / 1e9
		}' "$1" "$2"
}

# Names that differ in digits are one; work of a thread without ranges is in
# those of the first thread that has some.  Between the clocks of program and
# copse is a thread that may lose its core, 40 times.
steps() {
	rm -f "$scratch/log"
	MADE_LOG=$scratch/log "$copse" run -q --force \
		-o "$scratch/steps.copse" "$made" steps 40 >"$scratch/out" ||
		return
	grep ^range "$scratch/out" >"$scratch/truth"
	# Those behind the steps are 7 kernels of 1 ms.
	did "$scratch/log" "$scratch/truth" >"$scratch/did"
	read -r time kernels exposed idle longest most <"$scratch/did"
	cells steps gpu-ranges ranges 'calls launches copies range' |
		LC_ALL=C sort >"$scratch/got"
	diff - "$scratch/got" <<-END || return
	1 1 0 conv2d
	40 120 0 Train step #
	40 80 0 forward
	6 6 0 layer #
	END
	cells steps gpu-ranges ranges 'seconds kernels exposed idle range' |
		grep Train >"$scratch/got"
	read -r seconds worked alone none rest <"$scratch/got"
	is_near time "$seconds" "$time" 0.02 &&
		is_near kernels "$worked" "$(awk -v all="$kernels" \
			'BEGIN { print all - 0.007 }')" 1e-6 &&
		is_near exposed "$alone" "$exposed" 1e-5 &&
		is_near idle "$none" "$idle" 0.02 || return
	cells steps gpu-ranges longest 'name seconds' | grep Train >"$scratch/got"
	read -r a b name seconds rest <"$scratch/got"
	echo "$a $b"
	[ "$name" = "$longest" ] || echo "Step $longest was the longest."
	is_near longest "$seconds" "$most" 0.01
}

# The tree, and so what is merged, is the same for more steps; few names stay.
steps_in_tree() {
	"$copse" run -q --force -o "$scratch/more.copse" "$made" steps 200 \
		>"$scratch/out" || return
	for name in steps more; do
		"$copse" report tree "$scratch/$name.copse" -m gpu.time \
			-f folded | sed 's/ [0-9]*$//' | LC_ALL=C sort \
			>"$scratch/$name.tree"
	done
	diff "$scratch/steps.tree" "$scratch/more.tree" || return
	cut -d ';' -f 1 "$scratch/more.tree" | uniq >"$scratch/got"
	grep -vx 'main\|backward' "$scratch/got" | diff - /dev/fd/3 3<<-END
	Train step #
	conv2d
	layer 0
	layer 1
	layer 2
	END
}

# What is not kept is counted, and its work is that of the range around it.
many_ranges() {
	"$copse" run -q --force -o "$scratch/items.copse" "$made" many-ranges ||
		return
	[ "$(cells items gpu-ranges ranges 'range calls launches' |
		grep outer)" = "outer 1 4000" ] || return
	kept=$(cells items gpu-ranges ranges calls |
		awk '{ sum += $1 } END { print sum }')
	lost=$("$copse" report "$scratch/items.copse" -f csv --table losses |
		awk -F , '$1 == "gpu.ranges" { print $2 }')
	echo "$kept kept, ${lost:-0} lost"
	[ "$((kept + ${lost:-0}))" = 40001 ]
}

# By their own clocks.
meeting() {
	[ -e "$made-meet" ] || skip "no wrappers for Open MPI were built"
	need mpirun.openmpi
	mpirun.openmpi --oversubscribe -n 2 "$copse" run -q --force \
		-o "$scratch/meet.copse" "$made-meet" >"$scratch/met" || return
	truth=$(awk '$1 == "met" { sum += $2 } END { print sum }' "$scratch/met")
	is_near MPI_Allreduce "$(cells meet gpu-idle idle \
		'seconds cause call_path' |
		awk '$2 == "MPI_Allreduce" && / meet / { sum += $1 }
			END { print sum }')" "$truth" \
		"$(awk -v truth="$truth" 'BEGIN { print truth / 10 }')" ||
		{ cells meet gpu-idle idle 'cause seconds'; return 1; }
	is_near imbalance "$(cell meet gpu-kernels balance imbalance)" 0.333 \
		0.001 && [ "$(cell meet gpu-kernels balance max_rank)" = 1 ] &&
		says meet 'Host efficiency .* = MPI .* × offload' \
			'ranks were in MPI_Allreduce ← meet'
}

# A GPU each, which both call 0.
meeting_apart() {
	[ -e "$made-meet" ] || skip "no wrappers for Open MPI were built"
	need mpirun.openmpi
	set -- "$copse" run -q --force -o "$scratch/apart.copse" "$made-meet"
	mpirun.openmpi --oversubscribe -n 1 -x MADE_UUID=1 "$@" : \
		-n 1 -x MADE_UUID=2 "$@" >"$scratch/met" || return
	says apart '^GPU 0 of rank 1 on .* was busy 1.3 times the mean' \
		'2 GPUs busy for' &&
		cells apart gpu-devices devices 'device ranks busy relative' \
			>"$scratch/got"
	diff - "$scratch/got" <<-END
	0 0 0.2 0.666667
	0 1 0.4 1.333333
	END
}

# Launches are apart where others have the core between them.
point "unions of kernels and copies, and their overlap" unions
point "streams" by_stream
point "the factors of host and device" factors
point "a run without samples" no_samples
point "causes of idle time" causes
point "idle and busy time add up" adds_up
point "the summary of an idle GPU" summary
point "a cause has half of the idle time" stairs
point "launch-bound" launch_bound
point "two devices of a process" two_devices
point "what devices are called" names
point "a device that processes share" shared
point "devices of one number that are two" not_shared
point "a process that was killed" killed
point "a pause is not idle time" paused
point "nor are many" pauses
point "nor is start-up, or the end" ends
point "more streams than there is room for" many_streams
point "records and their losses" records
point "ranges" ranges
point "what GPUs do for ranges" steps
point "ranges that differ in digits are one" steps_in_tree
point "more ranges than there is room for" many_ranges
# That they waited most of all, on a core that others do not take.
point "ranks that wait leave their devices idle" meeting
point "a device for each rank" meeting_apart
points_done
