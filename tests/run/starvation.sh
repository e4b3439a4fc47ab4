#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# starvation.sh - at the highest rate, with no budget, and each path walked
# twice, a program gets as much of its CPU time as its samples do; and its waits
# are seen all the same.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# at_most_often OPTION… COMMAND…
at_most_often() {
	timeout 600 "$copse" run -q --no-report --force -o deep.copse \
		-e cpu@20000 --budget 0 "$@"
}

# gets_on COMMAND…: which prints the CPU time that it took last.  It may take
# twice as much, and what signals cost: there are virtual machines on which each
# takes 0.1 ms, so that short paths tell.  Without a pause between samples it
# took sixty times.
gets_on() {
	"$@" >plain && at_most_often --depth 16 "$@" >short &&
		at_most_often --depth 4096 --verify on "$@" >out || return
	echo "plain $(tail -n 1 plain) s, with short paths" \
		"$(tail -n 1 short) s, with whole ones $(tail -n 1 out) s"
	tail -q -n 1 plain short out | awk '{ took[NR] = $NF }
		END { exit !(took[3] < 10 * took[1] || took[3] < 3 * took[2]) }'
}

python_gets_on() {
	need python3
	cat >deep.py <<-'END'
		import sys, threading, time
		sys.setrecursionlimit(100000)
		threading.stack_size(256 << 20)
		def down(n):
		    return max([n], key=lambda i: down(i - 1)) if n else work()
		def work():
		    return sum(i % 7 for i in range(3000000))
		thread = threading.Thread(target=down, args=(1500,))
		thread.start()
		thread.join()
		print(time.process_time())
	END
	gets_on python3 deep.py
}

# Some walks of 4 ms have to be made to know it; until the 1024th it was six
# times as much.
is_within_budget() {
	"$programs/deep-stack" other 4000 >plain &&
		COPSE_BUDGET=1 "$copse" run -q --no-report --force \
			-o deep.copse --depth 4096 \
			"$programs/deep-stack" other 4000 >out || return
	echo "plain $(cat plain) s, with copse $(cat out) s"
	awk 'NR == FNR { plain = $1; next } { exit $1 > 3 * plain }' plain out
}

# A wait right after an expensive sample is where it was, or the next sample,
# elsewhere, would have its time.
waits_stay() {
	"$copse" run -q --no-report --force -e wall --depth 4096 \
		-o waits.copse "$programs/deep-waits" 40 4000 >out || return
	"$copse" info waits.copse | grep -q 'blocked threads too' ||
		skip "waiting cannot be sampled here (copse check)"
	"$copse" report hotspots -n 0 -m wall.time -f csv waits.copse |
		awk -v columns='function inclusive' \
			-f "$srcdir/tests/lib/csv.awk" >found || return
	grep -E 'briefly|longer|compute' found
	near "$(awk '$1 == "longer" { print $2 }' found)" \
		"$(awk '{ print $NF }' out)" 0.1
}

for where in own other signal; do
	point "$where stack" gets_on "$programs/deep-stack" $where 4000
done
point "the budget, soon" is_within_budget
point "Python that recurses" python_gets_on
point "waits after expensive samples" waits_stay
points_done
