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
		"$programs/attached" "$1" 3 >truth &
	pid=$!
	chmod 777 .
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$copse" attach --no-report -F 400 -o "$scratch/$1-user.copse" "$pid" \
		2>said || { cat said; return 1; }
	cat said
	wait "$pid"
}

user_shares() {
	as_user shares && has_truth shares-user.copse
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
point "time in the kernel" kernel_line
point "the path of a thread that waits" waits
point "the program does not notice" unnoticed
point "what cannot be measured is an error" errors
points_done
