#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage.sh - bad use gets one line that says what and what to do, and an exit
# status: 2 bad usage, 1 failed, 126 and 127 as shells do for the program.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# refuses STATUS WORD COMMAND…: exits so, with one line that has WORD in it.
refuses() {
	status=$1
	word=$2
	shift 2
	"$@" >out 2>err
	is=$?
	cat err
	[ -s out ] && { echo "it wrote to stdout"; return 1; }
	[ "$is" = "$status" ] || { echo "exit status $is"; return 1; }
	[ "$(wc -l <err)" = 1 ] || { echo "not one line"; return 1; }
	grep -qF -e "$word" err || { echo "no word of $word"; return 1; }
}

# Without a command there is nothing to refuse: all of the usage.
shows_usage() {
	"$copse" 2>err
	is=$?
	[ "$is" = 2 ] && grep -q '^usage: ' err
}

exits_as() {
	status=$1
	shift
	"$copse" run --quiet -o "exits-$status.copse" "$@"
	is=$?
	[ "$is" = "$status" ] || { echo "exit status $is"; return 1; }
}

# COMMAND: its help has no line that a terminal would wrap.
fits() {
	"$copse" "$@" --help >out && [ -s out ] || return 1
	awk 'length > 80 { print; long = 1 } END { exit long }' out
}

# ANALYSIS OPTION OTHER: its help has the one, and not the other.
heeds() {
	"$copse" report "$1" --help >out && cat out || return 1
	grep -q -e "$2 " out && ! grep -q -e "$3 " out
}

explains() {
	"$copse" help "$1" >out && cat out && grep -q -e "$1" out
}

# Each word in bold letters of the glossary.
explains_glossary() {
	grep -o '\*\*[^*]*\*\*' "$srcdir/doc/glossary.md" | tr -d '*' >terms
	[ "$(wc -l <terms)" -gt 80 ] || return 1
	while read -r term; do
		"$copse" help "$term" >out 2>err &&
			tr '\n' ' ' <out | grep -qF "$term" ||
			{ cat err; return 1; }
	done <terms
}

# Each title of a table or column, and each name of a time, of two ranks.
explains_summary() {
	need mpirun
	mpirun -n 2 "$copse" run -q -o ranks.copse "$programs/demo" 2 >out 2>&1
	"$copse" report --width 200 ranks.copse >text || return 1
	awk '/^$/ { title = 1; next }
		/^!/ { title = 0; next }
		title && /^[^ ]/ { name = $0; title = 0; next }
		name { words = name $0; gsub(/   */, "\n", words)
			print words; time = name == "per rank"; name = ""; next }
		time && /^  [^ ]/ { sub(/^  /, ""); sub(/   *.*/, ""); print }
		' text >words
	printf '%s\n' elapsed 'CPU time' 'parallel efficiency' transfer \
		serialisation serialization 'load balance' useful recoverable \
		'to gain' cost lost measured 'hot paths' split work blocked \
		'waiting in MPI' 'MPI itself' 'wanting a core' 'not known' \
		'starting and ending' 'waiting for threads' >>words
	cat words
	grep -q 'mean size' words && grep -q '^CPU, all threads$' words || return 1
	while read -r word; do
		"$copse" help "$word" >out 2>err || grep "did you mean" err ||
			{ echo "nothing on $word"; return 1; }
	done <words
}

# cut_rule FILE RULE WORD: as the shell hands it over, with a file of output.
cut_rule() {
	"$copse" gate --fail-if "$2" run.copse vs run.copse >"$1" 2>err
	is=$?
	cat err
	[ "$is" = 2 ] && grep -qF -e "$3" err
}

coloured() {
	need script
	TERM=$1 script -qec "$copse report run.copse" typed >/dev/null &&
		grep -q "$(printf '\033')" typed
}

not_coloured() {
	need script
	coloured "$1" && return 1
	grep -q samples typed
}

