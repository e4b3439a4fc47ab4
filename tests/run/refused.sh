#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# refused.sh - where the kernel is old, or a container forbids something, a
# program is measured all the same, its calls are right, and what is lost is
# said.  doc/decisions/kernels.md has the calls; tests/system/kernel.sh runs
# such a kernel.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
refuse=$programs/refuse

# begin RULES: of those of tests/programs/refuse.c.
begin() {
	"$refuse" "$1" true || skip "no sandbox here"
}

# shares_of [COMMAND…]: each within 15 points of what it is, also of the few
# samples of a timer.
shares_of() {
	"$@" "$copse" run -q --no-report --force -o shares.copse \
		"$programs/shares" ${work-1} >out || return
	"$copse" report hotspots shares.copse -n 0 -f csv >csv || return
	awk -v columns='function inclusive' -f "$srcdir/tests/lib/csv.awk" csv |
		awk -f "$srcdir/tests/lib/truth.awk" out - >compared
	cat compared
	awk '/^worst/ { n++; bad = $2 > 15 } END { exit n != 1 || bad }' compared
}

# counts_of COMMAND…: of calls that ended otherwise than without copse: 0.
counts_of() {
	for program in 'syscalls 10 1' 'interrupts 10 1' 'stops 4'; do
		# shellcheck disable=SC2086 # words
		"$@" timeout -k 10 300 "$copse" run -q --no-report --force \
			-o counts.copse -e cpu@10000,wall --budget 0 \
			"$programs"/$program >out || return
		awk '!/ (0|is not here)$/ { print; bad = 1 }
			END { exit bad }' out || return
	done
}

# says ROW WORDS COMMAND…: what copse check says of a clock.
says() {
	row=$1
	words=$2
	shift 2
	"$@" "$copse" check -f csv >answer || { cat answer; return 1; }
	grep ",$row," answer | tee row
	grep -q "$words" row
}

measures() {
	begin "$1"
	shares_of "$refuse" "$1"
}

calls_are_right() {
	begin "$1"
	counts_of "$refuse" "$1"
}

uses_timer() {
	begin "$1"
	says cpu 'timer:.*samples.*ticks.*points off' "$refuse" "$1" &&
		says 'perf events' "at most [0-9]* per second.*$2" \
			"$refuse" "$1"
}

# Numbers from 5.13 to 5.17: its perf events could be opened, and kill.
version() {
	need setarch
	old="setarch --uname-2.6"
	# shellcheck disable=SC2086 # words
	shares_of $old && says kernel 'Linux 5.18 or newer' $old &&
		says 'perf events' 'too old.*Linux 5.18 or newer' $old &&
		says cpu timer: $old || return
	[ -e "$builddir/libcopse-papi.so" ] || return 0
	# shellcheck disable=SC2086 # words
	$old "$copse" run --no-report -o sampled.copse --force \
		-e cpu,wall,perf::PAGE-FAULTS@1000 true 2>err
	cat err
	grep -q 'PAGE-FAULTS cannot be sampled' err &&
		grep -q 'does not allow waiting to be sampled' err
}

# The process that watches for signals has none of the program's open, however
# many there may be.
close_range() {
	begin newer
	"$refuse" newer "$copse" run -q --no-report -o closed.copse sleep 60 \
		8</dev/null 9</dev/null &
	pid=$!
	wait_for has_one_descriptor $pid
	is=$?
	kill $pid
	wait $pid
	return $is
}

# has_one_descriptor PARENT
has_one_descriptor() {
	for child in $(cat "/proc/$1/task/$1/children"); do
		[ "$(cat "/proc/$child/comm")" = copse-signals ] &&
			[ "$(ls "/proc/$child/fd")" = 0 ] && return
	done
	return 1
}

# hidden MOUNTPOINT OPTION COMMAND…: below another file system there.
hidden() {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	where=$1
	option=$2
	shift 2
	case $option in
	hidepid*) type=proc ;;
	*) type=tmpfs ;;
	esac
	# shellcheck disable=SC2016 # words of the inner shell
	unshare -m sh -c 'mount -t $0 -o $1 none $2 && shift 2 && exec "$@"' \
		$type "$option" "$where" "$@"
}

# measures_without MOUNTPOINT OPTION
measures_without() {
	need python3
	shares_of hidden "$@" && hidden "$@" "$copse" check -f json >check.json &&
		! grep '"no"' check.json || return
	python3 - <<-EOF
	import json
	for row in json.load(open("check.json"))["tables"]["probes"]:
	    assert row["state"] != "limited" or row["instead"] or row["mend"], row
	EOF
}

no_proc() {
	hidden /proc ro "$copse" run -o proc.copse sh -c 'exit 7' 2>err
	is=$?
	cat err
	[ $is = 7 ] && [ ! -e proc.copse ] && grep 'unmeasured: .*/proc' err
}

# Other processes are not seen, and memory for 258 events (of two cores) but not
# for all threads.
a_user() {
	for_others shares
	mkdir -m 777 -p open
	cd open && work='2 300' shares_of hidden /proc hidepid=2 setpriv \
		--reuid=65534 --regid=65534 --clear-groups prlimit --memlock=0
}

all=newer,advice,perf,readv
for rules in newer advice readv; do
	point "refused: $rules" measures $rules
done
for rules in fields perf noperf $all; do
	point "refused: $rules" measures $rules
	point "refused: $rules: the clock is the timer" uses_timer $rules \
		'seccomp profile'
done
point "refused: $all: calls" calls_are_right $all
for where in /sys /proc/sys; do
	point "no $where" measures_without $where ro
done
point "no /proc" no_proc
point "a user with hidepid=2 and no locked memory" a_user
point "a kernel before 5.18" version
point "descriptors without close_range" close_range
points_done
