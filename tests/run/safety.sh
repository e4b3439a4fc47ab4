#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# safety.sh - a measured program does what it does unmeasured: system calls,
# signals, exec, with each clock, at 10,000 samples per second.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

hangs=900 # seconds: much more than any takes where others have the cores
# For longer where one asks for harm alone.
rounds=10 execs=80 more=
[ -z "${STORM_SECONDS-}" ] || rounds=30 execs=300

# unmeasured PROGRAM ARGS…: once for all clocks; `without` is its output.
unmeasured() {
	kept=$(basename "$*" | tr ' ' -)
	if [ ! -e "$kept.status" ]; then
		timeout -k 10 $hangs "$@" >"$kept.out" 2>&1
		echo $? >"$kept.status"
	fi
	cp "$kept.out" without
	status=$(cat "$kept.status")
}

# same CLOCK EVENTS PROGRAM ARGS…: the same output and exit status, and samples.
same() {
	clock=$1
	events=$2
	shift 2
	unmeasured "$@"
	rm -rf safe.copse
	COPSE_CLOCK=$clock timeout -k 10 $hangs "$copse" run --quiet -o safe.copse \
		-e "$events@10000" --budget 0 ${more:+--io=on --heap=on} "$@" >with 2>&1
	is=$?
	[ "$is" = "$status" ] || { echo "status $is, not $status"; cat with; return 1; }
	diff without with || return
	"$copse" report safe.copse -f csv >/dev/null ||
		{ echo "no profile"; return 1; }
}

# With what is asked for beside samples.
sealed() {
	more=yes
	same sigtrap "$1" "$programs/sealed"
}

# right CLOCK EVENTS PROGRAM: the same, each count 0, and ticks enough in all and
# near the calls; those of the timer are few.
right() {
	[ "$1" != timer ] || rounds=30
	same "$@" $rounds 1 || return
	awk '!/ (0|is not here)$/ { print; bad = 1 } END { exit bad }' with ||
		return
	"$copse" report safe.copse -m samples -f folded | awk -v clock="$1" '
		{ all += $NF }
		/;do_/ { near += $NF }
		END {
			print all + 0, "samples,", near + 0, "in the calls"
			if (clock == "sigtrap")
				exit !(all >= 1000 && near >= 20)
			exit !(all >= (clock == "mixed" ? 1000 : 100))
		}'
}

# No descriptor of ours below the limit, no clock in a pause, but else.
# shellcheck disable=SC3045 # bash and dash have it
descriptors() {
	[ "$(ulimit -Hn)" != 1024 ] || skip "the limit of descriptors is fixed"
	ulimit -Sn 1024
	"$programs/descriptors" >without 2>/dev/null
	COPSE_CLOCK=$1 "$copse" run --quiet -o descriptors.copse --force \
		"$programs/descriptors" >with 2>clocks || return
	diff without with || return
	cat clocks
	[ "$(grep -c 'clocks: [1-9]' clocks)" = 2 ]
}

# A page of tmpfs that cannot be had would be a SIGBUS.
full_memory() {
	unshare -m mount -t tmpfs -o size=20k tmpfs /dev/shm 2>/dev/null ||
		skip "cannot make a small /dev/shm"
	for size in 20k 60k 120k; do
		unshare -m sh -c 'mount -t tmpfs -o size=$0 tmpfs /dev/shm &&
			exec "$@"' $size "$copse" run --quiet \
			-o full-$size.copse "$programs/threads32" 0.02 >with || {
			echo "status $? with $size"
			return 1
		}
		grep -q '^truth' with || return
	done
}

# A file beyond the limit on sizes would be a SIGXFSZ.
small_files() {
	for blocks in 10 100 70000; do
		sh -c 'ulimit -f $0 && exec "$@"' $blocks "$copse" run --quiet \
			-o small-$blocks.copse "$programs/threads32" 0.02 |
			grep '^truth' >with || {
			echo "with $blocks blocks at most: no output"
			return 1
		}
	done
}

# Where address space is limited it is the program's: 400 of 586 MiB.
little_space() {
	need python3
	sh -c 'ulimit -v 600000 && exec "$@"' sh "$copse" run --quiet \
		-o space.copse python3 - <<-EOF && "$copse" info space.copse |
	import time
	until = time.process_time() + 0.2
	while time.process_time() < until:
	    pass
	bytearray(400 << 20)
	EOF
		grep 'samples  *count'
}