echo text >text
mkdir -p empty
printf 'no HDF5' >rank-0.h5
echo '#!/bin/true' >not-executable
printf '#!/bin/sh\n' >program
chmod +x program

point "no command" shows_usage
point "unknown command" refuses 2 "wood" "$copse" wood
point "misspelt command" refuses 2 "did you mean 'report'?" "$copse" repotr
for pair in diff:'report diff' flamegraph:'report -f html' \
	record:run hotspost:'report hotspots' speedscope:'export speedscope' \
	./program:'run ./program'; do
	point "copse ${pair%%:*} is meant for copse ${pair#*:}" refuses 2 \
		"did you mean 'copse ${pair#*:}'?" "$copse" "${pair%%:*}"
done
point "a word of others for an analysis" refuses 2 \
	"did you mean 'copse report hotspots'?" "$copse" report top empty
point "misspelt option" refuses 2 "did you mean '--freq'?" \
	"$copse" run --frqe=5 true
point "misspelt analysis" refuses 2 "did you mean 'hotspots'?" \
	"$copse" report hotspost empty
point "misspelt format" refuses 2 "did you mean 'csv'?" \
	"$copse" report -f cvs empty
point "misspelt export" refuses 2 "did you mean 'nodes'?" \
	"$copse" export noeds empty
point "misspelt word of help" refuses 2 "did you mean 'waits'?" \
	"$copse" help wiats
point "a cut option that could be two" refuses 2 \
	"may be --gpu-sampling or --gpu-sampling-period" \
	"$copse" run --gpu-s on true
point "a cut option" refuses 2 "--depth wants 8 to 4096" \
	"$copse" run --dep=1 true
point "ranks" refuses 2 "mpirun -n 4 copse run" "$copse" run -np 4 ./program
point "a program for its profile" refuses 1 "copse run ./program" \
	"$copse" report ./program
point "another letter for the version" refuses 2 "did you mean '-V'?" \
	"$copse" -v
point "unknown option" refuses 2 "--wood" "$copse" run --wood true
point "option without its word" refuses 2 "freq" "$copse" run --freq
point "bad number" refuses 2 "abc" "$copse" run --freq abc true
point "number out of range" refuses 2 "1 to 20000" \
	"$copse" run --freq 0 touch started
point "depth out of range" refuses 2 "8 to 4096" \
	"$copse" run --depth=1 touch started
point "memory out of range" refuses 2 "1 to 16384" \
	"$copse" run --memory 0 touch started
point "neither on nor off" refuses 2 "on or off" \
	"$copse" run --from-start=maybe touch started
point "no rate" refuses 2 "cpu@0" "$copse" run -e cpu@0 touch started
point "a rate below 0" refuses 2 "wall@-1" "$copse" run -e wall@-1 touch started
point "a rate beyond reason" refuses 2 "cpu@1000000" \
	"$copse" run -e cpu,cpu@1000000 touch started
point "a rate that leaves no time" refuses 2 "1 to 20000" \
	"$copse" run -e cpu@20001 touch started
point "nor does a setting" refuses 2 "1 to 20000" \
	"$copse" run --freq 20001 touch started
point "two rates" refuses 2 "'wall@1000' beside 'cpu@5000'" \
	"$copse" run -e cpu@5000 -e wall@1000 touch started
point "no room" refuses 2 "40 columns" "$copse" report --width 39 empty
point "no event" refuses 2 "''" "$copse" run --events= touch started
point "bad number in the environment" refuses 2 "COPSE_FREQ wants" \
	env COPSE_FREQ=0 "$copse" run touch started
point "the program was started by none of them" test ! -e started
point "unknown event" refuses 1 "wood" "$copse" run --strict -e wood true
point "unknown group of events" refuses 2 "software" "$copse" run -g wood true
point "run without a program" refuses 2 "program" "$copse" run
point "no such program" refuses 127 "no-such" "$copse" run ./no-such
point "not executable" refuses 126 "not-executable" \
	"$copse" run ./not-executable
