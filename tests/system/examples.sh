#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# examples.sh - what the man pages and the tutorial say to type can be typed:
# each command of a displayed line ends with status 0.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
doc=$srcdir/doc

# Displayed commands of a page, one a line: `.Dl [$ ]COMMAND`, and lines of a
# literal display that begin with `$ `, with those that continue them.
commands_of() {
	awk '
	function plain(text) {
		gsub(/\\&/, "", text); gsub(/\\\(dq/, "\"", text)
		gsub(/\\-/, "-", text)
		return text
	}
	/^\.Bd/ { literal = 1 }
	/^\.Ed/ { literal = 0 }
	more { line = line " " $0 }
	!more && /^\.Dl/ { line = $0; sub(/^\.Dl (\$ )?/, "", line) }
	!more && literal && /^\$ / { line = substr($0, 3) }
	line != "" {
		more = line ~ /(\\e|\||do)$/
		sub(/\\e$/, "", line)
		if (!more) {
			print plain(line)
			line = ""
		}
	}' "$1" | grep -E '(^| )(copse|cc) ' | awk '!seen[$0]++'
}

# What needs a machine or a file that is not here.
elsewhere() {
	grep -vE '^sbatch|^cc |4711|PAPI_|^go tool|gpu-|addr2line|jq '
}

# As it is typed, with a small job for the launcher and the scratch directory.
as_here() {
	sed -E 's/^srun( --?[^ ]*( [0-9]+)?)*/mpirun -n 2/
		s/^mpirun -n (64|8)/mpirun -n 2/
		s/[a-z]*\.pl/cat/g'
}

# The programs and runs that the pages take for granted.
set_up() {
	need mpirun mpicc cc python3
	mkdir apart bin && ln -s "$copse" bin/copse || return 1
	cp "$programs/demo" demo
	# What is typed without a number of steps takes 20 s of CPU time.
	sed 's/: 900/: 45/' "$srcdir/tests/programs/demo.c" >app.c &&
		grep -q ': 45' app.c && mpicc -O2 -g -o app app.c -lm || return 1
	cp app simulation
	echo 'print(sum(i * i for i in range(2000000)))' >script.py
	printf '#!/bin/sh\n./solver 0.1\n' >workflow.sh
	chmod +x workflow.sh
	cp "$programs/shares" solver
	measure app app-64 app-256 demo || return 1
	for n in 1 2; do
		measure "base-$n" "new-$n" "before-$n" "after-$n" || return 1
	done
}

# measure NAME…: NAME.copse, of four ranks.
measure() {
	for name; do
		mpirun -n 4 "$copse" run -q -o "$name.copse" \
			./demo 0.5 >out 2>&1 || { cat out; return 1; }
	done
}

# runs FILE LEAST: each of its commands, of which there are so many.
runs() {
	[ -e bin/copse ] || skip "no runs"
	export PATH="$scratch/bin:$PATH" SCRATCH="$scratch/apart"
	commands_of "$1" | elsewhere | as_here >commands
	[ "$(wc -l <commands)" -ge "$2" ] || { cat commands; return 1; }
	while read -r command; do
		case $command in
		"copse gate"*) statuses='0 1' ;; # a verdict, either way
		*) statuses=0 ;;
		esac
		sh -c "$command" >out 2>&1 </dev/null
		is=$?
		case " $statuses " in *" $is "*) continue ;; esac
		echo "$command: exit status $is"
		cat out
		return 1
	done <commands
}

# The first program of copse(3), linked as the page says, and its report.
phases() {
	[ -e bin/copse ] || skip "no runs"
	commands_of "$doc/copse.3" | grep '^cc ' | sed "s|\$(pkg-config .*)|-I \
		$srcdir/src -L $builddir -lcopse -Wl,-rpath,$builddir|" \
		>build
	awk '/^\.Ss A phase in C$/ { on = 1 } on && /^\.Ed/ { exit }
		on && text { gsub(/\\e/, "\\"); print }
		on && /^\.Bd/ { text = 1 }' "$doc/copse.3" >step.c
	cat build
	grep -q copse_begin step.c && grep -q rpath build && sh -e build || return 1
	"$copse" run -q ./step && "$copse" report efficiency step |
		grep -E '^step|^  step'
}

# The tutorial's program and its commands, in their order.
tutorial() {
	[ -e bin/copse ] || skip "no runs"
	need mpicc
	export PATH="$scratch/bin:$PATH"
	awk '/^```c$/ { on = 1; next } on && /^```/ { exit } on' \
		"$doc/tutorial.md" | sed 's/STEPS 1500/STEPS 300/' >heat.c
	sed -n 's/^    \(mpicc\|mpirun\|copse\) /\1 /p' "$doc/tutorial.md" |
		sed 's/demo\.copse/heat.copse/' >commands
	[ "$(wc -l <commands)" -ge 9 ] || return 1
	cp -r demo.copse heat-1.copse && cp -r demo.copse heat-2.copse &&
		cp -r demo.copse fixed-1.copse && cp -r demo.copse fixed-2.copse
	while read -r command; do
		sh -c "$command" >out 2>&1 </dev/null && continue
		echo "$command:"
		cat out
		return 1
	done <commands
	"$copse" report hotspots heat.copse | grep '^  diffuse '
}

# Its profiles, for who has no MPI: with the sources, merged, installable.
example() {
	[ -e bin/copse ] || skip "no runs"
	need mpicc
	sed 's/STEPS 1500/STEPS 300/' "$doc/tutorial.md" >short.md
	sh "$srcdir/tools/example.sh" short.md "$copse" >out 2>&1 ||
		{ cat out; return 1; }
	ls example/heat.copse example/fixed.copse
	"$copse" report hotspots example/heat.copse | grep '^  report ' &&
		! "$copse" report hotspots -n 3 example/fixed.copse |
		grep '^  report '
}

point "runs of what the pages name" set_up
point "the program of copse(3)" phases
for page in copse.1:3 copse.3:2 copse-run.1:8 copse-report.1:7 copse-gate.1:2 \
	copse-export.1:6 copse-merge.1:2 copse-info.1:1 copse-check.1:1; do
	point "the commands of ${page%:*}" runs "$doc/${page%:*}" "${page#*:}"
done
cat "$doc"/copse-report-*.1 "$doc/copse-metrics.7" >analyses
point "the commands of the pages of analyses" runs analyses 30
point "the commands of copse-waits.7" runs "$doc/copse-waits.7.in" 3
point "the tutorial" tutorial
point "the profiles of the tutorial" example
points_done
