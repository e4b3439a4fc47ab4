#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# papi.sh - events by call path: those that the kernel counts, whose number
# the programs know, so that no hardware counter is needed.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
unset COPSE_GROUPS COPSE_COUNTERS

faults=perf::PAGE-FAULTS

# Whether an event can be sampled here at all; says why not.
need_events() {
	[ -e "$builddir/libcopse-papi.so" ] ||
		skip "this copse was built without PAPI"
	"$copse" run --strict -o probe.copse -e $faults@100 true \
		>out 2>err
	grep -e 'no event' -e 'cannot be sampled' err && exit 77
	rm -rf probe.copse
}

# measure DIR MODE OPTION…: the program's truths are in DIR.out.  $on: words
# before the command.
measure() {
	dir=$1
	mode=$2
	shift 2
	rm -rf "$dir"
	# shellcheck disable=SC2086 # a list of words
	${on-} "$copse" run -o "$dir" "$@" "$programs/events" "$mode" \
		>"$dir.out" 2>"$dir.err" ||
		{ echo "exit status $?"; cat "$dir.out" "$dir.err"; return 1; }
}

truth() {
	awk -v name="$2" '$1 == "truth" && $2 == name { print $3 }' "$1.out"
}

# value DIR FUNCTION EVENT [inclusive]: of that function.
value() {
	"$copse" report hotspots "$1" -m "papi.$3" -f csv >csv || return
	awk -v columns="function ${4-exclusive}" -f "$srcdir/tests/lib/csv.awk" csv |
		awk -F '\t' -v f="$2" '$1 == f { v = $2 } END { print v + 0 }'
}

# as_counted DIR FUNCTION EVENT TOLERANCE
as_counted() {
	near "$(value "$1" "$2" "$3")" "$(truth "$1" "$2")" "$4" ||
		{ echo "$3 of $2"; cat csv; return 1; }
}

each_page() {
	need_events
	measure a plain -e $faults@1 || return
	# A few of the collector's own come before it looks the first time.
	as_counted a touch_one $faults 10 && as_counted a touch_three $faults 10
}

within_a_period() {
	need_events
	measure b plain -e $faults@100 || return
	as_counted b touch_one $faults 100 &&
		as_counted b touch_three $faults 100
}

# A page fault is a minor fault as well: one signal for both, and once it was
# all of one and none of the other.  Ticks that read several counters are dear,
# so some are dropped, and their pages counted by what the thread does next.
several() {
	need_events
	measure c plain -e $faults@10 -e perf::MINOR-FAULTS@7 \
		-e perf::CPU-CLOCK || return
	for event in $faults perf::MINOR-FAULTS; do
		as_counted c touch_one $event 100 &&
			as_counted c touch_three $event 100 || return
	done
	[ "$("$copse" report counters c -f csv | wc -l)" = 4 ]
}

in_the_kernel() {
	need_events
	measure d plain -e perf::CONTEXT-SWITCHES@1 -e perf::CPU-MIGRATIONS@1 ||
		return
	grep 'no event' d.err && skip "this user may not watch the kernel"
	# More come when the machine is busy.
	for pair in sleep_often:CONTEXT-SWITCHES move_about:CPU-MIGRATIONS; do
		is=$(value d "${pair%:*}" "perf::${pair#*:}" inclusive)
		least=$(($(truth d "${pair%:*}") * 9 / 10))
		[ "$is" -ge $least ] ||
			{ echo "${pair#*:}: $is, not $least"; return 1; }
	done
}

# off_by DIR FUNCTION EVENT
off_by() {
	echo $(($(value "$1" "$2" "$3") - $(truth "$1" "$2"))) | tr -d -
}

# On one core they take it from each other, also in the handler: ticks that
# would be dropped after one that only seems to have taken long have their pages
# counted by what the thread does next, some 30 at a time.
threads() {
	need_events
	need taskset
	on="taskset -c $(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
		/proc/self/status)"
	off=0
	for _ in 1 2 3 4 5 6 7 8; do
		measure e threads -e $faults@1 || return
		for function in touch_one touch_three; do
			off=$((off + $(off_by e $function $faults)))
		done
		echo "off by $off so far"
	done
	[ $off -le 100 ] # it was some 300
}

# A core that others take for a moment costs some 30, as above; a child that is
# not measured, half of all.
forked() {
	need_events
	measure f fork -e $faults@1 || return
	as_counted f touch_one $faults 200 &&
		as_counted f touch_three $faults 200 &&
		[ "$(find f -name 'rank-0*.h5' | wc -l)" = 2 ]
}