# Also where the program sets the limit, as late as it likes.
little_space_later() {
	need python3
	"$copse" run --quiet -o later.copse python3 - <<-EOF && "$copse" info later.copse |
	import resource, threading, time
	def work():
	    until = time.thread_time() + 0.1
	    while time.thread_time() < until:
	        pass
	work()
	resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
	resource.prlimit(0, resource.RLIMIT_AS, (550 << 20, 550 << 20))
	thread = threading.Thread(target=work)
	thread.start()
	work()
	thread.join()
	bytearray(400 << 20)
	EOF
		grep 'samples  *count'
}

# A program that locks its memory, before the first sample or behind it, does
# not lock what the profile may grow to, 256 MiB.
locked_memory() {
	need python3
	for first in 0 0.1; do
		"$copse" run --quiet --force -o locked.copse \
			python3 - $first <<-EOF || return
		import ctypes, sys, time
		def work(seconds):
		    until = time.process_time() + seconds
		    while time.process_time() < until:
		        pass
		work(float(sys.argv[1]))
		if ctypes.CDLL(None).mlockall(3):
		    print("memory cannot be locked here")
		    sys.exit()
		work(0.1)
		lines = [l for l in open("/proc/self/status") if "VmLck" in l]
		print(lines)
		assert int(lines[0].split()[1]) < 200 << 10
		EOF
	done
}

# Loaded by a program that has lost LD_PRELOAD, as the CUDA driver would, the
# collector is in front of nothing, and keeps its hands off.
loaded_late() {
	need python3
	"$copse" run --quiet -o late.copse sh -c 'unset LD_PRELOAD; exec "$@"' \
		sh python3 - "$builddir/libcopse.so" <<-EOF
	import ctypes, os, sys
	assert "COPSE_LIVE" in os.environ and "LD_PRELOAD" not in os.environ
	ctypes.CDLL(sys.argv[1])
	caught = [l for l in open("/proc/self/status") if l.startswith("SigCgt")]
	assert not int(caught[0].split()[1], 16) & 1 << 4, caught
	for fd in os.listdir("/proc/self/fd"):
	    try:
	        assert "perf_event" not in os.readlink("/proc/self/fd/" + fd)
	    except FileNotFoundError:
	        pass
	EOF
}

# Where waiting cannot be sampled, calls are right too, and the report says so.
wall_in_vain() {
	right "$1" wall "$programs/syscalls" &&
		"$copse" report safe.copse | tr -s '\n ' ' ' |
		grep -o 'Waiting could not be sampled with this clock'
}

# Nothing lowers the highest rate, and each thread begins with it.
highest_rate() {
	COPSE_CLOCK=$1 timeout -k 10 $hangs "$copse" run --quiet --force \
		-o fast.copse -e cpu@20000 --budget 0 \
		"$programs/threads32" 0.02 | grep '^truth'
}

for clock in sigtrap mixed timer; do
	point "system calls, $clock" right $clock cpu "$programs/syscalls"
	point "interrupted ones, $clock" right $clock cpu \
		"$programs/interrupts"
	point "signals, $clock" same $clock cpu "$programs/signals"
	point "alternate stacks, $clock" same $clock cpu "$programs/alt-stacks"
	point "stopped, $clock" same $clock cpu "$programs/stops" 4
	point "sandboxes, $clock" same $clock cpu "$programs/sandbox"
	point "phases, $clock" same $clock cpu "$programs/phases" 0.4
	point "descriptors and pauses, $clock" descriptors $clock
	point "functions of its own, $clock" same $clock cpu \
		"$programs/own-calls"
	point "exec, $clock" same $clock cpu "$programs/execs" $execs
	point "the highest rate, $clock" highest_rate $clock
done
point "system calls, wall" right sigtrap wall "$programs/syscalls"
point "interrupted ones, wall" right sigtrap wall "$programs/interrupts"
point "wall in vain, mixed" wall_in_vain mixed
point "wall in vain, timer" wall_in_vain timer
point "stopped, wall" same sigtrap wall "$programs/stops" 10
point "signals, wall" same sigtrap wall "$programs/signals"
point "sandboxes, wall" same sigtrap wall "$programs/sandbox"
point "sandboxes while files are read and memory is freed" sealed cpu
point "the same, wall" sealed wall
point "loaded late" loaded_late
point "no room in shared memory" full_memory
point "a limit on the size of files" small_files
point "a limit on address space leaves the program its room" little_space
point "so does one that the program sets itself" little_space_later
point "memory that is locked is the program's" locked_memory
points_done
