#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# attach.sh - a program that runs is measured from outside: its shares and paths
# are right, it does not notice, and what cannot be measured is an error.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# started ARGUMENT…: the program, in the background, as $pid.
started() {
	"$programs/attached" "$@" >truth &
	pid=$!
}

# attached PROFILE OPTION…: $pid, until it ends.
attached() {
	profile=$1
	shift
	"$copse" attach --no-report -f -F 400 -o "$profile" "$@" "$pid" 2>said && return
	cat said
	grep -Eq 'seccomp|perf_event_paranoid' said &&
		skip "no perf events here: $(cat said)"
	return 1
}

# cells PROFILE COLUMNS: of the functions.
cells() {
	"$copse" report hotspots -n 0 -f csv "$1" >csv &&
		awk -v columns="$2" -f "$srcdir/tests/lib/csv.awk" csv
}

# has_truth PROFILE: two parts and one, as the program says, within 3 points.
has_truth() {
	cells "$1" 'function exclusive' >found
	cat truth found
	awk '$1 == "truth" { sum[$2] += $3; next }
		{ is[$1] = $2 }
		END {
			two = sum["two_parts"]
			print two / (two + sum["one_part"])
			print is["two_parts"] / (is["two_parts"] + is["one_part"])
		}' truth found >share
	near "$(sed -n 2p share)" "$(sed -n 1p share)" 0.03
}

# whole PROFILE PART: of so many samples the path is known to its root.
whole() {
	"$copse" info "$1" >info || return
	awk -v part="$2" '$1 == "samples" { all = $NF }
		$1 ~ /^partial/ { cut += $2 }
		END { print cut + 0, all; exit cut > (1 - part) * all }' info
}

shares() {
	started shares 8
	attached shares.copse && wait "$pid" && has_truth shares.copse &&
		whole shares.copse 0.98
}

threads() {
	started shares 2 4
	attached threads.copse && wait "$pid" && has_truth threads.copse &&
		whole threads.copse 0.98 || return
	"$copse" report threads -n 0 -f csv threads.copse
	"$copse" info threads.copse | grep -E '^ *threads'
}

# Above the first copy, and within the largest.
deep() {
	started deep 4 100
	attached deep.copse && wait "$pid" && has_truth deep.copse &&
		whole deep.copse 0.9
}

# Above all copies: what stays there is read as the program goes on.
far() {
	started deep 5 900
	attached far.copse && wait "$pid" && has_truth far.copse || return
	[ "$(wc -l <said)" = 1 ] || { cat said; skip "not allowed to trace"; }
	whole far.copse 0.9
}

# rank NUMBER: a process of a launcher of two, as $pid.
rank() {
	PMI_RANK=$1 PMI_SIZE=2 "$programs/attached" shares 2 >/dev/null &
	pid=$!
}

has_rank() {
	"$copse" info "ranks.copse/rank-$1.h5" >info && grep "host, pid .* $2\$" info
}

# Named in any order.
ranks() {
	rank 0
	first=$pid
	rank 1
	sleep 0.2
	"$copse" attach --no-report -o ranks.copse "$pid" "$first" 2>said || {
		cat said
		return 1
	}
	wait "$first" "$pid"
	has_rank 0 "$first" && has_rank 1 "$pid" &&
		"$copse" report ranks ranks.copse
}

# What is in the kernel has no samples for users, and is one line.
as_user() {
	for_others attached
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$programs/attached" "$1" "${2:-3}" "${3:-1}" >truth &
	pid=$!
	chmod 777 .
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$copse" attach --no-report -f -F 400 -o "$scratch/$1-user.copse" "$pid" \
		2>said || { cat said; return 1; }
	cat said
	wait "$pid"
}

user_shares() {
	as_user shares && has_truth shares-user.copse
}

