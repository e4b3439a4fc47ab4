#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# watched.sh COMMAND… - runs a test, and says in its log what it took.  One that
# hangs is one failed test: after $PATIENCE_S seconds what still runs of it is
# shown, with stacks where there is gdb, and ends.
patience=${PATIENCE_S:-1500}

# Of the test, wherever it went: by its environment.
running() {
	grep -lzsx "WATCHED_TEST=$1" /proc/[0-9]*/environ | grep -o '[0-9]*'
}

# What the others wait for began last.
show() {
	echo "# still ran after $patience s:"
	for pid; do
		ps -ww -o pid=,ppid=,stat=,etime=,wchan:20=,args= -p "$pid"
	done
	for pid; do
		echo "stacks of $pid:"
		timeout -k 5 60 gdb -batch -p "$pid" \
			-ex 'thread apply all backtrace 20' 2>&1
	done | tail -n 300
}

watch() {
	timeout "$patience" tail -s 0.2 --pid="$1" -f /dev/null && return
	# shellcheck disable=SC2046 # a list of numbers
	show $(running "$1") | sed 's/^/# /'
	# shellcheck disable=SC2046
	kill -9 $(running "$1")
}

# In hundredths of a second the kernel counts CPU time of what has ended.
say_time() {
	awk -v s=$(($(date +%s) - began)) '{
		printf "# took %d s, %.1f s of CPU time\n", s, ($16 + $17) / 100
	}' "/proc/$$/stat"
}

(watch $$ &)
began=$(date +%s)
export WATCHED_TEST=$$
"$@"
status=$?
say_time
exit $status