# No sample is needed to count: what no sample took is on (no call path).
counted_only() {
	need_events
	measure g plain -e cpu@0 -e $faults || return
	is=$("$copse" report counters g -f csv |
		awk -v columns='event count' -f "$srcdir/tests/lib/csv.awk" |
		awk -F '\t' -v e=$faults '$1 == e { print $2 }')
	all=$(($(truth g touch_one) + $(truth g touch_three)))
	[ "$is" -ge $all ] && [ "$is" -le $((all + 500)) ] ||
		{ echo "$is, not $all and a few"; return 1; }
}

# What the clock reads: on the right function, apart from one period's.
at_samples() {
	need_events
	measure h plain -e cpu@5000 -e $faults || return
	near "$(value h touch_three $faults)" "$(truth h touch_three)" 1500
}

closed() {
	need_events
	measure i closed -e $faults@10 -e perf::MINOR-FAULTS || return
	"$copse" report measurement i >report || return
	grep -q 'counter.lost' report || { cat report; return 1; }
	# Until then they were counted.
	[ "$(value i touch_three $faults)" -ge 5900 ]
}

paused() {
	need_events
	measure p paused -e $faults@1 || return
	as_counted p touch_one $faults 10 && as_counted p touch_three $faults 10
}

# Programs that fork, exec, and use signals themselves do the same as without.
undisturbed() {
	need_events
	for program in forker execs signals; do
		"$programs/$program" >want 2>&1
		expected=$?
		"$copse" run -q -o "$program" -e $faults@3 -e perf::CS@1 \
			-e perf::MINOR-FAULTS "$programs/$program" >is 2>&1
		[ $? = $expected ] ||
			{ echo "$program: not $expected"; cat is; return 1; }
		# Times and process numbers differ, words do not.
		for file in want is; do
			sed 's/[0-9][0-9.]*/N/g' $file >$file.words
		done
		diff want.words is.words || return
	done
}

# The program has the numbers that it has without us.
numbers() {
	need_events
	need prlimit
	few='prlimit --nofile=64:'
	want=$($few "$programs/events" numbers)
	is=$($few "$copse" run -q -o j -e $faults@10 -e perf::MINOR-FAULTS \
		"$programs/events" numbers) || return
	[ -n "$want" ] && [ "$is" = "$want" ] ||
		{ echo "$is, not $want"; return 1; }
}

at_mpi_calls() {
	need_events
	need mpirun
	[ -x "$programs/mpi-events" ] || skip "mpi-events was not built"
	mpirun -n 4 "$copse" run -q -o k -e cpu@0 -e $faults \
		"$programs/mpi-events" >k.out 2>&1 || { cat k.out; return 1; }
	"$copse" report tree k -m papi.$faults -f csv --table tree >/dev/null
	"$copse" report hotspots k -m papi.$faults -f csv >csv || return
	is=$(value k rounds $faults)
	want=$(awk '$1 == "truth" { sum += $4 } END { print sum }' k.out)
	# Code and stacks of MPI that are touched between its calls, at most.
	near "$is" "$want" $((want / 50)) || { cat csv; return 1; }
}

ranks() {
	need_events
	[ -d k ] || skip "there is no run with MPI"
	"$copse" report imbalance k -m papi.$faults -f csv --table ranks >csv ||
		return
	awk -v columns='rank value' -f "$srcdir/tests/lib/csv.awk" csv >is
	[ "$(wc -l <is)" = 4 ] || { cat csv; return 1; }
	# 2000 more on each rank than on the one before.
	awk 'NR > 1 && ($2 - last < 1000 || $2 - last > 3000) { bad = 1 }
		{ last = $2 } END { exit bad }' is || { cat is; return 1; }
}

missing() {
	need_events
	measure l plain -e perf::PAGE-FAULT -e PAPI_NO_SUCH@5 || return
	cat l.err
	grep -q "'perf::PAGE-FAULT'.*closest.*${faults}[ ,]" l.err &&
		grep -q "'PAPI_NO_SUCH'.*goes on without" l.err || return
	"$copse" run --strict -e perf::PAGE-FAULT "$programs/events" plain \
		>out 2>err
	[ $? = 1 ] && [ ! -s out ]
}