# More threads than rings that may be locked: they take turns, and what was seen
# of each stands for all of it.
user_turns() {
	# shellcheck disable=SC3045 # dash has it
	ulimit -l 0
	as_user shares 0.15 $((60 * $(nproc --all))) || return
	grep turns said || skip "there is room for all rings"
	has_truth shares-user.copse >shares || { tail -n 9 shares; return 1; }
	cells shares-user.copse exclusive >found
	awk 'FNR == NR { found += $1; next } { sum += $3 }
		END { print found, "of", sum
			exit found < 0.75 * sum || found > 1.15 * sum }' found truth
}

# Several processes share what may be locked.
user_processes() {
	for_others attached
	# shellcheck disable=SC3045 # dash has it
	ulimit -l 0
	count=$((5 * $(nproc --all)))
	pids=
	for _ in $(seq "$count"); do
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$programs/attached" shares 0.2 4 >/dev/null &
		pids="$pids $!"
	done
	chmod 777 .
	# shellcheck disable=SC2086 # a list of words
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$copse" attach --no-report -F 400 -o "$scratch/many.copse" \
		$pids 2>said || { cat said; return 1; }
	cat said
	! grep -q turns said && "$copse" report ranks -n 0 -f csv many.copse >csv &&
		[ "$(wc -l <csv)" = $((count + 1)) ]
}

# Most of the time is on its line.
kernel_line() {
	as_user kernel || return
	"$copse" report hotspots -m cpu.time -n 0 -f csv kernel-user.copse >csv &&
		awk -v columns='function share' \
			-f "$srcdir/tests/lib/csv.awk" csv >found
	cat found
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] ||
		skip "users have samples of the kernel here"
	awk '$1 == "partial.kernel" { part = $2 } END { exit part < 0.7 }' found
}

waits() {
	started waits 5
	attached waits.copse && wait "$pid" || return
	[ "$(wc -l <said)" = 1 ] || { cat said; skip "not allowed to trace"; }
	"$copse" report tree -m wall.time -n 0 -f folded waits.copse >folded
	cat folded
	awk '/main;sleeper;.*nanosleep/ { in_it += $NF }
		{ all += $NF } END { exit in_it < 0.8 * all }' folded
}

# python ARGUMENT…: a program of Python, attached to until it ends.
python() {
	/usr/bin/python3 "$@" >/dev/null &
	pid=$!
	wait_for has_worked "$pid" 5
	attached python.copse -F 1000 && wait "$pid" || return
	[ "$(wc -l <said)" = 1 ] || { cat said; skip "not allowed to trace"; }
}

# chains THREADS SECONDS TURNS: functions that are named by their callers are on these
# paths, on lines of theirs, and next to all samples have some.
chains() {
	need /usr/bin/python3
	chains=$srcdir/tests/programs/python-chains.py
	/usr/bin/python3 "$chains" write "$1" "$2" "$3" >chains.py &&
		python chains.py || return
	"$copse" report -m samples -f folded python.copse >folded &&
		"$copse" report hotspots --by-line -n 0 -f csv python.copse >csv ||
		return
	/usr/bin/python3 "$chains" check chains.py folded csv || return
	whole python.copse 0.95
}

# Of four threads that short functions share by Python's lock, which each is in
# for as long as it says.
python_shares() {
	need /usr/bin/python3
	cat >shares.py <<-'EOM'
		import threading, time
		def little(): return sum(range(20))
		def two_parts():
		    for _ in range(200): little()
		def one_part():
		    for _ in range(100): little()
		def work():
		    until = time.process_time() + 6
		    while time.process_time() < until:
		        two_parts()
		        one_part()
		for _ in range(4): threading.Thread(target=work).start()
	EOM
	python shares.py || return
	cells python.copse 'function inclusive' >found
	cat found
	awk '{ is[$1] = $2 }
		END { print is["two_parts"] / (is["two_parts"] + is["one_part"]) }' \
		found >share
	near "$(cat share)" 0.667 0.04
}

