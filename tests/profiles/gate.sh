#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gate.sh - runs of a program one of whose paths takes twice the CPU time, against
# runs where it does not: found by name, and no false alarm.  In CPU time, which
# the program keeps by its own clock: other work on the machine changes it by some
# per cent, and the path takes 30 % of it.  How small a change is found, and how
# often, is tests/bench/gate.sh's: 5 % needs a quiet machine.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# side NAME [PATH PERCENT]: five runs, NAME-1.copse to NAME-5.copse.
side() {
	name=$1
	shift
	for i in 1 2 3 4 5; do
		"$copse" run --quiet --freq 10000 --budget 50 \
			-o "$name-$i.copse" "$programs/steady" 0.4 "$@" >out ||
			{ cat out; return 1; }
	done
}

# status WANTED OPTION…: of copse gate, whose report is left in `said`.
status() {
	wanted=$1
	shift
	"$copse" gate "$@" >said 2>&1
	is=$?
	[ $is = "$wanted" ] && return
	echo "status $is, not $wanted, of copse gate $*"
	cat said
	return 1
}

says() {
	grep -q -e "$1" said || { cat said; return 1; }
}

runs() {
	side base && side same && side slow exchange 100
}

# One of a hundred such gates fails for equal runs, unless it is told to be surer.
sure='--confidence 99.99'

# shellcheck disable=SC2086 # two words
equal_runs_pass() {
	status 0 base-*.copse vs same-*.copse $sure --fail-if 'total>1%' \
		--fail-if 'path(*)>2.5%' --fail-if 'function(work)>2.5%' &&
		says Passed
}

# Twice 30 % is 30 % more of all; other clocks than sigtrap are too coarse for paths.
# What work calls is called more often too, so that may be named after it.
# shellcheck disable=SC2086 # two words
a_slow_path_is_named() {
	status 1 base-*.copse vs slow-*.copse --fail-if 'total>1%' &&
		says 'cpu.time of total: +\(2[6-9]\|3[0-3]\)[0-9.]* %' || return
	"$copse" info base-1.copse/rank-0.h5 | grep -q 'clock *sigtrap' ||
		skip "this clock is too coarse"
	status 1 base-*.copse vs slow-*.copse $sure --fail-if 'path(*)>2.5%' &&
		grep '^!.*cpu.time of' said >named &&
		head -n 1 named | grep -q 'of work ← exchange ← main:' &&
		! grep -v 'work ← exchange ← main' named ||
		{ cat said; return 1; }
}

# A faster program fails no rule about slower ones.
faster_passes() {
	status 0 slow-*.copse vs base-*.copse --fail-if 'total>0.5%' &&
		status 1 slow-*.copse vs base-*.copse --fail-if 'total<-0.5%'
}

two_need_no_word() {
	status 1 base-1.copse slow-1.copse --fail-if 'total>1%' &&
		says 'One run on each side' &&
		status 0 base-1.copse vs base-1.copse --fail-if 'total>0%'
}

formats() {
	need python3
	status 1 base-*.copse vs slow-*.copse --fail-if 'total>1%' \
		--fail-if 'function(*)>90%' -f junit || return
	python3 - said <<-EOF || { cat said; return 1; }
	import sys, xml.etree.ElementTree as tree
	suite = tree.parse(sys.argv[1]).getroot()[0]
	cases = suite.findall("testcase")
	failed = [c for c in cases if c.find("failure") is not None]
	assert suite.get("failures") == "1" and len(failed) == 1
	assert int(suite.get("tests")) == len(cases) > 2
	assert failed[0].get("classname") == "total>1%"
	EOF
	status 1 base-*.copse vs slow-*.copse --fail-if 'total>1%' -f json ||
		return
	python3 - said <<-EOF || { cat said; return 1; }
	import json, sys
	test = json.load(open(sys.argv[1]))["tables"]["tests"][0]
	assert test["verdict"] == "failed" and test["subject"] == "total"
	assert 0.26 < test["relative"] < 0.34 and test["p"] < 0.001
	EOF
}

no_verdict() {
	status 2 base-1.copse slow-1.copse &&
		status 2 --fail-if 'total>1%' base-1.copse &&
		status 2 --fail-if 'total>1%' base-1.copse base-2.copse slow-1.copse &&
		says "write 'vs'" &&
		status 2 --fail-if 'total>1%' base-1.copse vs &&
		status 2 --fail-if 'total' base-1.copse slow-1.copse &&
		status 2 --fail-if 'path(nobody)>1%' base-1.copse slow-1.copse &&
		status 2 --fail-if 'mpi_share>1pp' base-1.copse slow-1.copse &&
		status 2 --fail-if 'gpu.time>1%' base-1.copse slow-1.copse &&
		status 2 --fail-if 'total>1%' base-1.copse nowhere &&
		status 2 --fail-if 'total>1%' base-1.copse slow-1.copse -f folded &&
		status 2 --fail-if 'total>1%' base-1.copse slow-1.copse -o /dev/full
}

diff() {
	"$copse" report diff base-*.copse vs slow-*.copse -f csv \
		--table metrics >found || return 1
	awk -f "$srcdir/tests/lib/expect.awk" - found <<-EOF || { cat found; return 1; }
	any order
	metric,unit,base,new,change,relative
	cpu.time,s,{0.39..0.44},{0.51..0.57},{0.105..0.145},{0.26..0.34}
	EOF
	"$copse" report diff base-*.copse vs slow-*.copse >said &&
		says '^cpu.time: ' && says '^  *Student\|95 %'
	"$copse" report hotspots base-1.copse vs slow-1.copse >said 2>&1 &&
		return 1
	says "'vs' is a word of copse report diff"
}

point "runs" runs
point "equal runs pass" equal_runs_pass
point "a path that takes twice the time is named" a_slow_path_is_named
point "what got faster passes" faster_passes
point "two profiles need no word between" two_need_no_word
point "JUnit and JSON" formats
point "what is no verdict ends with 2" no_verdict
point "the difference in numbers" diff
points_done
