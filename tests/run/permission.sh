#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# permission.sh - which clock root and an ordinary user get at each level of
# perf_event_paranoid, and that system calls keep their meaning with it.
#
# The level is changed for a point and put back at its end; root's programs,
# those of other tests among them, do not notice.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
level_file=/proc/sys/kernel/perf_event_paranoid

# set_level N: until this point ends.
set_level() {
	[ "$(id -u)" = 0 ] || skip "only root may change $level_file"
	before=$(cat $level_file) || skip "no $level_file"
	trap 'echo "$before" >$level_file' EXIT
	trap 'exit 99' HUP INT TERM
	echo "$1" 2>/dev/null >$level_file ||
		skip "$level_file cannot be written"
}

# as USER COMMAND…
as() {
	user=$1
	shift
	if [ "$user" = root ]; then
		"$@"
	else
		setpriv --reuid="$user" --regid="$(id -g "$user")" \
			--clear-groups "$@"
	fi
}

# keeps USER EVENTS PROGRAM ARGS…: all of its counts are 0.
keeps() {
	user=$1
	events=$2
	program=$3
	shift 3
	as "$user" timeout -k 10 120 "$copse" run -q -e "$events@10000" \
		--budget 0 --force -o "$program.copse" "$programs/$program" \
		"$@" >with || { echo "$program, $events: status $?"; return 1; }
	awk '!/ (0|is not here)$/ { print; bad = 1 } END { exit bad }' with
}

# gets USER LEVEL CLOCK…: one of these clocks, with which calls are right.
gets() {
	user=$1
	need setpriv
	id "$user" >/dev/null 2>&1 || skip "no user $user here"
	set_level "$2"
	shift 2
	for_others syscalls interrupts stops
	rm -rf own
	install -d -o "$user" own
	cd own || return
	for events in wall cpu; do
		keeps "$user" $events syscalls 4 1 &&
			keeps "$user" $events interrupts 4 1 &&
			keeps "$user" $events stops 4 || return
	done
	"$copse" report measurement syscalls.copse | tr -s '\n ' ' ' |
		grep -o 'asked for).*' >said || return
	cut -c 1-80 said
	for clock; do
		grep -q "$clock" said && return
	done
	return 1
}

# PAPI gives up there, and what libpfm knows is there all the same.
has_names() {
	[ -e "$builddir/libcopse-papi.so" ] || skip "built without PAPI"
	set_level 3
	"$copse" run -o named -e perf::PAGE-FAULT true >said 2>&1
	cat said
	grep 'closest that this machine has: perf::PAGE-FAULTS' said
}

point "root, level 3: names of events" has_names
for level in 1 2 3; do
	point "root, level $level" gets root $level "kernel time included"
done
point "a user, level 1" gets nobody 1 "kernel time included"
point "a user, level 2" gets nobody 2 "clock for user time"
# Debian's kernels know this level, others take it for 2.
point "a user, level 3" gets nobody 3 "CPU timer: few" "clock for user time"
points_done