point "a program here, without ./" refuses 127 "is ./program" \
	"$copse" run program
point "a script here that is not executable" refuses 127 "chmod +x" \
	"$copse" run not-executable
point "a directory for a program" refuses 126 "directory" "$copse" run ./empty
point "program and arguments as one word" refuses 127 "without quotes" \
	"$copse" run "./program 5"
point "a variable for a program" refuses 127 "before copse run" \
	"$copse" run OMP_NUM_THREADS=2 ./program
# What is wrong with the output is no reason not to run.
point "unwritable output" refuses 0 "/proc/x.copse: No such file" \
	"$copse" run -q -o /proc/x.copse true
point "output below a file" refuses 0 "text/x: Not a directory; the profiles" \
	"$copse" run -q -o text/x true
point "report on nothing" refuses 1 "no-such" "$copse" report no-such.copse
point "report on an empty directory" refuses 1 "empty" "$copse" report empty
point "report on a text file" refuses 1 "text" "$copse" report text
point "report on what is no HDF5" refuses 1 "rank-0.h5" \
	"$copse" report rank-0.h5
point "unknown analysis" refuses 2 "wood" "$copse" report wood empty
point "unknown format" refuses 2 "wood" "$copse" report -f wood empty
point "check in an unknown format" refuses 2 "wood" "$copse" check -f wood
mkfifo pipe
"$copse" run -q -e cpu@10000 -o run.copse "$programs/phases" 0.1 >out 2>&1
mkdir -p run.copse
point "a rule that the shell cut" cut_rule 3% total "'total>3%'"
point "another" cut_rule =-2.5pp load_balance "'load_balance>-2.5pp'"
point "a rule that was typed so" cut_rule file total "WHAT > LIMIT"
point "no profile, and one is here" refuses 2 \
	"the newest here: copse report waits run.copse" "$copse" report waits
point "misspelt metric" refuses 2 "did you mean 'cpu.time'?" \
	"$copse" report -m cpu.tiem run.copse
point "a number names its option" refuses 2 "--width" \
	"$copse" report --width x run.copse
point "a table of text" refuses 2 "--table" \
	"$copse" report --table hotspots run.copse
point "the analysis behind the profile" refuses 2 \
	"copse report hotspots run.copse" "$copse" report run.copse hotspots
point "nodes of one rank" refuses 2 "--rank" \
	"$copse" export nodes run.copse --rank 0
point "ranks by a metric" refuses 2 "--metric" \
	"$copse" export ranks run.copse -m cpu.time
point "a merge of no name" refuses 2 "empty" "$copse" merge ""
point "a database in place of what is no file" refuses 1 "not a regular file" \
	"$copse" merge -q run.copse -o pipe
mkdir piped
mkfifo piped/rank-0.h5
point "report on a pipe" refuses 1 "not a regular file" \
	timeout 60 "$copse" report pipe
point "a pipe among profiles" refuses 1 "not a regular file" \
	timeout 60 "$copse" report piped
point "recover for a file" refuses 1 "directory" "$copse" recover text
point "what is no file stays" test -p pipe
point "a rate for waiting alone" exits_as 8 -e cpu@0 -e wall@500 sh -c 'exit 8'
for how in "" run report gate export merge info recover check completion; do
	point "80 columns: copse $how --help" fits $how
done
point "the options of an analysis" heeds waits --limit --metric
point "the options of another" heeds hotspots --by-line --prune
for word in run budget --budget gpu.time dropped.slow nodes; do
	point "copse help $word" explains "$word"
done
point "copse help TERM of the glossary" explains_glossary
point "copse help WORD of the summary" explains_summary
point "-V" test "$("$copse" -V)" = "$("$copse" --version)"
point "colours on a terminal" coloured xterm
point "none on a dumb one" not_coloured dumb
point "exit status is the program's" exits_as 7 sh -c 'exit 7'
point "a signal is the program's" exits_as 143 sh -c 'kill -TERM $$'
points_done