# An event that the command tries out must not tick in the command itself.
tried_in_peace() {
	need_events
	LD_PRELOAD=$builddir/tests/storms/slow-close.so "$copse" run --quiet \
		-o r -e perf::CS@1 true 2>err
	is=$?
	cat err
	[ $is = 0 ]
}

# Each nanosecond would be more ticks than there is time for.
too_often() {
	need_events
	measure q plain -e perf::TASK-CLOCK@1 || return
	grep 'perf::TASK-CLOCK gets a longer period' q.err &&
		"$copse" report counters q -f csv | grep ',100000,'
}

without_papi() {
	mkdir -p bin
	cp "$copse" "$builddir/libcopse.so" "$builddir/libcopse-tools.so" \
		bin || return
	bin/copse run -o m -e PAPI_TOT_CYC "$programs/events" plain >out 2>err ||
		{ cat err; return 1; }
	cat err
	grep -q "PAPI_TOT_CYC.*libpapi-dev" err && [ -d m ]
}

# metric DIR NAME: of the groups.
metric() {
	"$copse" report counters "$1" --table derived -f csv >csv || return
	awk -v columns='metric value' -f "$srcdir/tests/lib/csv.awk" csv |
		awk -F '\t' -v m="$2" '$1 == m { print $2 }'
}

groups() {
	need_events
	measure n plain -g software || return
	rate=$(metric n 'page faults per second')
	[ -n "$rate" ] || { cat csv; return 1; }
	mkdir -p mine
	cat >mine/mine.ev <<-'G'
	title  mine
	event  a = perf::PAGE-FAULTS
	event  b = perf::NO-SUCH
	metric four = (a + a) / a * 2
	metric per second = a / time
	metric none = a / b
	G
	COPSE_GROUPS=$PWD/mine
	export COPSE_GROUPS
	[ "$(metric n four)" = 4 ] && [ "$(metric n 'per second')" = "$rate" ] &&
		[ -z "$(metric n none)" ] || { cat csv; return 1; }
	"$copse" report counters n >report && grep -q '^mine$' report
}

user_mode() {
	need_events
	for_others events
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] ||
		skip "kernel.perf_event_paranoid is not 2"
	mkdir -m 777 theirs
	chmod 755 .
	cd theirs || return
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$copse" run -o o -e $faults@10 -e perf::CONTEXT-SWITCHES \
		"$programs/events" >o.out 2>o.err
	err=$?
	cat o.err
	[ $err = 0 ] && grep -q 'user mode only' o.err &&
		grep -q "CONTEXT-SWITCHES'.*happens in the kernel" o.err ||
		return 1
	as_counted o touch_one $faults 20 && as_counted o touch_three $faults 20
	"$copse" report counters o | grep -q 'in user mode only'
}

# samples EVENTS: of the clock, in a second within the budget.
samples() {
	rm -rf budget
	"$copse" run -q --budget 1 -o budget -e "$1" \
		"$programs/kernel-time" 1 0.05 >/dev/null || return
	"$copse" report budget -m samples -f folded |
		awk '{ n += $NF } END { print n + 0 }'
}

# Their ticks cost far more than half of the budget, which the clock saves: it
# takes half of the samples.  Beside events each costs less, since the handler
# is in the caches, and where others use these it costs 0.6 times as much.
budget_is_one() {
	need_events
	for _ in 1 2 3 4 5; do
		samples cpu@4000 >>alone &&
			samples cpu@4000,$faults@10 >>beside || return
	done
	alone=$(sort -n alone | sed -n 3p) beside=$(sort -n beside | sed -n 3p)
	echo "$alone samples of the clock alone, $beside beside events (medians)"
	[ "$beside" -gt 100 ] && [ $((beside * 10)) -lt $((alone * 9)) ]
}

point "each page that is touched, by function" each_page
point "a period of 100: within a period" within_a_period
point "several events at once" several
point "context switches and migrations" in_the_kernel
point "four threads" threads
point "a forked child" forked
point "counted, without a clock" counted_only
point "counted, read at samples" at_samples
point "a program that closes all descriptors" closed
point "a pause stops events" paused
point "programs that fork, exec and signal" undisturbed
point "a program that needs all descriptors" numbers
point "counted, read at MPI calls" at_mpi_calls
point "ranks are compared by an event" ranks
point "an event that is missing" missing
point "a period that is too short" too_often
point "an event is tried in peace" tried_in_peace
point "a copse without PAPI" without_papi
point "groups and their formulas" groups
point "user mode only" user_mode
point "the clock saves what events cost" budget_is_one
points_done
