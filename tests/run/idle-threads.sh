#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# idle-threads.sh - threads of libraries that only waited are left out of wall
# time, and said; the program's own, and those that worked, are not.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

measured() {
	[ -d helpers.copse ] || "$copse" run -q -e wall -o helpers.copse \
		"$programs/dlswap" 1 helpers >truth || return 1
	"$copse" info helpers.copse | grep -q 'blocked threads too' ||
		skip "waiting cannot be sampled here (copse check)"
}

# csv ARGUMENT…: a report of it.
csv() {
	"$copse" report "$@" -f csv helpers.copse
}

# sum COLUMN FILE
sum() {
	awk -F , -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum += $at[name] }
		END { print sum + 0 }' "$2"
}

one_is_left_out() {
	measured || return
	csv hotspots --table idle_threads >idle.csv || return 1
	cat idle.csv
	[ "$(wc -l <idle.csv)" = 2 ] &&
		grep -q '^0,helper,.*/dlswap-one.so,' idle.csv
}

# It waited for as long as the program worked, at least.
for_as_long_as_it_was() {
	measured || return
	csv hotspots --table idle_threads >idle.csv && csv summary >run.csv ||
		return 1
	awk -v is="$(sum seconds idle.csv)" -v most="$(sum elapsed run.csv)" '
		$1 == "truth" { least += $3 }
		END { print least, is, most; exit !(least <= is && is <= most) }
	' truth && near "$(sum idle_threads run.csv)" "$(sum seconds idle.csv)" 0
}

# Threads are the only ones with a tree of their own beside main's.
the_others_are_shown() {
	measured || return
	"$copse" report tree --prune 0 -n 0 helpers.copse >tree || return 1
	cat tree
	[ "$(grep -c '  helper$' tree)" = 1 ] && grep -q '  own_helper$' tree
}

both_are_all() {
	measured || return
	csv hotspots >rest.csv && csv hotspots --idle-threads=on >all.csv &&
		csv summary >run.csv || return 1
	near "$(awk "BEGIN { print $(sum exclusive rest.csv) + \
		$(sum idle_threads run.csv) }")" "$(sum exclusive all.csv)" 1e-3 &&
		near "$(sum share rest.csv)" 1 1e-4
}

# What each process has comes from the database, where it is a sum of all.
by_process() {
	measured || return
	csv hotspots >rest.csv && csv imbalance --table ranks >ranks.csv ||
		return 1
	cat ranks.csv
	near "$(sum value ranks.csv)" "$(sum exclusive rest.csv)" 1e-3
}

# says REPORT…: a sentence of its own.
says() {
	measured || return
	"$copse" report "$@" --width 1000 helpers.copse >said || return 1
	cat said
	grep -q '^Threads that only waited are left out of wall.time: .* (2[0-9.]* % of all), helper of dlswap-one.so .* in .*; --idle-threads=on' said
}

says_nothing() {
	measured || return
	"$copse" report "$@" helpers.copse >said || return 1
	! grep 'only waited' said
}

json_says() {
	need python3
	measured || return
	"$copse" report hotspots -f json helpers.copse >said.json || return 1
	python3 -c 'import json
r = json.load(open("said.json"))
assert r["tables"]["idle_threads"][0]["function"] == "helper"
assert "only waited" in r["notes"][0]'
}

folded_says() {
	measured || return
	"$copse" report -f folded helpers.copse 2>said >folded || return 1
	cat said
	grep -q 'only waited' said && ! grep -q 'only waited' folded
}

# A thread that still waits at the end, for 0.4 s and more, has no sample of it;
# one that came back has.  Less is that of threads that lacked a core at the end.
waits_at_the_end() {
	need python3
	"$copse" run -q --force -e wall -o end.copse python3 - "$1" <<-EOF || return
	import sys, threading, time
	def work():
	    until = time.thread_time() + 0.1
	    while time.thread_time() < until:
	        pass
	def helper():
	    work()
	    worked.set()
	    over.wait()
	worked, over = threading.Event(), threading.Event()
	thread = threading.Thread(target=helper, daemon=True)
	thread.start()
	worked.wait()
	time.sleep(0.4)
	work()
	if sys.argv[1] == "joined":
	    over.set()
	    thread.join()
	EOF
	"$copse" report summary -f csv --table losses end.copse >losses.csv ||
		return
	cat losses.csv
	unseen=$(awk -F , '$1 == "wall.unseen" { print $2 }' losses.csv)
	[ $((${unseen:-0} >= 490)) = "$2" ]
}

compared() {
	measured || return
	"$copse" report diff helpers.copse helpers.copse --width 1000 >said &&
		"$copse" gate --fail-if 'total>3%' --width 1000 \
			helpers.copse vs helpers.copse >>said || return 1
	cat said
	[ "$(grep -c 'only waited .* in all runs; of the first' said)" = 2 ]
}

# The database has all that was measured.
exported() {
	measured || return
	"$copse" export nodes helpers.copse >nodes.csv || return 1
	csv hotspots --idle-threads=on >all.csv || return 1
	near "$(sum wall.time nodes.csv)" "$(sum exclusive all.csv)" 1e-3
}

point "a library's thread that only waited" one_is_left_out
point "… as long as it was there" for_as_long_as_it_was
point "one that worked, and the program's own" the_others_are_shown
point "what is left out and the rest are all" both_are_all
point "… process by process" by_process
for analysis in summary hotspots tree imbalance ranks loops; do
	point "$analysis says so" says "$analysis"
done
point "not of CPU time" says_nothing hotspots -m cpu.time
point "--idle-threads=on" says_nothing summary --idle-threads=on
point "JSON says so" json_says
point "for flame graphs it is said beside" folded_says
point "diff and gate say so" compared
point "exports have all" exported
point "a wait until the end is on no path, and said" waits_at_the_end ends 1
point "one that ended before is" waits_at_the_end joined 0
points_done
