#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# traces.sh - a trace that is used up many times over, while the thread gets
# signals, others come and go and processes are forked (tests/storms/traces.c):
# nothing of it changes the program, and what stays is what --trace-keep says.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

most=2048 # samples of a thread that tests/broken/brimming.c keeps
program=$builddir/tests/storms/traces
mkdir -p brim
cp "$copse" brim/
cp "$builddir/libcopse-tools.so" "$builddir/libcopse-openmp.so" \
	brim
cp "$builddir/tests/broken/brimming.so" brim/libcopse.so

# traced KEEP SECONDS [COMMAND…]
traced() {
	rm -rf traced.copse
	timeout -k 5 600 brim/copse run -q --trace 1 --trace-keep "$1" \
		--budget 0 -e cpu@10000 -o traced.copse "$program" "$2" \
		>with 2>said
}

# cells: of the thread that works, "MOMENTS FUNCTION" in the order of time.
cells() {
	"$copse" merge -q traced.copse &&
		"$copse" report timeline traced.copse -f csv --table cells \
			-o cells.csv || return
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == "thread" && match($at["path"],
			/(early|between|late) ← main/) {
			name = substr($at["path"], RSTART)
			sub(/ .*/, "", name)
			print $at["moments"], name
		}' cells.csv >"$1"
}

# All samples of the three functions.
taken() {
	"$copse" report -f folded -m samples traced.copse |
		awk '/main;(early|between|late)[; ]/ { n += $NF }
			END { print n + 0 }'
}

# filled KEEP: for longer, when the machine gave it too few samples.
filled() {
	"$program" 0.1 >without 2>&1 || { cat without; return 1; }
	for seconds in 2 4 16; do
		traced "$1" "$seconds"
		is=$?
		[ $is = 0 ] || { echo "status $is"; cat with said; return 1; }
		diff without with || return
		all=$(taken)
		[ "$all" -lt $((4 * most)) ] || break
	done
	cells "kept-$1" || return
	kept=$(awk '{ n += $1 } END { print n + 0 }' "kept-$1")
	sort "kept-$1" | uniq -c | sort -rn | head -n 5
	echo "$kept of $all samples in $seconds s"
	[ "$kept" -le "$most" ] && [ "$kept" -ge $((most / 3)) ]
}

has() {
	grep -q " $1$" "$2"
}

first() {
	filled first && has early kept-first && ! has late kept-first
}

last() {
	filled last && has late kept-last && ! has early kept-last
}

thin() {
	filled thin && has early kept-thin && has between kept-thin &&
		has late kept-thin
}

# It dies while its trace is filled and thinned: what it had is there.
killed() {
	need pgrep
	rm -rf traced.copse
	brim/copse run -q --trace 1 --budget 0 -e cpu@10000 -o traced.copse \
		"$program" 600 >with 2>said &
	sleep 4
	kill -KILL "$(pgrep -o -P $! traces)" || return
	wait $!
	cells killed || return
	kept=$(awk '{ n += $1 } END { print n + 0 }' killed)
	echo "$kept samples kept"
	[ "$kept" -le "$most" ] && [ "$kept" -gt 0 ] && has early killed
}

[ -x "$program" ] || { echo "1..0 # SKIP $program was not built"; exit 0; }
point 'the first samples' first
point 'the last samples' last
point 'some of all samples' thin
point 'a killed process has its trace' killed
points_done