# Where it waits, in C of its own or the system's.
python_waits() {
	need /usr/bin/python3
	cat >waits.py <<-'EOM'
		import threading, time
		def sleeper(): time.sleep(3)
		def awaited(): thread.join()
		thread = threading.Thread(target=sleeper)
		thread.start()
		time.process_time()
		sum(range(20000000))
		awaited()
	EOM
	python waits.py || return
	"$copse" report tree -m wall.time -n 0 -f folded python.copse >folded
	cat folded
	grep -q '<module>;awaited;Thread.join;.*wait' folded &&
		grep -q 'Thread.run;sleeper;.*sleep' folded
}

# twin NAME: a process with a function of that name, as $pid.
twin() {
	cat >"$1.py" <<-EOM
		import time
		def $1():
		    until = time.process_time() + 2
		    while time.process_time() < until: sum(range(100))
		$1()
	EOM
	PYTHONHASHSEED=0 setarch -R /usr/bin/python3 "$1.py" &
	pid=$!
}

# Processes that are alike have each its own functions at the same addresses.
python_twins() {
	need /usr/bin/python3
	twin east
	east=$pid
	twin west
	west=$pid
	wait_for has_worked "$east" 5
	wait_for has_worked "$west" 5
	"$copse" attach --no-report --no-waits -f -o twins.copse "$east" "$west" 2>said || {
		cat said
		grep -Eq 'seccomp|perf_event_paranoid' said && skip "no perf events"
		return 1
	}
	wait "$east" "$west"
	"$copse" report -m cpu.time -f folded twins.copse >folded
	cat folded
	awk '/<module>;east[; ]/ { l += $NF } /<module>;west[; ]/ { r += $NF }
		/east.*west|west.*east/ { exit 1 }
		END { exit l < 0.3 * (l + r) || r < 0.3 * (l + r) }' folded
}

# It is attached to and left again and again, and killed once.
unnoticed() {
	started calm 8
	for _ in $(seq 10); do
		"$copse" attach --no-report -f -d 0.05 -o calm.copse "$pid" 2>said
		grep -E 'seccomp|paranoid is' said && skip "no perf events"
	done
	"$copse" attach --no-report -f -o calm.copse "$pid" 2>said &
	tool=$!
	sleep 0.5
	kill -9 "$tool"
	grep -h '^State:' "/proc/$pid/task"/*/status
	grep -hq '^State:[[:space:]]*[Tt]' "/proc/$pid/task"/*/status && return 1
	"$copse" recover calm.copse || return
	wait "$pid" || return
	cat truth
	grep -qx 'early 0 sum 6299863613973285121' truth
}

# refused WORDS COMMAND…: by these words, with status 1.
refused() {
	words=$1
	shift
	"$@" 2>said
	status=$?
	cat said
	[ "$status" = 1 ] && grep -q "$words" said
}

errors() {
	refused 'no process 4000000' "$copse" attach -o none.copse 4000000 ||
		return
	"$copse" attach -o none.copse 2>said && return 1
	"$copse" attach -o none.copse one 2>said && return 1
	for_others attached
	sleep 20 &
	pid=$!
	chmod 777 .
	refused "another user's" setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$copse" attach -o none.copse "$pid" || return
	kill "$pid"
	[ ! -e none.copse ]
}

point "two thirds and one third" shares
point "four threads" threads
point "a deep stack" deep
point "a stack above all copies" far
point "ranks of a launcher" ranks
point "another user's own program" user_shares
point "more threads than rings" user_turns
point "rings of several processes" user_processes
point "time in the kernel" kernel_line
point "the path of a thread that waits" waits
point "functions of Python" chains 1 3 1
point "of threads of Python, too" chains 3 1 1
point "shares of functions that threads run in turns" python_shares
point "what functions of Python wait for" python_waits
point "processes of Python that are alike" python_twins
point "the program does not notice" unnoticed
point "what cannot be measured is an error" errors
points_done
