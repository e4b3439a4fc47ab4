#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# signals.sh - a signal reaches the program once, whether it was sent to
# `copse run` alone or to the process group; stopping and going on included.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

# Notes what it gets; ends by itself after a while.
cat >listener <<'S'
#!/bin/sh
trap 'echo USR1 >>got' USR1
trap 'echo INT >>got' INT
trap 'echo HUP >>got' HUP
trap 'echo CONT >>got' CONT
trap 'echo end >>got; exit 7' TERM
echo $$ >pid
until [ -e stop ]; do i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done; done
S
chmod +x listener

fresh() {
	mkdir "$1" && cd "$1" && cp ../listener .
}

# grouped COMMAND…: as a shell with job control starts it; others ignore INT
# for what runs in the background, nohup HUP.
grouped() {
	exec perl -e 'setpgrp; @SIG{"INT", "HUP"} = ("DEFAULT") x 2; exec @ARGV' "$@"
}

# Start it in a process group of its own; $parent, $child.
start() {
	need perl
	grouped "$copse" run -q ./listener &
	parent=$!
	trap 'kill -s KILL "$parent"' EXIT
	wait_for test -s pid || exit 1
	child=$(cat pid)
}

# sent TO SIGNAL…: each arrives once; TERM last, with the program's status.
sent() {
	for signal in USR1 INT HUP CONT; do
		kill -s $signal -- "$1"
		wait_for grep -q "$signal" got || return 1
	done
	sleep 0.3
	kill -s TERM -- "$1"
	wait "$parent"
	code=$?
	cat got
	[ $code = 7 ] || { echo "status $code"; return 1; }
	printf '%s\n' USR1 INT HUP CONT end | diff - got
}

alone() {
	fresh "$1" && start && sent "$parent"
}

group() {
	fresh "$1" && start && sent "-$parent"
}

to_program() {
	fresh "$1" && start && sent "$child"
}

state() {
	grep -q "^State:.$2" "/proc/$1/status"
}

# ^Z and fg, and the same by kill.
stops() {
	fresh "$1" && start || return 1
	for to in "-$parent" "$parent"; do
		kill -s TSTP -- "$to"
		wait_for state "$child" T && wait_for state "$parent" T ||
			return 1
		kill -s CONT -- "$to"
		wait_for state "$child" '[RS]' && wait_for state "$parent" S ||
			return 1
	done
	touch stop
	wait "$parent"
}

# Someone stops the program only (a debugger): the parent must stay awake.
stopped_alone() {
	fresh "$1" && start || return 1
	kill -s STOP "$child"
	wait_for state "$child" T
	sleep 0.5
	! state "$parent" T || return 1
	kill -s CONT "$child"
	touch stop
	wait "$parent"
}

# The program signals its own group: that is between it and the group.
own_group() {
	fresh "$1" || return 1
	need perl
	grouped "$copse" run -q sh -c 'trap "echo USR1 >>got" USR1; kill -USR1 0
		sleep 0.3; exit 5' &
	wait $!
	code=$?
	[ $code = 5 ] && [ "$(cat got)" = USR1 ]
}

ticks_of() {
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# Once it has begun: libraries take longer to load where others have the cores.
no_busy_parent() {
	"$copse" run -q --checkpoint 1 sleep 4 &
	sleep 1
	before=$(ticks_of $!)
	sleep 2.5
	after=$(ticks_of $!)
	wait $!
	echo "$before ticks, then $after"
	[ $((after - before)) -le 5 ]
}

point "signals to copse run alone" alone a
point "signals to the process group" group b
point "signals to the program itself" to_program c
point "stopping and going on" stops d
point "a stopped program does not stop its parent" stopped_alone e
point "the program signals its group" own_group f
point "the parent costs next to no CPU" no_busy_parent
points_done
