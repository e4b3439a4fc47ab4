#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# diagnose.sh - programs with a hidden problem (tests/causes): the first finding
# of copse report diagnose is that problem, and names its function; controls
# have no finding.  The machine may be busy, so not all have to be right: how
# many are is told.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
causes=$builddir/tests/causes
scale=0.6

# record NAME: its findings in NAME.json.  (mpirun reads standard input.)
record() {
	need mpirun
	program=$causes/$1 python='' ranks=2 locks=off
	[ "$1" != orchard ] || ranks=1 locks=on # of two threads
	if [ "$1" = grains ]; then
		program=$srcdir/tests/causes/$1.py python=/usr/bin/python3
	elif [ ! -x "$program" ]; then
		skip "$1 was not built: no MPI compiler?"
	fi
	"${launch:-mpirun}" -n $ranks "$copse" run --quiet --force \
		-o "$1.copse" --locks=$locks ${python:+"$python"} "$program" "$scale" \
		>"$1.out" 2>&1 </dev/null ||
		{ cat "$1.out"; return 1; }
	"$copse" report diagnose -f json "$1.copse" >"$1.json"
}

# The first finding: RULE, a tab, its sentence.
first_finding() {
	python3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["tables"]["findings"][:1]:
    print(row["rule"], row["text"], sep="\t")
' "$1"
}

finds() {
	cat >wanted <<-'W'
		alleles chain fill_row
		basin uneven-load column_infiltrate
		brokers polling news_look
		colouring small-messages swap_labels
		grains serial-section describe|size_line|stage_report
		jury context-switches turn_
		lattice serial-section sites_format|state_list
		orchard contended-lock ledger_enter
		photons needless-barrier packets_run
		plasma split-collectives moments_log
		river late-sender turbine_schedule
		sections array-sections wing_advance
		solvent page-faults .
		strands copies genome_fold|table_
		swarm growing-collective cage_look
		tides rotating boundary_predict
		traces late-receiver line_spectrum
	W
	/usr/bin/python3 -c 'import mpi4py, numpy' 2>/dev/null ||
		sed -i /grains/d wanted
	right=0 all=0
	while read -r name rule function; do
		record "$name" || return
		had_cores "$name.copse" || { echo "$name had no cores"; continue; }
		first_finding "$name.json" >found
		all=$((all + 1))
		if grep -qE "^$rule	.*($function)" found; then
			right=$((right + 1))
		else
			echo "$name is $rule in $function: $(cat found)"
		fi
	done <wanted
	echo "$right of $all"
	[ "$all" -ge 5 ] || skip "others have the cores here"
	[ "$right" -ge $((all - 2)) ]
}

# is_invented NAME: in two of three runs.  One alone may be true: a rank whose
# core another machine shares needs more CPU time for the same work.
is_invented() {
	times=0
	for try in 1 2 3; do
		record "$1" || return 99
		first_finding "$1.json" >found
		if [ -s found ]; then
			times=$((times + 1))
			echo "$1, run $try: $(cat found)"
		fi
		[ "$times" -gt 0 ] || return 1
	done
	[ "$times" -ge 2 ]
}

finds_nothing() {
	false=0
	for name in nbody ring order; do
		[ -x "$causes/$name" ] || continue
		is_invented "$name" && false=$((false + 1))
		[ -s "$name.json" ] || return
	done
	echo "$false false"
	[ "$false" -eq 0 ]
}

is_said() {
	[ "$rule" != none ] || { [ ! -s some ]; return; }
	grep "^$rule," some >one || return
	for word in $words; do
		grep -q "$word" one || { echo "no $word"; return 1; }
	done
}

# iterations RULE WORD… ARGUMENT…: the findings on iterations of 300 steps of
# CPU time are this one, with all words in its line; none: there is none.
iterations() {
	need mpirun
	rule=$1
	words=$2
	shift 2
	"${launch:-mpirun}" -n 2 "$copse" run --quiet --force -o steps.copse \
		"$programs/mpi-stages" steps=300 step=0.005 stage=0.1 cpu=1 \
		"$@" >out 2>err || { cat out err; return 1; }
	"$copse" report iterations steps.copse || return 1
	"$copse" report diagnose steps.copse -f csv --table findings >all ||
		return 1
	cat all
	grep -E '^(slow-iterations|unsteady-rank|drift|start-and-end),' \
		all >some
	is_said && return
	had_cores steps.copse || skip "others have the cores here"
	return 1
}

# What rules need no run anew: each is explained, and gates one profile.
gates() {
	[ -e strands.json ] || record strands || return
	"$copse" gate --fail-if rule:copies strands.copse
	[ $? = 1 ] || return
	"$copse" gate --fail-if rule:chain strands.copse || return
	"$copse" gate --fail-if rule:chian strands.copse 2>said
	[ $? = 2 ] && grep -q "no rule is called 'chian'" said
}

explains() {
	for rule in "$srcdir"/share/rules/*.rule; do
		name=$(basename "$rule" .rule)
		"$copse" help "$name" >said || return
		grep -q "^rule $name: " said && grep -q 'source' said &&
			grep -q '^Example: ' said || { cat said; return 1; }
	done
}

# A user's own rule, and one that is wrong.
own_rules() {
	[ -e nbody.json ] || record nbody || return
	mkdir -p mine
	cat >mine/hot.rule <<-'R'
		title    a hot function
		about    functions
		when     share > 0.5
		gain     elapsed / 2
		say      {function} is hot
		advice   Cool it.
		source   none
	R
	printf 'title  broken\nabout  nowhere\n' >mine/broken.rule
	COPSE_RULES=$PWD/mine "$copse" report diagnose nbody.copse >said || return
	cat said
	grep -q 'body_attract.* is hot\. To gain' said &&
		grep -q 'A rule was left out: the rule broken, line 2' said
}

point "problems that are found" finds
point "controls" finds_nothing
point "a slow iteration is a finding" \
	iterations slow-iterations '120 write_restart all' slow=120 extra=0.4
point "a rank that is slow in each tenth iteration is one" \
	iterations unsteady-rank '1 compute one.of.10' late=1 by=4
point "and one by so much as it is slower than the others" \
	iterations unsteady-rank '^unsteady-rank,[a-z]*,0[.][56]' \
	late=1 tenth=4 marked=1
point "one that is far longer is a finding" \
	iterations slow-iterations '120 write_restart' step=0.0005 \
	slow=120 extra=1
point "what all ranks do in each fortieth iteration is none" \
	iterations none '' slow=9 again=40 extra=0.06
point "parts of a step are no iterations" \
	iterations none '' step=0.0005 tenth=150 marked=1
point "drift is one" iterations drift 'compute slower' drift=2
point "steady iterations have none" iterations none ''
point "gate" gates
point "help" explains
point "rules of one's own" own_rules
points_done
